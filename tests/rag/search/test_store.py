"""What every store must do. A new backend joins by adding itself to the `store` fixture."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from rag.domain.book import Chunk
from rag.embed.base import HashEmbedder, Vector
from rag.search.lexical import document_terms
from rag.search.qdrant import EdgeStore
from rag.search.store import Entry, Hit, SparseTerms, Store
from tests.rag.search.samples import chunk_of, entries_of, manifest_of, pages_of, random_chunks

NO_TERMS = SparseTerms([], [])
OpenStore = Callable[[], Store]


@pytest.fixture(params=["edge"])
def open_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Opens the same book again and again."""
    opened: list[Store] = []

    def open_again() -> Store:
        opened.append(EdgeStore(tmp_path / "index"))
        return opened[-1]

    yield open_again
    for store in opened:
        store.close()


@pytest.fixture
def store(open_store: OpenStore) -> Store:
    return open_store()


def put(store: Store, chunks: list[Chunk], fingerprint: str = "one") -> None:
    store.publish(manifest_of(chunks, fingerprint), entries_of(chunks), pages_of(chunks))


def query(text: str) -> tuple[Vector, SparseTerms]:
    return HashEmbedder().embed_query(text), document_terms(text)


def scores_by_hand(chunk: Chunk, vector: Vector, terms: SparseTerms) -> tuple[float, float]:
    entry = entries_of([chunk])[0]
    stored = dict(zip(*entry.terms, strict=True))
    lexical = sum(value * stored.get(term, 0.0) for term, value in zip(*terms, strict=True))
    return float(entry.vector @ vector), lexical


def test_an_empty_folder_has_no_book(store: Store) -> None:
    assert store.manifest() is None
    assert store.search(*query("robot"), 5) == []
    assert list(store.chunks()) == []
    assert store.get(["00000000-0000-0000-0000-000000000001"]) == []
    assert store.page("page-000") is None


def test_a_book_comes_back_as_it_was_published(store: Store) -> None:
    chunks = random_chunks(35)
    put(store, chunks)
    assert store.manifest() == manifest_of(chunks).model_copy(
        update={"published_at": store.manifest().published_at}  # type: ignore[union-attr]
    )
    assert list(store.chunks()) == chunks


def test_each_page_comes_back_alone_and_as_it_was(store: Store) -> None:
    chunks = random_chunks(25)
    put(store, chunks)
    pages = pages_of(chunks)
    assert len(pages) == 3
    # From the last to the first, so that no page is found by where the one before it ended.
    assert [store.page(page.chapter_id) for page in reversed(pages)] == pages[::-1]
    assert store.page("page-999") is None


def test_a_new_version_has_its_own_pages_only(open_store: OpenStore) -> None:
    store = open_store()
    put(store, random_chunks(30, seed=1), "one")
    put(store, random_chunks(10, seed=2), "two")
    assert store.page("page-000") == pages_of(random_chunks(10, seed=2))[0]
    assert store.page("page-001") is None
    store.close()
    assert open_store().page("page-000") == pages_of(random_chunks(10, seed=2))[0]


def test_a_book_survives_reopening(open_store: OpenStore) -> None:
    chunks = random_chunks(12)
    first = open_store()
    put(first, chunks)
    hits = first.search(*query("robot kinode"), 5)
    first.close()
    assert list(open_store().chunks()) == chunks
    assert open_store().search(*query("robot kinode"), 5) == hits


def test_a_closed_store_opens_again_when_used(store: Store) -> None:
    put(store, random_chunks(3))
    store.close()
    assert len(list(store.chunks())) == 3


def test_chunks_come_in_reading_order(store: Store) -> None:
    places = [("b.md", 0), ("a.md", 1), ("a.md", 0), ("a.md", 10), ("a.md", 2)]
    put(store, [chunk_of(f"text {f}{p}", f, p) for f, p in places])
    assert [(c.source_file, c.position) for c in store.chunks()] == sorted(places)


def test_get_keeps_the_order_and_leaves_out_what_is_not_there(store: Store) -> None:
    one, two, three = random_chunks(3)
    put(store, [one, two, three])
    absent = "00000000-0000-0000-0000-000000000001"
    found = store.get([three.chunk_id, absent, "no id at all", "", one.chunk_id])
    assert found == [three, one]


def test_every_hit_has_both_scores_whichever_search_found_it(store: Store) -> None:
    chunks = random_chunks(200)
    put(store, chunks)
    vector, terms = query("unique0x150 robot canode")
    hits = store.search(vector, terms, 10)
    assert {h.dense_rank is None for h in hits} == {True, False}
    assert {h.lexical_rank is None for h in hits} == {True, False}
    for hit in hits:
        similarity, lexical = scores_by_hand(hit.chunk, vector, terms)
        assert hit.similarity == pytest.approx(similarity, abs=1e-4)
        assert hit.lexical == pytest.approx(lexical, abs=1e-4)


def test_each_search_brings_its_best_ranked_from_one(store: Store) -> None:
    chunks = random_chunks(200)
    put(store, chunks)
    vector, terms = query("tibot mal robot")
    hits = store.search(vector, terms, 8)
    dense = sorted((h.dense_rank, h.similarity) for h in hits if h.dense_rank)
    lexical = sorted((h.lexical_rank, h.lexical) for h in hits if h.lexical_rank)
    expected = [scores_by_hand(chunk, vector, terms) for chunk in chunks]
    for ranked, column in ((dense, 0), (lexical, 1)):
        best = sorted((scores[column] for scores in expected), reverse=True)
        assert [rank for rank, _ in ranked] == list(range(1, 9))
        assert [score for _, score in ranked] == pytest.approx(best[:8], abs=1e-4)


def test_a_hit_is_there_once_and_hits_are_nearest_first(store: Store) -> None:
    put(store, random_chunks(50))
    hits = store.search(*query("robot tinode"), 20)
    assert len({h.chunk.chunk_id for h in hits}) == len(hits)
    assert [h.similarity for h in hits] == sorted((h.similarity for h in hits), reverse=True)


def test_without_a_shared_term_the_lexical_score_is_zero(store: Store) -> None:
    put(store, random_chunks(5))
    for terms in (NO_TERMS, document_terms("zebra")):
        hits = store.search(HashEmbedder().embed_query("robot"), terms, 3)
        assert len(hits) == 3
        assert {(h.lexical, h.lexical_rank) for h in hits} == {(0.0, None)}


def test_similarity_stays_within_zero_and_one(store: Store) -> None:
    chunks = random_chunks(2)
    away, same = (np.full(64, sign / 8, dtype=np.float32) for sign in (-1, 1))
    entries = [Entry(c, v, NO_TERMS) for c, v in zip(chunks, (away, same), strict=True)]
    store.publish(manifest_of(chunks), entries, [])
    near, far = store.search(same, NO_TERMS, 5)
    assert near.similarity == pytest.approx(1.0, abs=1e-4)
    assert near.similarity <= 1.0
    assert far.similarity == 0.0


def test_a_question_without_words_finds_nothing_similar(store: Store) -> None:
    put(store, random_chunks(3))
    hits = store.search(np.zeros(64, dtype=np.float32), NO_TERMS, 2)
    assert [h.similarity for h in hits] == [0.0, 0.0]


def test_ties_are_broken_by_chunk_id(store: Store) -> None:
    same = [chunk_of("the same robot", f"{n}.md") for n in range(30)]
    put(store, same)
    hits = store.search(*query("same robot"), 30)
    assert [h.chunk.chunk_id for h in hits] == sorted(c.chunk_id for c in same)
    assert [h.dense_rank for h in hits] == list(range(1, 31))


def test_the_order_of_publication_changes_no_result(open_store: OpenStore) -> None:
    same = [chunk_of("the same robot", f"{n}.md") for n in range(30)]
    found = []
    for chunks in (same, same[::-1]):
        store = open_store()
        put(store, chunks)
        found.append(store.search(*query("same robot"), 7))
        store.close()
    assert found[0] == found[1]


def test_limits_beyond_the_book_and_below_one(store: Store) -> None:
    put(store, random_chunks(4))
    assert len(store.search(*query("robot"), 100)) == 4
    assert store.search(*query("robot"), 0) == []


def test_an_empty_book_can_be_published_and_searched(store: Store) -> None:
    put(store, random_chunks(3))
    put(store, [], "empty")
    assert store.search(*query("robot"), 5) == []
    assert list(store.chunks()) == []


def test_two_chunks_with_one_id_are_refused_and_the_old_book_stays(store: Store) -> None:
    chunks = random_chunks(3)
    put(store, chunks)
    with pytest.raises(ValueError, match="share an id"):
        put(store, [*chunks, chunks[0]], "two")
    assert list(store.chunks()) == chunks


def test_a_new_version_replaces_the_old_one_at_once_and_wholly(open_store: OpenStore) -> None:
    store, other = open_store(), random_chunks(7, seed=2)
    put(store, random_chunks(20, seed=1), "one")
    assert len(list(store.chunks())) == 20
    put(store, other, "two")
    assert list(store.chunks()) == other
    assert {h.chunk.chunk_id for h in store.search(*query("robot"), 50)} == {
        c.chunk_id for c in other
    }
    store.close()
    assert list(open_store().chunks()) == other


def test_threads_may_search_at_the_same_time(store: Store) -> None:
    put(store, random_chunks(300))
    texts = [f"unique0x{n} robot" for n in range(100)]
    alone = [store.search(*query(text), 10) for text in texts]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda text: store.search(*query(text), 10), texts))
    assert together == alone


def test_readers_see_one_version_whole_while_others_are_published(store: Store) -> None:
    """Each version has its own words, so a mixture would show."""
    versions = {f"v{seed}": random_chunks(60, seed) for seed in range(5)}
    wholes = {name: frozenset(c.chunk_id for c in chunks) for name, chunks in versions.items()}
    put(store, versions["v0"], "v0")
    seen: list[frozenset[str]] = []
    finished = threading.Event()

    def read() -> None:
        while not finished.is_set():
            seen.append(frozenset(c.chunk_id for c in store.chunks()))
            hits: list[Hit] = store.search(*query("robot kinode"), 60)
            seen.append(frozenset(h.chunk.chunk_id for h in hits))
            assert store.manifest() is not None

    with ThreadPoolExecutor(2) as pool:
        readers = [pool.submit(read) for _ in range(2)]
        for name, chunks in versions.items():
            put(store, chunks, name)
        finished.set()
        for reader in readers:
            reader.result()
    assert set(seen) <= set(wholes.values())
    assert len(set(seen)) > 1
