"""A question as it was asked."""

import unicodedata
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationError

from rag.domain.base import Fraction, Moment, TopK, Value, new_id, utc_now
from rag.domain.errors import InvalidInput

MAX_QUESTION_CHARS = 2000
MAX_PASSAGE_CHARS = 2000


def _clean(text: str) -> str:
    """Trim, and refuse what no keyboard types: control characters but for tab and newline."""
    trimmed = text.strip()
    if not trimmed:
        raise ValueError("Please type a question.")
    if len(trimmed) > MAX_QUESTION_CHARS:
        raise ValueError(
            f"The question has {len(trimmed)} characters; at most {MAX_QUESTION_CHARS} are allowed."
        )
    if _has_control_characters(trimmed):
        raise ValueError("The question contains control characters; please type it again.")
    return trimmed


def _passage(text: str) -> str:
    """Refuse a passage that is too long, or that no page of a book shows."""
    if len(text) > MAX_PASSAGE_CHARS:
        raise ValueError(
            f"The passage has {len(text)} characters; at most {MAX_PASSAGE_CHARS} are allowed. "
            "Please choose a shorter one."
        )
    if _has_control_characters(text):
        raise ValueError("The passage contains control characters; please choose another one.")
    return text


def _has_control_characters(text: str) -> bool:
    # Cs: half a character, what a terminal makes of bytes that are not UTF-8; JSON has no such.
    return any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\t\n\r" for c in text)


class Question(Value):
    """What a learner asked, with the search parameters it was asked with.

    `passage` is the text it was asked about; empty if it was asked of the whole book.
    """

    text: Annotated[str, AfterValidator(_clean)]
    passage: Annotated[str, AfterValidator(_passage)] = ""
    id: str = Field(default_factory=new_id)
    timestamp: Moment = Field(default_factory=utc_now)
    top_k: TopK = 5
    threshold: Fraction = 0.5
    metadata: dict[str, Any] = Field(default_factory=dict)

    @classmethod
    def ask(cls, text: str, top_k: int, threshold: float, passage: str = "") -> "Question":
        """A validated question, or InvalidInput that says in words what to change."""
        try:
            return cls(text=text, top_k=top_k, threshold=threshold, passage=passage)
        except ValidationError as error:
            raise InvalidInput(_in_words(error)) from error


def _in_words(error: ValidationError) -> str:
    """The first thing that was wrong, as a sentence."""
    first = error.errors()[0]
    field = first["loc"][0] if first["loc"] else ""
    if field == "top_k":
        return f"top_k is the number of passages, from 1 to 20; it was {first['input']}."
    if field == "threshold":
        return f"The threshold is a similarity from 0 to 1; it was {first['input']}."
    return str(first["msg"]).removeprefix("Value error, ")
