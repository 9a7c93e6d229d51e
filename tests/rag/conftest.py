"""A real database in a file of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.memory import Memory


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lectern.db"


@pytest.fixture
def memory(file: Path) -> Iterator[Memory]:
    opened = Memory(f"sqlite:///{file}")
    yield opened
    opened.close()
