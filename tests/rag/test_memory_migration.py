"""A database of version 1, opened by this Lectern: nothing is lost, whenever it is killed."""

import signal
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
import sqlalchemy as sa

from rag.domain.answered import Rating
from rag.domain.turn import Turn
from rag.memory import SCHEMA_VERSION, Memory
from tests.conftest import ROOT
from tests.rag.memory_samples import ask, raw

# As version 1 wrote it.
VERSION_1 = """
CREATE TABLE schema_version (version INTEGER NOT NULL, PRIMARY KEY (version));
CREATE TABLE conversations (
    id VARCHAR NOT NULL, owner VARCHAR NOT NULL, title TEXT NOT NULL,
    started_at DATETIME NOT NULL, updated_at DATETIME NOT NULL, PRIMARY KEY (id)
);
CREATE INDEX ix_conversations_owner ON conversations (owner);
CREATE TABLE turns (
    id VARCHAR NOT NULL, conversation_id VARCHAR NOT NULL, number INTEGER NOT NULL,
    question TEXT NOT NULL, status VARCHAR NOT NULL, confidence FLOAT NOT NULL,
    created_at DATETIME NOT NULL, body BLOB NOT NULL, PRIMARY KEY (id),
    UNIQUE (conversation_id, number),
    FOREIGN KEY(conversation_id) REFERENCES conversations (id)
);
INSERT INTO schema_version VALUES (1);
INSERT INTO conversations VALUES
    ('a', 'ada', 'Of nodes', '2025-12-12 12:00:00.000000', '2025-12-12 12:05:00.000000'),
    ('b', 'bob', 'Of topics', '2025-12-13 09:00:00.000000', '2025-12-13 09:00:00.000000');
"""
TURNS = [ask("What is a node?", 1, "a"), ask("And a graph?", 2, "a"), ask("A topic?", 1, "b")]
STATEMENTS = 6  # of the migration, the new version number among them


@pytest.fixture
def old(file: Path) -> Path:
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(VERSION_1)
    for turn in TURNS:
        connection.execute(
            "INSERT INTO turns VALUES (?, ?, ?, ?, 'success', 0.871, ?, ?)",
            (
                turn.id,
                turn.conversation_id,
                turn.number,
                turn.question.text,
                turn.timestamp.strftime("%Y-%m-%d %H:%M:%S.%f"),
                zlib.compress(_body_of_version_1(turn)),
            ),
        )
    connection.commit()
    connection.close()
    return file


def _body_of_version_1(turn: Turn) -> bytes:
    """Questions were not asked about a passage then."""
    return turn.model_dump_json(
        exclude={"question": {"passage"}, "retrieval": {"question": {"passage"}}}
    ).encode()


def assert_all_there(memory: Memory) -> None:
    assert memory.turns("a") == TURNS[:2]
    assert memory.turns("b") == TURNS[2:]
    assert [a.response for a in memory.answers("a", 10)] == [t.response for t in TURNS[:2]]
    (mine,) = memory.conversations("ada")
    assert (mine.id, mine.title, mine.turn_count) == ("a", "Of nodes", 2)
    assert (mine.started_at.isoformat(), mine.updated_at.isoformat()) == (
        "2025-12-12T12:00:00+00:00",
        "2025-12-12T12:05:00+00:00",
    )
    assert [s.title for s in memory.conversations("bob")] == ["Of topics"]


def test_everything_of_version_1_is_found(old: Path, memory: Memory) -> None:
    assert_all_there(memory)
    assert raw(old, "SELECT version FROM schema_version") == [(SCHEMA_VERSION,)]
    assert raw(old, "PRAGMA foreign_key_check") == []


def test_what_is_new_works_on_what_is_old(old: Path, memory: Memory) -> None:
    assert memory.rate(TURNS[0].id, "ada", Rating.UP, "Clear.")
    assert memory.delete("a", "ada")
    assert memory.conversations("ada") == []
    assert memory.restore("a", "ada")
    memory.save_turn(ask("More?", 3, "a"), "ada")
    assert [(a.number, a.rating) for a in memory.answers("a", 10)] == [
        (1, Rating.UP),
        (2, None),
        (3, None),
    ]


def test_it_happens_once(old: Path, memory: Memory) -> None:
    memory.save_turn(ask("More?", 3, "a"))
    memory.close()
    again = Memory(f"sqlite:///{old}")
    assert again.turns("a")[:2] == TURNS[:2]
    assert len(again.turns("a")) == 3
    again.close()


def shape(file: Path) -> dict[str, object]:
    """Tables, columns, keys and indexes; a migrated type may have another name."""
    engine = sa.create_engine(f"sqlite:///{file}")
    found: dict[str, object] = {}
    there = sa.inspect(engine)
    for table in there.get_table_names():
        columns = [(c["name"], c["nullable"]) for c in there.get_columns(table)]
        keys = [
            (k["constrained_columns"], k["referred_table"]) for k in there.get_foreign_keys(table)
        ]
        primary = there.get_pk_constraint(table)["constrained_columns"]
        found[table] = (columns, keys, primary)
    engine.dispose()
    indexes = raw(file, "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name")
    return {**found, "indexes": indexes}


def test_a_migrated_database_has_the_shape_of_a_new_one(
    old: Path, memory: Memory, tmp_path: Path
) -> None:
    memory.questions("a")
    fresh = Memory(f"sqlite:///{tmp_path / 'fresh.db'}")
    fresh.questions("a")
    fresh.close()
    assert shape(old) == shape(tmp_path / "fresh.db")


# Dies at the n-th statement that changes something, as if the plug were pulled.
DYING = """
import os, signal, sys
import sqlalchemy as sa
from rag.memory import Memory

left = int(sys.argv[2])

@sa.event.listens_for(sa.Engine, "after_cursor_execute")
def die(connection, cursor, statement, *_):
    global left
    if statement.startswith(("ALTER", "CREATE", "DROP", "UPDATE schema_version")):
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

Memory(f"sqlite:///{sys.argv[1]}").questions("a")
"""


@pytest.mark.parametrize("statement", [1, 3, STATEMENTS])
def test_killed_in_the_middle_it_is_still_whole(old: Path, memory: Memory, statement: int) -> None:
    command = [sys.executable, "-c", DYING, str(old), str(statement)]
    assert subprocess.run(command, cwd=ROOT).returncode == -signal.SIGKILL
    assert raw(old, "SELECT version FROM schema_version") == [(1,)]
    assert raw(old, "SELECT name FROM sqlite_master WHERE name = 'feedback'") == []
    assert_all_there(memory)


def test_the_last_kill_is_at_the_last_statement(old: Path) -> None:
    command = [sys.executable, "-c", DYING, str(old), str(STATEMENTS + 1)]
    assert subprocess.run(command, cwd=ROOT).returncode == 0
