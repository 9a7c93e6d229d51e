"""Ingest killed with SIGKILL at random moments: whatever was published stays whole."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rag.embed.base import HashEmbedder
from rag.home import Home
from rag.search.lexical import document_terms
from rag.search.qdrant import EdgeStore
from tests.rag.ingest_driver import CHUNKS, driver_book
from tests.rag.search.samples import random_chunks

KILLS = 20


class Run(NamedTuple):
    """How a run went: when embedding was over and when all was, in seconds, if they were."""

    publishing: float | None
    done: float | None
    embedded: int


class Driver:
    """A process that forks one ingest after another."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.rag.ingest_driver"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[2],
        )
        assert self._line() == ["ready"]

    def _line(self) -> list[str]:
        assert self._process.stdout
        return self._process.stdout.readline().split()

    def ingest(self, home: Home, seed: int, kill_at: str = "", after: float = 0.0) -> Run:
        """One ingest, killed `after` seconds from its "start" or from when it is "publishing"."""
        assert self._process.stdin
        self._process.stdin.write(f"{home.path} {seed}\n")
        self._process.stdin.flush()
        _, child = self._line()
        started = time.monotonic()
        killer = threading.Timer(after, os.kill, (int(child), signal.SIGKILL))
        if kill_at == "start":
            killer.start()
        publishing = done = None
        embedded = 0
        while (line := self._line()) != ["over"]:
            if line[0] == "publishing":
                publishing = time.monotonic() - started
                if kill_at == "publishing":
                    killer.start()
            else:
                done = time.monotonic() - started
                embedded = int(line[1])
        killer.cancel()
        if killer.ident:
            killer.join()
        return Run(publishing, done, embedded)

    def stop(self) -> None:
        """End the driver; it has no child by now."""
        with self._process:
            assert self._process.stdin
            self._process.stdin.close()


@pytest.fixture
def driver() -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.stop()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def whole_version(home: Home, seeds: set[int]) -> int | None:
    """Which of these books is published, with every chunk there once."""
    with home.open_lock():
        store = EdgeStore(home.index)
        manifest, chunks = store.manifest(), list(store.chunks())
        pages = [store.page(page.chapter_id) for page in manifest.pages] if manifest else []
        store.close()
    if manifest is None:
        return None
    assert manifest.chunk_count == len(chunks) == CHUNKS
    (seed,) = (seed for seed in seeds if random_chunks(CHUNKS, seed) == chunks)
    assert pages == list(driver_book(seed).pages)
    return seed


def check_scores(home: Home) -> None:
    """Chunks have their own vectors and their own terms; every third is looked at."""
    store = EdgeStore(home.index)
    chunks = list(store.chunks())[::3]
    vectors = HashEmbedder().embed_documents([c.search_text for c in chunks])
    for chunk, vector in zip(chunks, vectors, strict=True):
        terms = document_terms(chunk.search_text)
        mine = next(h for h in store.search(vector, terms, 3) if h.chunk == chunk)
        assert mine.similarity == pytest.approx(1.0, abs=1e-4)
        assert mine.lexical == pytest.approx(sum(value**2 for value in terms.values))
    store.close()


def versions(home: Home) -> int:
    return sum(path.is_dir() for path in home.index.iterdir())


def test_killed_at_random_moments_the_index_stays_whole_and_the_next_run_completes_it(
    driver: Driver, home: Home
) -> None:
    """One home through it all, so that each kill meets the leftovers of the ones before."""
    dice = random.Random(7)
    usual = driver.ingest(home, 0)
    killed, resumed = 0, 0
    for seed in range(1, 4 * KILLS):
        assert usual.publishing
        assert usual.done
        # Publishing is a small part of a run, and where most can go wrong: half the kills go there.
        if seed % 2:
            run = driver.ingest(home, seed, "start", dice.uniform(0, usual.done))
        else:
            room = usual.done - usual.publishing
            run = driver.ingest(home, seed, "publishing", dice.uniform(0, room))
        survivor = whole_version(home, {seed - 1, seed})
        assert survivor in ({seed} if run.done else {seed - 1, seed})
        again = driver.ingest(home, seed)
        assert whole_version(home, {seed}) == seed
        check_scores(home)
        if run.done:
            usual = run  # too fast for this kill: the machine is less busy than it was
        killed += run.done is None
        resumed += again.embedded < CHUNKS
        if killed == KILLS:
            break
    assert killed == KILLS
    assert resumed >= KILLS // 3
    driver.ingest(home, 4 * KILLS)
    assert versions(home) == 1


def test_killed_on_the_very_first_run(driver: Driver, home: Home) -> None:
    dice = random.Random(3)
    for n in range(5):
        fresh = Home(home.path / str(n))
        driver.ingest(fresh, 1, "publishing", dice.uniform(0, 0.1))
        assert whole_version(fresh, {1}) in (None, 1)
        assert driver.ingest(fresh, 1).embedded == 0
        assert whole_version(fresh, {1}) == 1
        check_scores(fresh)
