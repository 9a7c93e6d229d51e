"""Turns to save, and a way past our code into the file."""

import sqlite3
from pathlib import Path

from rag.domain.turn import Turn
from tests.builders import make_question, make_turn


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
