"""What a vector store must offer, and what a published book says about itself."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, NamedTuple, Protocol

from pydantic import Field

from rag.domain.base import Count, Moment, NonBlank, Value, utc_now
from rag.domain.book import Chunk, Page
from rag.embed.base import Vector


class SparseTerms(NamedTuple):
    """A bag of weighted terms, each term a stable 32-bit number."""

    indices: list[int]
    values: list[float]


class Entry(NamedTuple):
    """A chunk as it is stored: its text and place, its vector, its terms."""

    chunk: Chunk
    vector: Vector
    terms: SparseTerms


class Hit(NamedTuple):
    """A candidate: its cosine similarity, its lexical score, and its rank in each search."""

    chunk: Chunk
    similarity: float
    lexical: float
    dense_rank: int | None
    lexical_rank: int | None


class PageEntry(Value):
    """A page of the book in the table of contents."""

    source_file: NonBlank
    chapter_id: NonBlank
    module: str
    title: NonBlank
    route: str


class Manifest(Value):
    """What a published book says about itself. The vocabulary serves spelling and rarity."""

    title: NonBlank
    fingerprint: NonBlank
    embedding_model: NonBlank
    dimensions: Annotated[int, Field(gt=0)]
    base_url: str = ""
    pages: tuple[PageEntry, ...] = ()
    chunk_count: Count
    document_frequencies: dict[str, int] = Field(default_factory=dict)
    spellings: tuple[str, ...] = ()
    published_at: Moment = Field(default_factory=utc_now)

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules in reading order."""
        return tuple(dict.fromkeys(page.module for page in self.pages if page.module))

    @property
    def topics(self) -> tuple[str, ...]:
        """What the book covers, in a dozen names: its modules, or its first pages' titles."""
        return self.modules if len(self.modules) > 2 else tuple(p.title for p in self.pages[:12])


class Store(Protocol):
    """Holds one book. A reader sees one published version whole, or the next one whole."""

    @property
    def name(self) -> str:
        """What people call the engine."""

    @property
    def collection_name(self) -> str:
        """What the collection is called."""

    def manifest(self) -> Manifest | None:
        """The published book, or None where there is none yet."""

    def publish(self, manifest: Manifest, entries: Iterable[Entry], pages: Sequence[Page]) -> None:
        """Put a whole new version in the old one's place, at once."""

    def search(self, vector: Vector, terms: SparseTerms, limit: int) -> list[Hit]:
        """The best `limit` chunks by similarity and the best `limit` by terms, each once."""

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk, in reading order: the table of contents, then position."""

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks of these ids that exist, in the order asked for."""

    def page(self, chapter_id: str) -> Page | None:
        """One page for a reader; a BookError where the book was published without its pages."""

    def close(self) -> None:
        """Let go of the folder or the connection."""
