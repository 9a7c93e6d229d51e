"""What the whole suite shares: the bundled book, indexed once with the real model."""

import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from rag.build import Library
from rag.settings import Settings, load_settings

# How long an example takes says more about the machine than about the code.
hypothesis_settings.register_profile("lectern")
hypothesis_settings.load_profile("lectern")

ROOT = Path(__file__).parents[1]
BUNDLED_BOOK = ROOT / "textbook" / "docs"
GOLDEN = ROOT / "textbook" / "questions.jsonl"
SHARED_BOOKS = ROOT.parent / "shared" / "books"


@pytest.fixture(scope="session")
def indexed_home(request: pytest.FixtureRequest) -> Path:
    """A home with the bundled book in it; kept between runs, so that only changes are embedded."""
    cache = request.config.cache
    assert cache is not None
    folder = Path(cache.mkdir("lectern"))
    home = folder / "home"
    # Several runs, and the workers of one, take turns: a library belongs to one process.
    with (folder / "turn").open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        with Library(load_settings(home=home)) as library:
            library.ingest(BUNDLED_BOOK)
    return home


@pytest.fixture
def bundled_home(indexed_home: Path, tmp_path: Path) -> Path:
    """A copy of that home that a test may open, write to and throw away."""
    copy = tmp_path / "bundled-home"
    shutil.copytree(indexed_home, copy)
    return copy


@pytest.fixture
def settings(bundled_home: Path) -> Settings:
    """Settings of a library that holds the bundled book."""
    return load_settings(home=bundled_home)


@pytest.fixture
def library(settings: Settings) -> Iterator[Library]:
    """A library that holds the bundled book."""
    with Library(settings) as opened:
        yield opened
