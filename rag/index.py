"""From a book's chunks to a published index, embedding only what is not known yet."""

import hashlib
from collections.abc import Callable, Sequence

from rag.domain.base import Count, Value
from rag.domain.book import Chunk, Page
from rag.domain.errors import BookError, StorageError
from rag.embed.base import Embedder, Vector
from rag.embed.cache import Key, VectorCache, vector_key
from rag.ingest.docusaurus import Book, Problem, Skipped
from rag.search.lexical import document_terms, spellings, vocabulary
from rag.search.store import Entry, Manifest, PageEntry, Store

Progress = Callable[[int, int], None]
# Changed whenever the same book would be stored in another way, so that it is stored anew.
_FORMAT = 3
# What a kill can lose: one batch.
_BATCH = 32


class IndexReport(Value):
    """What a run found and did."""

    pages: Count
    chunks: Count
    embedded: Count
    reused: Count
    removed: Count
    unchanged: bool
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[Problem, ...] = ()


class Indexer:
    """Publishes a book: all of it, in one step."""

    def __init__(self, store: Store, embedder: Embedder, cache: VectorCache) -> None:
        """Take ready collaborators; nothing is opened yet."""
        self._store = store
        self._embedder = embedder
        self._cache = cache

    def build(
        self,
        book: Book,
        chunks: Sequence[Chunk],
        base_url: str = "",
        progress: Progress | None = None,
    ) -> IndexReport:
        """Publish a book, unless this very book is what is published."""
        if not chunks:
            raise BookError(f"The book {book.title!r} has no text to index.")
        manifest = self._manifest(book, chunks, base_url)
        before = self._published()
        unchanged = before is not None and before.fingerprint == manifest.fingerprint
        embedded = removed = 0
        if not unchanged:
            removed = self._count_removed(chunks) if before else 0
            embedded = self._publish(manifest, chunks, book.pages, progress or _silent)
        return IndexReport(
            pages=len(book.pages),
            chunks=len(chunks),
            embedded=embedded,
            reused=len(chunks) - embedded,
            removed=removed,
            unchanged=unchanged,
            skipped=book.skipped,
            problems=book.problems,
        )

    def _published(self) -> Manifest | None:
        try:
            return self._store.manifest()
        except StorageError:
            # A damaged index is what a new one is for; a disk that refuses will say so again.
            return None

    def _count_removed(self, chunks: Sequence[Chunk]) -> int:
        return len({c.chunk_id for c in self._store.chunks()} - {c.chunk_id for c in chunks})

    def _manifest(self, book: Book, chunks: Sequence[Chunk], base_url: str) -> Manifest:
        pages = tuple(
            PageEntry(
                source_file=page.source_file,
                chapter_id=page.chapter_id,
                module=page.module,
                title=page.title,
                route=page.route,
            )
            for page in book.pages
        )
        model = self._embedder
        parts = [str(_FORMAT), model.name, str(model.dimensions), base_url, book.title]
        parts += [page.model_dump_json() for page in book.pages]
        parts += sorted(chunk.model_dump_json() for chunk in chunks)
        return Manifest(
            title=book.title,
            fingerprint=hashlib.sha256("\0".join(parts).encode()).hexdigest(),
            embedding_model=model.name,
            dimensions=model.dimensions,
            base_url=base_url,
            pages=pages,
            chunk_count=len(chunks),
        )

    def _publish(
        self,
        manifest: Manifest,
        chunks: Sequence[Chunk],
        pages: Sequence[Page],
        progress: Progress,
    ) -> int:
        texts = {vector_key(self._embedder, c.search_text): c.search_text for c in chunks}
        vectors, embedded = self._vectors(texts, progress)
        texts_of_book = [chunk.search_text for chunk in chunks]
        lexicon = {
            "document_frequencies": vocabulary(texts_of_book),
            "spellings": spellings(texts_of_book),
        }
        self._store.publish(
            manifest.model_copy(update=lexicon),
            (
                Entry(
                    chunk,
                    vectors[vector_key(self._embedder, chunk.search_text)],
                    document_terms(chunk.search_text),
                )
                for chunk in chunks
            ),
            pages,
        )
        self._cache.prune(texts.keys())
        return embedded

    def _vectors(self, texts: dict[Key, str], progress: Progress) -> tuple[dict[Key, Vector], int]:
        """Every text's vector, and how many had to be made; each batch is kept as it comes."""
        vectors = self._cache.get_many(texts)
        # Texts of one length pad each other least; the slowest go first, so that a progress bar
        # never slows down.
        missing = sorted(texts.keys() - vectors.keys(), key=lambda key: (-len(texts[key]), key))
        progress(len(vectors), len(texts))
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            rows = self._embedder.embed_documents([texts[key] for key in batch])
            made = dict(zip(batch, rows, strict=True))
            self._cache.put_many(made)
            vectors.update(made)
            progress(len(vectors), len(texts))
        return vectors, len(missing)


def _silent(done: int, total: int) -> None:
    """Progress that nobody watches."""
