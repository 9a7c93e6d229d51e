"""Vectors are kept by content; a damaged cache starts anew, a disk that refuses is explained."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from rag.domain.errors import StorageError
from rag.embed.base import HashEmbedder, Vector
from rag.embed.cache import Key, VectorCache, vector_key


def vectors(count: int, seed: int = 0) -> dict[Key, Vector]:
    rows = np.random.default_rng(seed).random((count, 384), dtype=np.float32)
    return {f"{seed}:{n}".encode(): row for n, row in enumerate(rows)}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "vectors.db"


@pytest.fixture
def cache(path: Path) -> Iterator[VectorCache]:
    cache = VectorCache(path)
    yield cache
    cache.close()


def same(found: dict[Key, Vector], expected: dict[Key, Vector]) -> bool:
    return found.keys() == expected.keys() and all(
        np.array_equal(found[key], expected[key]) for key in expected
    )


def test_making_a_cache_touches_nothing(path: Path) -> None:
    VectorCache(path).close()
    assert not path.parent.exists()


def test_vectors_come_back_bit_by_bit_and_survive_reopening(cache: VectorCache, path: Path) -> None:
    kept = vectors(1200)
    cache.put_many(kept)
    assert same(cache.get_many([*kept, b"unknown"]), kept)
    cache.close()
    assert same(VectorCache(path).get_many(kept), kept)


def test_nothing_asked_nothing_found(cache: VectorCache) -> None:
    cache.put_many({})
    assert cache.get_many([]) == {}
    assert cache.prune([]) == 0


def test_a_key_changes_with_the_text_and_with_the_model() -> None:
    other = HashEmbedder()
    other.name = "another"
    longer = HashEmbedder()
    longer.dimensions = 128
    keys = {vector_key(e, t) for e in (HashEmbedder(), other, longer) for t in ("a", "b")}
    assert len(keys) == 6
    assert vector_key(HashEmbedder(), "a") == vector_key(HashEmbedder(), "a")


def test_pruning_forgets_all_but_what_is_kept(cache: VectorCache) -> None:
    old, new = vectors(700, seed=1), vectors(5, seed=2)
    cache.put_many(old | new)
    assert cache.prune(new.keys()) == 700
    assert same(cache.get_many(old | new), new)
    assert cache.prune(new.keys()) == 0


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 400, os.urandom(20_000)])
def test_a_file_that_is_no_cache_is_replaced(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    cache = VectorCache(path)
    kept = vectors(3)
    assert cache.get_many(kept) == {}
    cache.put_many(kept)
    assert same(cache.get_many(kept), kept)
    cache.close()


@pytest.mark.parametrize(("offset", "length"), [(50, 3000), (4000, 1)])
def test_a_cache_damaged_anywhere_never_gives_a_wrong_vector(
    path: Path, offset: int, length: int
) -> None:
    """Overwrite pages here and there: what comes back is right, or missing, never an error."""
    kept = vectors(200)
    first = VectorCache(path)
    first.put_many(kept)
    first.close()
    whole = path.read_bytes()
    for page in range(0, len(whole) // 4096, 7):
        for suffix in ("-wal", "-shm"):
            path.with_name(path.name + suffix).unlink(missing_ok=True)
        at = page * 4096 + offset
        changed = bytes(byte ^ 0x55 for byte in whole[at : at + length])
        path.write_bytes(whole[:at] + changed + whole[at + length :])
        cache = VectorCache(path)
        found = cache.get_many(kept)
        assert all(np.array_equal(found[key], kept[key]) for key in found)
        cache.put_many(kept)
        assert same(cache.get_many(kept), kept)
        cache.close()


def test_a_full_disk_is_explained_and_harms_nothing(cache: VectorCache, path: Path) -> None:
    kept = vectors(10)
    cache.put_many(kept)
    assert cache._connection is not None
    (pages,) = cache._connection.execute("PRAGMA page_count").fetchone()
    cache._connection.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StorageError, match=r"disk that holds .*vectors\.db is full"):
        cache.put_many(vectors(2000, seed=3))
    assert same(cache.get_many(kept), kept)


def test_a_read_only_file_is_explained(cache: VectorCache) -> None:
    cache.put_many(vectors(1))
    assert cache._connection is not None
    cache._connection.execute("PRAGMA query_only = 1")
    with pytest.raises(StorageError, match="read-only"):
        cache.put_many(vectors(2))


def test_a_folder_under_a_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="not a folder"):
        VectorCache(tmp_path / "file" / "vectors.db").get_many([b"key"])


def test_a_mistake_in_our_sql_is_not_blamed_on_the_disk(cache: VectorCache) -> None:
    def mistaken(db: sqlite3.Connection) -> None:
        db.execute("SELECT 1 FROM nowhere")

    with pytest.raises(sqlite3.OperationalError, match="no such table"):
        cache._run(mistaken)


def test_threads_share_a_cache(cache: VectorCache) -> None:
    everything = [vectors(50, seed) for seed in range(8)]
    together = threading.Barrier(8)

    def put(kept: dict[Key, Vector]) -> None:
        together.wait()
        cache.put_many(kept)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(put, everything))
    assert all(same(cache.get_many(kept), kept) for kept in everything)
