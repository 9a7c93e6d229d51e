"""Turns to save, many at once, and a way past our code into the file."""

import sqlite3
from datetime import timedelta
from pathlib import Path

import sqlalchemy as sa

from rag.domain.turn import Turn
from rag.memory import Memory, rows, schema
from tests.builders import NOON, make_question, make_turn


def ask(text: str, number: int = 1, conversation: str = "c") -> Turn:
    return make_turn(number, make_question(text), conversation_id=conversation)


def fill(
    memory: Memory, conversations: int, turns: int, owner: str = "ada", prefix: str = "c"
) -> None:
    """Many conversations of many turns, in one transaction; the last is the most recent."""
    like = rows.row_of(ask("What is a node?"))
    with memory._transaction(writes=True) as connection:
        for n in range(conversations):
            name, moment = f"{prefix}-{n}", NOON + timedelta(minutes=n)
            row = {"id": name, "owner": owner, "title": f"Title {n}"}
            times = {"started_at": moment, "updated_at": moment}
            connection.execute(sa.insert(schema.conversations).values(**row, **times))
            asked = [
                {**like, "id": f"{name}-{m}", "conversation_id": name, "number": m}
                for m in range(1, turns + 1)
            ]
            connection.execute(sa.insert(schema.turns), asked)


def raw(file: Path, statement: str) -> list[tuple[object, ...]]:
    """What SQLite itself says, past our code."""
    connection = sqlite3.connect(file)
    try:
        found = connection.execute(statement).fetchall()
        connection.commit()
        return found
    finally:
        connection.close()
