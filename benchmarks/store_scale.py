"""How a search grows with the book: 1,000 against 20,000 chunks, beside a bare numpy product.

    python -m benchmarks.store_scale [--dimensions 384] [--limit 30]

The two sizes are measured in turn, many times, so that a busy machine disturbs both alike.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

import numpy as np

from rag.domain.book import Chunk
from rag.embed.base import Matrix, Vector
from rag.search.qdrant import EdgeStore
from rag.search.store import Entry, Manifest, SparseTerms

SIZES = (1_000, 20_000)
TERMS = 60
VOCABULARY = 30_000
ROUNDS = 300
DICE = np.random.default_rng(0)


class Book(NamedTuple):
    store: EdgeStore
    matrix: Matrix


def random_terms(count: int) -> SparseTerms:
    """Distinct terms, as unevenly spread as words are."""
    drawn = np.unique((DICE.pareto(1.0, count * 2) * 20).astype(np.int64) % VOCABULARY)
    kept = DICE.permutation(drawn)[:count]
    return SparseTerms(kept.tolist(), (DICE.random(len(kept)) + 0.5).tolist())


def make_chunk(n: int) -> Chunk:
    """A chunk as long as a real one."""
    return Chunk(
        chunk_id=str(UUID(int=n)),
        text=" ".join(f"word{w}" for w in DICE.integers(0, VOCABULARY, 200)),
        source_file=f"module-{n // 500}/page-{n // 20}.md",
        chapter_id=f"module-{n // 500}/page-{n // 20}",
        module=f"Module {n // 500}",
        page_title="A page",
        heading_path=("A page", "A heading"),
        anchors=("a-heading",),
        url=f"https://book.example/docs/page-{n // 20}#a-heading",
        position=n % 20,
        token_count=300,
        content_hash=f"{n:064}",
    )


def make_book(folder: Path, size: int, dimensions: int) -> Book:
    """Publish a random book, and say how long that took."""
    matrix = DICE.normal(size=(size, dimensions)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    entries = [Entry(make_chunk(n), row, random_terms(TERMS)) for n, row in enumerate(matrix)]
    manifest = Manifest(
        title="Random",
        fingerprint="random",
        embedding_model="random",
        dimensions=dimensions,
        chunk_count=size,
    )
    store = EdgeStore(folder)
    started = time.perf_counter()
    store.publish(manifest, entries, [])
    published = time.perf_counter()
    store.close()
    store.manifest()
    opened = time.perf_counter()
    taken = sum(path.stat().st_blocks * 512 for path in folder.rglob("*"))
    print(
        f"{size:>6} chunks: published in {published - started:.2f} s, "
        f"opened in {(opened - published) * 1000:.0f} ms, {taken / 1e6:.0f} MB on disk"
    )
    return Book(store, matrix)


def recall(book: Book, limit: int) -> float:
    """The share of the truly nearest chunks that a search ranks among its nearest."""
    shares = []
    for _ in range(50):
        query = nearby(book.matrix)
        truth = {str(UUID(int=int(n))) for n in np.argsort(-(book.matrix @ query))[:limit]}
        hits = book.store.search(query, SparseTerms([], []), limit)
        shares.append(len(truth & {hit.chunk.chunk_id for hit in hits}) / limit)
    return statistics.fmean(shares)


def nearby(matrix: Matrix) -> Vector:
    """A question near some chunk."""
    drawn: Vector = matrix[DICE.integers(len(matrix))]
    noisy = drawn + DICE.normal(size=drawn.shape).astype(np.float32) * np.float32(0.05)
    unit: Vector = noisy / np.linalg.norm(noisy)
    return unit


def milliseconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def main() -> None:
    """Measure both sizes in turn and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dimensions", type=int, default=384)
    parser.add_argument("--limit", type=int, default=30)
    options = parser.parse_args()
    limit = options.limit
    with tempfile.TemporaryDirectory() as folder:
        books = [make_book(Path(folder) / str(n), n, options.dimensions) for n in SIZES]
        times: dict[str, list[list[float]]] = {"store.search": [[], []], "numpy product": [[], []]}
        for _ in range(ROUNDS):
            terms = random_terms(8)
            for n, (store, matrix) in enumerate(books):
                query = nearby(matrix)
                times["store.search"][n].append(
                    milliseconds(lambda: store.search(query, terms, limit))  # noqa: B023
                )
                times["numpy product"][n].append(
                    milliseconds(lambda: np.argpartition(-(matrix @ query), limit)[:limit])  # noqa: B023
                )
        print(f"{'median of ' + str(ROUNDS):<16} {SIZES[0]:>9,} {SIZES[1]:>9,}   ratio")
        for name, (small, large) in times.items():
            a, b = statistics.median(small), statistics.median(large)
            print(f"{name:<16} {a:>6.2f} ms {b:>6.2f} ms   {b / a:.2f}")
        print(f"recall@{limit} at {SIZES[1]:,}: {recall(books[1], limit):.4f}")
        for book in books:
            book.store.close()


if __name__ == "__main__":
    main()
