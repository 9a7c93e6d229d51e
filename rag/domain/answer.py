"""An answer: its citations, how far to trust it, and what it cost."""

import re
from enum import StrEnum
from typing import Annotated, Literal, Self
from urllib.parse import quote as percent_encoded

from pydantic import Field, field_validator, model_validator

from rag.domain.base import Count, Fraction, Milliseconds, Moment, NonBlank, Value, utc_now
from rag.domain.book import Address, Chunk
from rag.domain.errors import ErrorResponse

MAX_QUOTE_CHARS = 200
REFUSAL_PHRASE = "I don't have information"
_ENTITY = re.compile(r"&(?=#?\w+;)")
_IN_LINK_TEXT = re.compile(rf"[\\\[\]`*_<|~$]|{_ENTITY.pattern}")
_ENDS_ADDRESS = re.compile(r"[\s()<>\"`\\|]")


def shorten(text: str, limit: int = MAX_QUOTE_CHARS) -> str:
    """The beginning of a text, cut at a word, without a mark: a quote stays verbatim."""
    text = text.strip()
    if len(text) <= limit:
        return text
    cut = text[:limit]
    return (cut.rsplit(None, 1)[0] if " " in cut else cut).rstrip()


class Citation(Value):
    """A numbered pointer into the book, with the words it rests on."""

    index: Annotated[int, Field(ge=1)]
    title: NonBlank
    heading: str = ""
    url: Address
    chunk_id: NonBlank
    score: Fraction = 0.0
    quote: Annotated[str, Field(max_length=MAX_QUOTE_CHARS)] = ""
    module: str = ""
    chapter_id: str = ""
    position: Count = 0
    page_number: int | None = None

    @field_validator("heading", mode="before")
    @classmethod
    def _read_no_heading(cls, heading: object) -> object:
        return "" if heading is None else heading

    @classmethod
    def to(cls, index: int, chunk: Chunk, score: float, quote: str) -> "Citation":
        """A citation of a chunk."""
        return cls(
            index=index,
            title=chunk.page_title,
            heading="" if chunk.heading == chunk.page_title else chunk.heading,
            url=chunk.url,
            chunk_id=chunk.chunk_id,
            score=score,
            quote=quote,
            module=chunk.module,
            chapter_id=chunk.chapter_id,
            position=chunk.position,
            page_number=chunk.page_number,
        )

    @property
    def label(self) -> str:
        """Title and heading as one line."""
        return f"{self.title} - {self.heading}" if self.heading else self.title

    def as_link(self, address: str = "") -> str:
        """The Markdown link that exports write; to another address than its own if one is given."""
        return self._link(self.label, address or self.url)

    def __str__(self) -> str:
        """The source form of seed documents."""
        return self._link(f"Source: {self.title}", self.url)

    def _link(self, text: str, address: str) -> str:
        # A title is text of the book: nothing in it may end the link, or be a tag, code or a cell.
        shown = _IN_LINK_TEXT.sub(r"\\\g<0>", " ".join(text.split()))
        target = _ENDS_ADDRESS.sub(lambda sign: percent_encoded(sign.group()), address)
        return f"[{shown}]({_ENTITY.sub('&amp;', target)})"


WEIGHTS = {"retrieval_quality": 0.35, "coverage": 0.25, "entailment": 0.25, "lexical_overlap": 0.15}


class Confidence(Value):
    """How far an answer can be trusted, from four measured factors."""

    retrieval_quality: Fraction = 0.0
    coverage: Fraction = 0.0
    entailment: Fraction = 0.0
    lexical_overlap: Fraction = 0.0

    @property
    def overall(self) -> float:
        """The weighted mean of the factors."""
        return round(sum(w * float(getattr(self, name)) for name, w in WEIGHTS.items()), 4)

    @property
    def level(self) -> Literal["high", "medium", "low"]:
        """The overall value in a word."""
        return "high" if self.overall >= 0.8 else "medium" if self.overall >= 0.6 else "low"


class ResponseStatus(StrEnum):
    """How a turn ended."""

    SUCCESS = "success"
    INSUFFICIENT_CONTEXT = "insufficient_context"
    ERROR = "error"


class AnswerSource(StrEnum):
    """Where an answer comes from. Only the book's answers carry citations."""

    BOOK = "book"
    CONVERSATION = "conversation"
    GREETING = "greeting"


class Timings(Value):
    """Where the time of a turn went."""

    retrieval_ms: Milliseconds = 0.0
    generation_ms: Milliseconds = 0.0
    total_ms: Milliseconds = 0.0


class AgentResponse(Value):
    """The answer to one question, or why there is none."""

    question_id: NonBlank
    status: ResponseStatus
    source: AnswerSource = AnswerSource.BOOK
    answer: str = ""
    grounded: bool = False
    citations: tuple[Citation, ...] = ()
    nearest: tuple[Citation, ...] = ()
    dropped_markers: Count = 0
    confidence: Confidence = Confidence()
    retrieval_count: Count = 0
    model_used: NonBlank = "extractive"
    temperature: Fraction = 0.0
    tokens_used: Count = 0
    timings: Timings = Timings()
    timestamp: Moment = Field(default_factory=utc_now)
    error: ErrorResponse | None = None

    @property
    def has_relevant_context(self) -> bool:
        """Whether the book had something to say."""
        return self.grounded

    @model_validator(mode="after")
    def _says_what_its_status_promises(self) -> Self:
        if self.status is ResponseStatus.ERROR:
            if self.error is None:
                raise ValueError("an error response needs its error")
            if self.grounded or self.citations:
                raise ValueError("an error response is not grounded and cites nothing")
            return self
        if self.error is not None:
            raise ValueError("only an error response carries an error")
        if not self.answer.strip():
            raise ValueError("an answer must not be empty")
        if self.source is AnswerSource.BOOK:
            self._check_book_answer()
        elif self.citations or self.grounded:
            raise ValueError("only an answer from the book is grounded and cited")
        return self

    def _check_book_answer(self) -> None:
        if self.grounded != (self.status is ResponseStatus.SUCCESS):
            raise ValueError("a book answer is grounded exactly when it succeeded")
        if self.grounded and not self.citations:
            raise ValueError("a grounded answer needs citations")
        if self.grounded and self.tokens_used == 0:
            raise ValueError("a generated answer used tokens")
        if not self.grounded and self.citations:
            raise ValueError("a refusal has no citations")
        if not self.grounded and REFUSAL_PHRASE not in self.answer:
            raise ValueError(f"a refusal must say {REFUSAL_PHRASE!r}")
        for citation in self.citations:
            if not re.search(rf"\[{citation.index}\]", self.answer):
                raise ValueError(f"citation [{citation.index}] does not appear in the answer")
