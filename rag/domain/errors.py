"""Every failure a person can meet, each with a sentence they can act on.

LecternError
├── TurnError                 ends one turn; becomes an ErrorResponse
│   ├── InvalidInput          invalid_input
│   ├── AuthFailed            auth_error
│   ├── RateLimited           rate_limit, with retry_after
│   ├── ApiFailed             api_error
│   ├── RetrievalFailed       retrieval_error
│   └── ContextOverflow       context_overflow
├── SetupError                configuration, a folder, a model file: exit code 2
│   ├── BookError             the book's folder cannot be read as a book
│   ├── ModelFileError        the local model is missing or not the one we verified
│   ├── IndexMismatch         the index was made by another embedding model
│   └── StorageError          the data folder is read-only, full, or corrupt
└── LibraryBusy               another process has this library open: exit code 3

IllegalTransition is a programming error, not a LecternError: nobody can act on it.
"""

from enum import StrEnum
from typing import ClassVar

from rag.domain.base import Count, NonBlank, Value


class ErrorType(StrEnum):
    """The kinds of failure a turn can end with."""

    INVALID_INPUT = "invalid_input"
    AUTH_ERROR = "auth_error"
    RATE_LIMIT = "rate_limit"
    API_ERROR = "api_error"
    RETRIEVAL_ERROR = "retrieval_error"
    CONTEXT_OVERFLOW = "context_overflow"


_USER_MESSAGES = {
    ErrorType.INVALID_INPUT: "Your question couldn't be processed. Please rephrase.",
    ErrorType.AUTH_ERROR: "Authentication failed. Please check your API keys.",
    ErrorType.RATE_LIMIT: "The service is busy. Please wait {retry_after} seconds and try again.",
    ErrorType.API_ERROR: "There was a problem connecting to the AI service. Please try again.",
    ErrorType.RETRIEVAL_ERROR: "Could not search the book content. Please try again.",
    ErrorType.CONTEXT_OVERFLOW: "Your conversation is too long. Type 'clear' to start fresh.",
}
_RECOVERABLE = {ErrorType.RATE_LIMIT, ErrorType.API_ERROR, ErrorType.RETRIEVAL_ERROR}
DEFAULT_RETRY_AFTER = 30


class ErrorResponse(Value):
    """A failure as the user sees it, with the technical reason beside it for the log."""

    error_type: ErrorType
    message: NonBlank
    user_message: NonBlank
    retry_after: Count | None = None
    recoverable: bool = True

    @classmethod
    def of(
        cls, error_type: ErrorType, message: str, retry_after: int | None = None
    ) -> "ErrorResponse":
        """The response for a kind of failure, with that kind's sentence."""
        if error_type is ErrorType.RATE_LIMIT and retry_after is None:
            retry_after = DEFAULT_RETRY_AFTER
        return cls(
            error_type=error_type,
            message=message or error_type.value,
            user_message=_USER_MESSAGES[error_type].format(retry_after=retry_after),
            retry_after=retry_after,
            recoverable=error_type in _RECOVERABLE,
        )


class LecternError(Exception):
    """A failure whose text is a sentence a person can act on."""


class TurnError(LecternError):
    """A failure that ends one turn."""

    error_type: ClassVar[ErrorType]
    retry_after: int | None = None

    def response(self) -> ErrorResponse:
        """This failure as the value the user interface shows."""
        return ErrorResponse.of(self.error_type, str(self), self.retry_after)


class InvalidInput(TurnError):
    """The question or a parameter is out of its range; the text says which and how."""

    error_type = ErrorType.INVALID_INPUT

    def response(self) -> ErrorResponse:
        """The seed's sentence, followed by what exactly was wrong."""
        plain = super().response()
        return plain.model_copy(update={"user_message": f"{plain.user_message} {self}"})


class AuthFailed(TurnError):
    """A service refused the key."""

    error_type = ErrorType.AUTH_ERROR


class RateLimited(TurnError):
    """A service asked us to wait."""

    error_type = ErrorType.RATE_LIMIT

    def __init__(self, message: str, retry_after: int | None = None) -> None:
        """Remember how long the service asked us to wait."""
        super().__init__(message)
        self.retry_after = retry_after


class ApiFailed(TurnError):
    """The generating service failed."""

    error_type = ErrorType.API_ERROR


class RetrievalFailed(TurnError):
    """The book could not be searched."""

    error_type = ErrorType.RETRIEVAL_ERROR


class ContextOverflow(TurnError):
    """The question and the system prompt alone do not fit the window."""

    error_type = ErrorType.CONTEXT_OVERFLOW


class SetupError(LecternError):
    """Something must be set, installed or repaired before Lectern can work."""


class BookError(SetupError):
    """The book's folder cannot be read as a book."""


class ModelFileError(SetupError):
    """The local model's file is missing, or is not the file that was verified."""


class IndexMismatch(SetupError):
    """The index was made by another embedding model than the one in use."""


class StorageError(SetupError):
    """The data folder is read-only, full, or holds a damaged file."""


class LibraryBusy(LecternError):
    """Another process has this library open."""


class IllegalTransition(RuntimeError):
    """A state machine was asked for a step it does not have."""
