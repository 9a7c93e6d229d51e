"""The only place that names providers: Settings become a library with its tutor."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import URL

from rag.domain.agent import AgentConfig
from rag.domain.book import Chunk, Page
from rag.embed.base import Embedder
from rag.embed.cache import VectorCache
from rag.embed.words import english_rarity
from rag.generate.extractive import ExtractiveGenerator
from rag.home import Home
from rag.index import Indexer, IndexReport
from rag.ingest.chunking import chunk_book
from rag.ingest.docusaurus import read_book
from rag.memory import Memory
from rag.search.qdrant import EdgeStore
from rag.search.retriever import Retriever
from rag.search.store import Manifest
from rag.settings import Settings
from rag.tutor import Tutor

Progress = Callable[[int, int], None]


class Engines(NamedTuple):
    """What does the work, by name."""

    embedding: str
    search: str
    answers: str


class Library:
    """One home with one book in it, claimed for this process until it is closed."""

    def __init__(self, settings: Settings) -> None:
        """Claim the home and put the parts together; models and files open at first use."""
        self.settings = settings
        self.home = Home(settings.home)
        self.embedder = choose_embedder(settings)
        self.store = EdgeStore(self.home.index)
        self.memory = Memory(URL.create("sqlite", database=str(self.home.database)))
        self.retriever = Retriever(self.store, self.embedder, english_rarity)
        self.tutor = Tutor(
            self.retriever,
            ExtractiveGenerator(self.retriever.score_sentences),
            self.memory,
            choose_config(settings, self.embedder),
        )
        # Last, so that nothing above can fail with the home claimed.
        self._lock = self.home.open_lock()

    @property
    def engines(self) -> Engines:
        """Which engines embed, search and answer."""
        return Engines(self.embedder.name, self.store.name, self.tutor.generator.name)

    def manifest(self) -> Manifest | None:
        """The published book, or None in an empty library."""
        return self.store.manifest()

    def ingest(
        self, folder: Path, base_url: str = "", progress: Progress | None = None
    ) -> IndexReport:
        """Read a book and publish it in place of the one that was here."""
        book = read_book(folder)
        chunks = chunk_book(book.pages, base_url=base_url, fits=self._fits)
        cache = VectorCache(self.home.vectors)
        try:
            return Indexer(self.store, self.embedder, cache).build(book, chunks, base_url, progress)
        finally:
            cache.close()

    def _fits(self, text: str) -> bool:
        return self.embedder.fits(text)

    def ensure_book(self, progress: Progress | None = None) -> IndexReport | None:
        """Index the settings' book where the library is empty."""
        if self.manifest() is not None:
            return None
        return self.ingest(self.settings.book, progress=progress)

    def chunks(self) -> list[Chunk]:
        """Every chunk of the book, in reading order."""
        return list(self.store.chunks())

    def page(self, chapter_id: str) -> Page | None:
        """One page of the book for a reader, or None where there is none of this id."""
        return self.store.page(chapter_id)

    def close(self) -> None:
        """Let go of every file, and of the home."""
        self.store.close()
        self.memory.close()
        self._lock.release()

    def __enter__(self) -> "Library":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def choose_embedder(settings: Settings) -> Embedder:
    """The local model that comes with the requirements, or one in a folder of the user's."""
    from rag.embed.local import LocalEmbedder, bundled_embedder

    if settings.embedding_folder is None:
        return bundled_embedder()
    return LocalEmbedder(settings.embedding_folder)


def choose_config(settings: Settings, embedder: Embedder) -> AgentConfig:
    """How questions are answered by default."""
    threshold = embedder.threshold if settings.threshold is None else settings.threshold
    return AgentConfig(
        # Quoting has no temperature: the same passages give the same answer.
        temperature=0.0,
        top_k=settings.top_k,
        threshold=threshold,
        lexical_weight=settings.lexical_weight,
    )
