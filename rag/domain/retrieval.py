"""What a search found: every candidate, its scores and its fate."""

from collections.abc import Callable
from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from rag.domain.answer import Citation, shorten
from rag.domain.base import Count, Fraction, Milliseconds, Moment, NonBlank, TopK, Value, utc_now
from rag.domain.book import Chunk
from rag.domain.question import Question


class Fate(StrEnum):
    """What became of a candidate. Each has exactly one."""

    CITED = "cited"
    USED = "used"
    OVER_BUDGET = "over_budget"
    BELOW_THRESHOLD = "below_threshold"
    DUPLICATE = "duplicate"
    BEYOND_TOP_K = "beyond_top_k"

    @property
    def in_prompt(self) -> bool:
        """Whether a chunk of this fate went to the generator."""
        return self in (Fate.CITED, Fate.USED)


class RetrievedChunk(Value):
    """A chunk with its scores, ranks and fate. `similarity` alone meets the threshold."""

    chunk: Chunk
    similarity: Fraction
    lexical: float = 0.0
    fused: float = 0.0
    rerank: float | None = None
    dense_rank: int | None = None
    lexical_rank: int | None = None
    rank: int = 0
    fate: Fate = Fate.USED


class RetrievalParameters(Value):
    """How a search was made."""

    top_k: TopK = 5
    threshold: Fraction = 0.5
    lexical_weight: Fraction = 0.45
    collection_name: str = ""
    embedding_model: str = ""


class RetrievalTimings(Value):
    """Where the time of a search went."""

    embed_ms: Milliseconds = 0.0
    search_ms: Milliseconds = 0.0
    rank_ms: Milliseconds = 0.0

    @property
    def total_ms(self) -> float:
        """The whole search."""
        return self.embed_ms + self.search_ms + self.rank_ms


class Retrieval(Value):
    """Every candidate for one question, best first, and what was done with each.

    `required` is what the best similarity must reach: the threshold as the gate raised it for
    this question, because the best passages mention only `coverage` of its telling words.
    """

    question: Question
    query: NonBlank
    chunks: tuple[RetrievedChunk, ...] = ()
    parameters: RetrievalParameters = RetrievalParameters()
    total_candidates: Count = 0
    filtered_count: Count = 0
    coverage: Fraction = 1.0
    required: Fraction = 0.0
    unknown_words: tuple[str, ...] = ()
    timings: RetrievalTimings = RetrievalTimings()
    retrieved_at: Moment = Field(default_factory=utc_now)

    @model_validator(mode="after")
    def _selection_obeys_its_parameters(self) -> Self:
        used = self.used
        if len(used) > self.parameters.top_k:
            raise ValueError("more chunks were selected than top_k")
        if any(c.similarity < self.parameters.threshold for c in used):
            raise ValueError("a selected chunk lies below the threshold")
        if used and self.top_similarity < self.required:
            raise ValueError("no candidate reaches what the gate requires")
        if any(a.rank >= b.rank for a, b in zip(self.chunks, self.chunks[1:], strict=False)):
            raise ValueError("chunks must be ordered by rank")
        if len({c.chunk.chunk_id for c in self.chunks}) != len(self.chunks):
            raise ValueError("a chunk appears twice among the candidates")
        return self

    @property
    def used(self) -> tuple[RetrievedChunk, ...]:
        """The chunks that went to the generator, best first."""
        return tuple(c for c in self.chunks if c.fate.in_prompt)

    @property
    def total_tokens(self) -> int:
        """What the selected chunks cost together."""
        return sum(c.chunk.token_count for c in self.used)

    @property
    def top_similarity(self) -> float:
        """The best similarity of any candidate."""
        return max((c.similarity for c in self.chunks), default=0.0)

    def format_for_prompt(self) -> str:
        """The selected chunks as the numbered passages a model reads."""
        blocks = [passage(n, c.chunk) for n, c in enumerate(self.used, start=1)]
        return "\n\n".join(["Context from book:", *blocks])

    def trim_to_budget(self, budget: int, cost: Callable[[RetrievedChunk], int]) -> Self:
        """Give up the lowest-ranked selected chunks until the rest fits the budget."""
        left, fates = budget, {}
        for position, candidate in enumerate(self.used, start=1):
            left -= cost(candidate)
            # The first that does not fit ends the selection: a smaller, worse one never jumps it.
            if left < 0:
                over = self.used[position - 1 :]
                fates = {c.chunk.chunk_id: Fate.OVER_BUDGET for c in over}
                break
        return self.with_fates(fates)

    def with_fates(self, fates: dict[str, Fate]) -> Self:
        """The same retrieval with some candidates' fates changed."""
        chunks = tuple(
            c.model_copy(update={"fate": fates.get(c.chunk.chunk_id, c.fate)}) for c in self.chunks
        )
        # A copy is not validated by itself, and a fate can break the selection's rules.
        return type(self).model_validate(self.model_copy(update={"chunks": chunks}).__dict__)

    def citations(self) -> tuple[Citation, ...]:
        """One citation for each selected chunk, numbered as in the prompt."""
        return tuple(
            Citation.to(n, c.chunk, c.similarity, shorten(c.chunk.text))
            for n, c in enumerate(self.used, start=1)
        )


def passage(number: int, chunk: Chunk) -> str:
    """A chunk as one numbered passage of the prompt."""
    return f"[{number}] Source: {chunk.page_title} ({chunk.url})\n{chunk.text}"
