"""What the tests of memory share."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.domain.turn import Turn
from rag.memory import Memory
from tests.builders import make_question, make_turn


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "lectern.db"


@pytest.fixture
def memory(file: Path) -> Iterator[Memory]:
    opened = Memory(f"sqlite:///{file}")
    yield opened
    opened.close()


def ask(text: str, number: int = 1, conversation: str = "c") -> Turn:
    return make_turn(number, make_question(text), conversation_id=conversation)


def raw(file: Path, statement: str) -> list[tuple[object, ...]]:
    """What SQLite itself says, past our code."""
    connection = sqlite3.connect(file)
    try:
        rows = connection.execute(statement).fetchall()
        connection.commit()
        return rows
    finally:
        connection.close()
