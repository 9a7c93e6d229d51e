"""What people type about their conversations: titles, comments, words to search for."""

import unicodedata

from rag.domain.answer import shorten
from rag.domain.errors import InvalidInput
from rag.domain.question import MAX_QUESTION_CHARS

MAX_TITLE_CHARS = 120
MAX_COMMENT_CHARS = 1000
# A title nobody chose is short enough for one line of a narrow list.
_MAX_FIRST_TITLE_CHARS = 60


def first_title(question: str) -> str:
    """A question as a title: one line, cut at a word."""
    line = _one_line(question)
    short = shorten(line, _MAX_FIRST_TITLE_CHARS - 1)
    return line if len(line) <= _MAX_FIRST_TITLE_CHARS else short + "…"


def checked_title(typed: str) -> str:
    """A title as one line, or InvalidInput that says what to change."""
    title = _one_line(typed)
    if not title:
        raise InvalidInput("Please type a title.")
    if len(title) > MAX_TITLE_CHARS:
        raise InvalidInput(
            f"The title has {len(title)} characters; at most {MAX_TITLE_CHARS} are allowed."
        )
    if not _can_be_stored(title):
        raise InvalidInput("The title contains control characters; please type it again.")
    return title


def checked_comment(typed: str) -> str:
    """A comment without the space around it, or InvalidInput that says what to change."""
    comment = typed.strip()
    if len(comment) > MAX_COMMENT_CHARS:
        raise InvalidInput(
            f"The comment has {len(comment)} characters; at most {MAX_COMMENT_CHARS} are allowed."
        )
    if not _can_be_stored(comment):
        raise InvalidInput("The comment contains control characters; please type it again.")
    return comment


def searchable(typed: str) -> str | None:
    """The words to search for as one line; None where nothing stored can hold them."""
    wanted = _one_line(typed)
    return wanted if len(wanted) <= MAX_QUESTION_CHARS and _can_be_stored(wanted) else None


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _can_be_stored(text: str) -> bool:
    """Whether a text has only what a keyboard types: as a question, so that a database takes it."""
    return all(unicodedata.category(c) not in ("Cc", "Cs") or c in "\t\n\r" for c in text)
