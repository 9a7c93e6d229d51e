"""The index is made from content: what has not changed is neither embedded nor published again."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from rag.domain.book import Chunk
from rag.domain.errors import BookError, IndexMismatch, StorageError
from rag.embed.base import HashEmbedder, Matrix
from rag.embed.cache import VectorCache
from rag.home import Home
from rag.index import Indexer, IndexReport
from rag.search.lexical import document_terms
from rag.search.qdrant import EdgeStore
from rag.search.retriever import check_model
from rag.search.store import Manifest
from tests.rag.books import book_of
from tests.rag.search.samples import chunk_of, random_chunks


class CountingEmbedder(HashEmbedder):
    """Remembers every text it was given, batch by batch."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        self.batches.append(list(texts))
        return super().embed_documents(texts)

    @property
    def texts(self) -> list[str]:
        return [text for batch in self.batches for text in batch]


class OtherEmbedder(CountingEmbedder):
    """Another model, with vectors of another length."""

    name = "another-model"
    dimensions = 32


class Shelf:
    """A library whose parts a test can look at."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.store = EdgeStore(home.index)
        self.cache = VectorCache(home.vectors)

    def ingest(
        self,
        chunks: Sequence[Chunk],
        embedder: CountingEmbedder | None = None,
        title: str = "A book",
        base_url: str = "",
    ) -> tuple[IndexReport, CountingEmbedder]:
        """Index chunks as a new process would: with nothing remembered but the files."""
        embedder = embedder or CountingEmbedder()
        indexer = Indexer(self.store, embedder, self.cache)
        return indexer.build(book_of(chunks, title), chunks, base_url), embedder

    def manifest(self) -> Manifest:
        manifest = self.store.manifest()
        assert manifest
        return manifest

    def close(self) -> None:
        self.store.close()
        self.cache.close()


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    shelf = Shelf(Home(tmp_path / "home"))
    yield shelf
    shelf.close()


def pages(**texts: Sequence[str]) -> list[Chunk]:
    """Chunks of a book whose pages have these passages."""
    return [
        chunk_of(text, f"{page}.md", n)
        for page, each in texts.items()
        for n, text in enumerate(each)
    ]


def test_a_first_run_embeds_everything_and_reports_it(shelf: Shelf) -> None:
    chunks = random_chunks(100)
    report, embedder = shelf.ingest(chunks)
    assert report == IndexReport(
        pages=10, chunks=100, embedded=100, reused=0, removed=0, unchanged=False
    )
    assert sorted(embedder.texts) == sorted(c.search_text for c in chunks)
    assert list(shelf.store.chunks()) == chunks


def test_the_manifest_says_what_was_indexed(shelf: Shelf) -> None:
    chunks = pages(one=["alpha beta", "alpha"], two=["gamma"])
    shelf.ingest(chunks, title="Robots", base_url="https://book.example")
    manifest = shelf.manifest()
    assert (manifest.title, manifest.base_url) == ("Robots", "https://book.example")
    assert (manifest.embedding_model, manifest.dimensions) == ("fake-hash-64", 64)
    assert [page.source_file for page in manifest.pages] == ["one.md", "two.md"]
    assert manifest.chunk_count == 3
    assert manifest.document_frequencies["alpha"] == 2
    assert manifest.document_frequencies["gamma"] == 1


def test_a_second_run_embeds_nothing_and_publishes_nothing(shelf: Shelf) -> None:
    chunks = random_chunks(50)
    shelf.ingest(chunks)
    pointer = (shelf.home.index / "CURRENT").read_text()
    published = shelf.manifest()
    report, embedder = shelf.ingest(chunks)
    assert report == IndexReport(
        pages=5, chunks=50, embedded=0, reused=50, removed=0, unchanged=True
    )
    assert embedder.batches == []
    assert (shelf.home.index / "CURRENT").read_text() == pointer
    assert shelf.manifest() == published


def test_the_order_in_which_chunks_come_is_no_change(shelf: Shelf) -> None:
    chunks = random_chunks(10)
    book = book_of(chunks)
    indexer = Indexer(shelf.store, CountingEmbedder(), shelf.cache)
    indexer.build(book, chunks)
    assert indexer.build(book, chunks[::-1]).unchanged


def test_a_changed_page_embeds_only_its_changed_chunks(shelf: Shelf) -> None:
    shelf.ingest(pages(one=["alpha", "beta", "gamma"], two=["delta"]))
    report, embedder = shelf.ingest(pages(one=["alpha", "beta two", "gamma"], two=["delta"]))
    assert len(embedder.texts) == 1
    assert "beta two" in embedder.texts[0]
    assert (report.embedded, report.reused, report.removed) == (1, 3, 1)
    assert [c.text for c in shelf.store.chunks()] == ["alpha", "beta two", "gamma", "delta"]


def test_a_removed_page_disappears(shelf: Shelf) -> None:
    shelf.ingest(pages(one=["alpha"], two=["beta", "gamma"]))
    report, embedder = shelf.ingest(pages(one=["alpha"]))
    assert embedder.batches == []
    assert report.removed == 2
    assert [c.text for c in shelf.store.chunks()] == ["alpha"]
    assert [page.source_file for page in shelf.manifest().pages] == ["one.md"]
    assert "beta" not in shelf.manifest().document_frequencies
    found = shelf.store.search(HashEmbedder().embed_query("beta"), document_terms("beta"), 10)
    assert {hit.chunk.text for hit in found} == {"alpha"}


def test_a_moved_page_embeds_nothing_and_is_cited_at_its_new_place(shelf: Shelf) -> None:
    shelf.ingest(pages(old=["alpha", "beta"]))
    report, embedder = shelf.ingest(pages(new=["alpha", "beta"]))
    assert embedder.batches == []
    assert (report.embedded, report.reused, report.removed, report.unchanged) == (0, 2, 2, False)
    assert {c.source_file for c in shelf.store.chunks()} == {"new.md"}


@pytest.mark.parametrize("change", [{"title": "Another"}, {"base_url": "https://new.example"}])
def test_another_title_or_address_is_published_without_embedding(
    shelf: Shelf, change: dict[str, str]
) -> None:
    chunks = random_chunks(5)
    shelf.ingest(chunks)
    report, embedder = shelf.ingest(chunks, **change)  # type: ignore[arg-type]
    assert not report.unchanged
    assert embedder.batches == []
    (name,) = change
    assert getattr(shelf.manifest(), name) == change[name]


def test_pages_that_read_otherwise_are_published_without_embedding(shelf: Shelf) -> None:
    chunks = pages(one=["alpha"], two=["beta"])
    book = book_of(chunks)
    indexer = Indexer(shelf.store, CountingEmbedder(), shelf.cache)
    indexer.build(book, chunks)
    assert shelf.store.page("two") == book.pages[1]
    boxed = book.pages[1].model_copy(update={"reading": ":::note\n\nbeta\n\n:::"})
    changed = book.model_copy(update={"pages": (book.pages[0], boxed)})
    report = indexer.build(changed, chunks)
    assert (report.unchanged, report.embedded, report.removed) == (False, 0, 0)
    assert shelf.store.page("two") == boxed
    assert indexer.build(changed, chunks).unchanged


def test_a_book_stored_in_an_earlier_way_is_stored_anew_without_embedding(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    chunks = random_chunks(20)
    with monkeypatch.context() as earlier:
        earlier.setattr("rag.index._FORMAT", 2)
        shelf.ingest(chunks)
    report, embedder = shelf.ingest(chunks)
    assert (report.unchanged, report.embedded, embedder.batches) == (False, 0, [])


def test_going_back_to_an_older_text_is_a_change(shelf: Shelf) -> None:
    first, second = random_chunks(10, seed=1), random_chunks(10, seed=2)
    for chunks in (first, second, first):
        assert not shelf.ingest(chunks)[0].unchanged
        assert list(shelf.store.chunks()) == chunks


def test_the_same_passage_twice_is_embedded_once(shelf: Shelf) -> None:
    report, embedder = shelf.ingest(pages(one=["alpha", "same"], two=["same"]))
    assert len(embedder.texts) == 2
    assert (report.chunks, report.embedded, report.reused) == (3, 2, 1)
    assert [c.text for c in shelf.store.chunks()] == ["alpha", "same", "same"]


def test_batches_are_small_and_of_like_length(shelf: Shelf) -> None:
    _, embedder = shelf.ingest(random_chunks(100))
    assert max(len(batch) for batch in embedder.batches) <= 32
    lengths = [len(text) for text in embedder.texts]
    assert lengths == sorted(lengths, reverse=True)


def test_progress_goes_from_what_is_known_to_the_end(shelf: Shelf) -> None:
    chunks = random_chunks(70)
    shelf.ingest(chunks[:40])
    seen: list[tuple[int, int]] = []
    indexer = Indexer(shelf.store, CountingEmbedder(), shelf.cache)
    indexer.build(book_of(chunks), chunks, progress=lambda *step: seen.append(step))
    assert seen == [(40, 70), (70, 70)]


def test_an_interrupted_run_resumes_after_its_last_batch(shelf: Shelf) -> None:
    class Interrupted(CountingEmbedder):
        """Ctrl-C in the third batch."""

        def embed_documents(self, texts: Sequence[str]) -> Matrix:
            if len(self.batches) == 2:
                raise KeyboardInterrupt
            return super().embed_documents(texts)

    chunks = random_chunks(100)
    with pytest.raises(KeyboardInterrupt):
        shelf.ingest(chunks, Interrupted())
    assert shelf.store.manifest() is None
    report, embedder = shelf.ingest(chunks)
    assert len(embedder.texts) == report.embedded == 100 - 64
    assert list(shelf.store.chunks()) == chunks


def test_the_cache_keeps_only_the_published_book(shelf: Shelf) -> None:
    first, second = random_chunks(20, seed=1), random_chunks(5, seed=2)
    shelf.ingest(first)
    shelf.ingest(second)
    assert shelf.cache.prune([]) == 5


def test_another_model_is_refused_for_search_with_the_way_out(shelf: Shelf) -> None:
    shelf.ingest(random_chunks(5))
    check_model(shelf.manifest(), HashEmbedder())
    with pytest.raises(IndexMismatch, match=r"fake-hash-64.*another-model.*python -m rag ingest"):
        check_model(shelf.manifest(), OtherEmbedder())


def test_another_model_may_index_the_book_again(shelf: Shelf) -> None:
    chunks = random_chunks(20)
    shelf.ingest(chunks)
    report, embedder = shelf.ingest(chunks, OtherEmbedder())
    assert report.embedded == len(embedder.texts) == 20
    check_model(shelf.manifest(), OtherEmbedder())
    assert shelf.manifest().dimensions == 32


def test_a_book_without_text_is_refused_and_the_old_one_stays(shelf: Shelf) -> None:
    shelf.ingest(random_chunks(5))
    with pytest.raises(BookError, match="'Empty' has no text"):
        shelf.ingest([], title="Empty")
    assert shelf.manifest().chunk_count == 5


def test_a_damaged_index_is_built_again_without_embedding(shelf: Shelf) -> None:
    chunks = random_chunks(20)
    shelf.ingest(chunks)
    shelf.store.close()
    version = shelf.home.index / (shelf.home.index / "CURRENT").read_text()
    (version / "manifest.json").write_text("{}")
    with pytest.raises(StorageError, match="damaged"):
        shelf.store.manifest()
    report, embedder = shelf.ingest(chunks)
    assert embedder.batches == []
    assert not report.unchanged
    assert list(shelf.store.chunks()) == chunks


def test_a_damaged_cache_costs_embedding_again_and_nothing_else(shelf: Shelf) -> None:
    chunks = random_chunks(20)
    shelf.ingest(chunks)
    shelf.close()
    shelf.home.vectors.write_bytes(b"not a database" * 1000)
    more = [*chunks, chunk_of("one more", "z.md")]
    report, _ = shelf.ingest(more)
    assert report.embedded == 21
    assert list(shelf.store.chunks()) == more
