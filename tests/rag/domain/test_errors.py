"""The kinds of failure and their sentences."""

import pytest
from pydantic import ValidationError

from rag.domain.errors import (
    ApiFailed,
    AuthFailed,
    BookError,
    ContextOverflow,
    ErrorResponse,
    ErrorType,
    IllegalTransition,
    IndexMismatch,
    InvalidInput,
    LecternError,
    LibraryBusy,
    ModelFileError,
    RateLimited,
    RetrievalFailed,
    SetupError,
    StorageError,
    TurnError,
)

# The table of seed 003: type, what the user reads, whether trying again may help.
SEED = [
    ("rate_limit", "The service is busy. Please wait 7 seconds and try again.", True),
    (
        "api_error",
        "There was a problem connecting to the AI service. Please try again.",
        True,
    ),
    ("retrieval_error", "Could not search the book content. Please try again.", True),
    ("auth_error", "Authentication failed. Please check your API keys.", False),
    ("invalid_input", "Your question couldn't be processed. Please rephrase.", False),
    ("context_overflow", "Your conversation is too long. Type 'clear' to start fresh.", False),
]


@pytest.mark.parametrize(("kind", "sentence", "_recoverable"), SEED)
def test_error_messages_are_those_of_the_seed(kind: str, sentence: str, _recoverable: bool) -> None:
    response = ErrorResponse.of(ErrorType(kind), "HTTP 500", retry_after=7)
    assert response.user_message == sentence
    assert response.message == "HTTP 500"


@pytest.mark.parametrize(("kind", "_sentence", "recoverable"), SEED)
def test_each_error_knows_if_it_is_recoverable(
    kind: str, _sentence: str, recoverable: bool
) -> None:
    assert ErrorResponse.of(ErrorType(kind), "x").recoverable is recoverable


def test_there_are_exactly_six_kinds_of_error() -> None:
    assert {e.value for e in ErrorType} == {kind for kind, _, _ in SEED}


def test_an_error_is_recoverable_unless_told_otherwise() -> None:
    response = ErrorResponse(error_type=ErrorType.API_ERROR, message="x", user_message="y")
    assert response.recoverable is True
    assert response.retry_after is None


def test_a_rate_limit_always_says_how_long_to_wait() -> None:
    response = ErrorResponse.of(ErrorType.RATE_LIMIT, "429")
    assert response.retry_after == 30
    assert "30 seconds" in response.user_message
    assert ErrorResponse.of(ErrorType.RATE_LIMIT, "429", retry_after=0).retry_after == 0


def test_retry_after_is_not_negative() -> None:
    with pytest.raises(ValidationError):
        ErrorResponse.of(ErrorType.RATE_LIMIT, "429", retry_after=-1)


@pytest.mark.parametrize("name", ["message", "user_message"])
def test_an_error_has_a_technical_and_a_friendly_message(name: str) -> None:
    usual = {"error_type": "api_error", "message": "x", "user_message": "y"}
    with pytest.raises(ValidationError, match="must not be empty"):
        ErrorResponse.model_validate({**usual, name: ""})


def test_an_unknown_kind_of_error_is_refused() -> None:
    with pytest.raises(ValidationError):
        ErrorResponse.model_validate(
            {"error_type": "gremlins", "message": "x", "user_message": "y"}
        )


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (AuthFailed("401"), ErrorType.AUTH_ERROR),
        (RateLimited("429", 12), ErrorType.RATE_LIMIT),
        (ApiFailed("500"), ErrorType.API_ERROR),
        (RetrievalFailed("timeout"), ErrorType.RETRIEVAL_ERROR),
        (ContextOverflow("too long"), ErrorType.CONTEXT_OVERFLOW),
    ],
)
def test_a_failed_turn_becomes_an_error_response(error: TurnError, kind: ErrorType) -> None:
    assert error.response() == ErrorResponse.of(kind, str(error), error.retry_after)


def test_a_failure_without_a_text_still_becomes_a_response() -> None:
    assert ApiFailed("").response().message == "api_error"


def test_technical_detail_is_not_shown_to_the_user() -> None:
    assert "secret.example" not in ApiFailed("secret.example refused").response().user_message


def test_invalid_input_says_what_exactly_was_wrong() -> None:
    response = InvalidInput("Please type a question.").response()
    assert response.user_message == (
        "Your question couldn't be processed. Please rephrase. Please type a question."
    )
    assert response.recoverable is False


def test_the_error_tree_is_the_drawn_one() -> None:
    for kind in (InvalidInput, AuthFailed, RateLimited, ApiFailed, RetrievalFailed):
        assert issubclass(kind, TurnError)
    for setup in (BookError, ModelFileError, IndexMismatch, StorageError):
        assert issubclass(setup, SetupError)
    assert issubclass(LibraryBusy, LecternError)
    assert issubclass(SetupError, LecternError)
    assert issubclass(TurnError, LecternError)
    assert not issubclass(IllegalTransition, LecternError)
