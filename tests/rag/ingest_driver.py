"""A process that builds indexes so that a test can kill it. Started by test_index_killed.py.

It imports everything once, then forks a child for each line it reads ("HOME SEED"), so that a
run costs no start-up: the child is a whole process of its own, with its own lock and engine.
"""

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from rag.embed.base import HashEmbedder, Matrix
from rag.embed.cache import VectorCache
from rag.home import Home
from rag.index import Indexer
from rag.ingest.docusaurus import Book
from rag.search.qdrant import EdgeStore
from tests.rag.books import book_of
from tests.rag.search.samples import random_chunks

CHUNKS = 300
BATCH_SECONDS = 0.004


class SlowEmbedder(HashEmbedder):
    """Takes a moment for each batch, as a model does, so that a kill can fall between two."""

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        time.sleep(BATCH_SECONDS)
        return super().embed_documents(texts)


def driver_book(seed: int) -> Book:
    """The book of a seed, with words of its own on every page."""
    book = book_of(random_chunks(CHUNKS, seed))
    told = [page.model_copy(update={"reading": f"{page.title} of {seed}"}) for page in book.pages]
    return book.model_copy(update={"pages": tuple(told)})


def ingest(home: Home, seed: int) -> None:
    """Index the book of a seed, and say when embedding is over and when all is."""

    def progress(done: int, total: int) -> None:
        if done == total:
            print("publishing", flush=True)

    book, chunks = driver_book(seed), random_chunks(CHUNKS, seed)
    with home.open_lock():
        store, cache = EdgeStore(home.index), VectorCache(home.vectors)
        report = Indexer(store, SlowEmbedder(), cache).build(book, chunks, "", progress)
        cache.close()
        store.close()
    print(f"done {report.embedded}", flush=True)


def main() -> None:
    """Fork for each line; each child's id goes out first."""
    print("ready", flush=True)
    for line in sys.stdin:
        home, seed = line.split()
        child = os.fork()
        if child == 0:
            print(f"pid {os.getpid()}", flush=True)
            ingest(Home(Path(home)), int(seed))
            os._exit(0)
        os.waitpid(child, 0)
        print("over", flush=True)


if __name__ == "__main__":
    main()
