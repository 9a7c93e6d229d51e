"""Conversations and turns in a database: SQLite by default, another by its address."""

import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import ConnectionPoolEntry

from rag.domain.answer import shorten
from rag.domain.base import Count, Moment, Value
from rag.domain.errors import IllegalTransition, StorageError
from rag.domain.turn import Turn
from rag.home import storage_errors

SCHEMA_VERSION = 1
MAX_TITLE_CHARS = 60
# How long one process waits for another's write; a write takes milliseconds.
BUSY_SECONDS = 15
_WRITES = "lectern_writes"


class _Utc(sa.TypeDecorator[datetime]):
    """A moment in UTC. SQLite forgets the zone, so it is put back on reading."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, _: sa.Dialect) -> datetime | None:
        """To UTC before it is written."""
        return value and value.astimezone(UTC)

    def process_result_value(self, value: datetime | None, _: sa.Dialect) -> datetime | None:
        """With its zone after it is read."""
        return value and (value.astimezone(UTC) if value.tzinfo else value.replace(tzinfo=UTC))


_tables = sa.MetaData()
_version = sa.Table("schema_version", _tables, sa.Column("version", sa.Integer, primary_key=True))
_conversations = sa.Table(
    "conversations",
    _tables,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("owner", sa.String, nullable=False, index=True),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("started_at", _Utc, nullable=False),
    sa.Column("updated_at", _Utc, nullable=False),
)
_turns = sa.Table(
    "turns",
    _tables,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("conversation_id", sa.ForeignKey(_conversations.c.id), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("status", sa.String, nullable=False),
    sa.Column("confidence", sa.Float, nullable=False),
    sa.Column("created_at", _Utc, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("conversation_id", "number"),
)


class ConversationSummary(Value):
    """A conversation as a list shows it."""

    id: str
    title: str
    started_at: Moment
    updated_at: Moment
    turn_count: Count


class Memory:
    """What was asked and answered. Opened at first use; safe from several threads."""

    def __init__(self, url: str | sa.URL) -> None:
        """Remember where the database is, or will be."""
        self._url = sa.make_url(url)
        self._place = Path(self._url.database or ":memory:")
        self._engine: sa.Engine | None = None
        self._lock = threading.Lock()

    def save_turn(self, turn: Turn, owner: str = "") -> Turn:
        """Save a turn, and with the first one its conversation; return the turn as it is stored.

        A turn that is there already stays as it is, so that a save can be tried again. A number
        that another tab took in the meantime gives way to the next free one.
        """
        with self._transaction(writes=True) as connection:
            if connection.scalar(sa.select(_turns.c.id).where(_turns.c.id == turn.id)) is not None:
                return turn
            _touch_conversation(connection, turn, owner)
            same = _turns.c.conversation_id == turn.conversation_id
            taken = sa.select(_turns.c.id).where(same, _turns.c.number == turn.number)
            if connection.scalar(taken) is not None:
                number = _next_number(connection, turn.conversation_id)
                turn = turn.model_copy(update={"number": number})
            connection.execute(sa.insert(_turns).values(_row(turn)))
        return turn

    def turns(self, conversation_id: str, limit: int | None = None) -> list[Turn]:
        """The newest turns of a conversation, oldest first; all of them without a limit."""
        newest = (
            sa.select(_turns.c.number, _turns.c.body)
            .where(_turns.c.conversation_id == conversation_id)
            .order_by(_turns.c.number.desc())
            .limit(limit)
        )
        with self._transaction() as connection:
            rows = connection.execute(newest).all()
        return [self._read(number, body) for number, body in reversed(rows)]

    def questions(self, conversation_id: str) -> list[str]:
        """Every question of a conversation, oldest first, without reading the answers."""
        asked = (
            sa.select(_turns.c.question)
            .where(_turns.c.conversation_id == conversation_id)
            .order_by(_turns.c.number)
        )
        with self._transaction() as connection:
            return list(connection.scalars(asked))

    def conversations(self, owner: str) -> list[ConversationSummary]:
        """Somebody's conversations, the most recently used first."""
        shown = (
            sa.select(
                _conversations.c.id,
                _conversations.c.title,
                _conversations.c.started_at,
                _conversations.c.updated_at,
                sa.func.count(_turns.c.id).label("turn_count"),
            )
            .join(_turns, _turns.c.conversation_id == _conversations.c.id)
            .where(_conversations.c.owner == owner)
            .group_by(_conversations.c.id)
            .order_by(_conversations.c.updated_at.desc(), _conversations.c.id)
        )
        with self._transaction() as connection:
            rows = connection.execute(shown).mappings().all()
        return [ConversationSummary.model_validate(dict(row)) for row in rows]

    def close(self) -> None:
        """Let go of the database; it opens again when it is used again."""
        with self._lock:
            if self._engine is not None:
                self._engine.dispose()
            self._engine = None

    @contextmanager
    def _transaction(self, writes: bool = False) -> Iterator[sa.Connection]:
        """A transaction that is kept whole or not at all."""
        with (
            self._in_words(),
            self._opened().execution_options(**{_WRITES: writes}).begin() as connection,
        ):
            yield connection

    def _opened(self) -> sa.Engine:
        """The engine, its tables made and their version checked by the first who asks."""
        with self._lock:
            if self._engine is None:
                engine = _engine(self._url)
                try:
                    self._prepare(engine)
                except BaseException:
                    engine.dispose()
                    raise
                self._engine = engine
            return self._engine

    def _prepare(self, engine: sa.Engine) -> None:
        """Make the tables in an empty database; refuse one that is not ours to read."""
        with engine.execution_options(**{_WRITES: True}).begin() as connection:
            there = sa.inspect(connection).get_table_names()
            if not there:
                _tables.create_all(connection)
                connection.execute(sa.insert(_version).values(version=SCHEMA_VERSION))
                return
            ours = {_version.name, _conversations.name} <= set(there)
            newest = sa.select(sa.func.max(_version.c.version))
            version = connection.scalar(newest) if ours else None
        if version is None:
            raise StorageError(
                f"{self._place} is not a database of Lectern's conversations. Move it away and "
                "try again: Lectern starts a new one in its place."
            )
        if version > SCHEMA_VERSION:
            raise StorageError(
                f"{self._place} was written by a newer Lectern (format {version}; this one reads "
                f"{SCHEMA_VERSION}). Update Lectern, or choose another folder with --home "
                "(or LECTERN_HOME)."
            )

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        """What the disk or the database says, as a sentence a person can act on."""
        with storage_errors(self._place):
            try:
                yield
            except DBAPIError as error:
                if isinstance(error.orig, sqlite3.Error):
                    raise error.orig from error
                raise

    def _read(self, number: int, body: bytes) -> Turn:
        """A stored turn, with the number of its row."""
        try:
            return Turn.model_validate_json(zlib.decompress(body))
        except (zlib.error, ValidationError, IllegalTransition) as error:
            raise StorageError(
                f"Turn {number} of a conversation in {self._place} is damaged and cannot be read. "
                "Start a new conversation, or put the file back from a copy."
            ) from error


def _touch_conversation(connection: sa.Connection, turn: Turn, owner: str) -> None:
    """Make the conversation of a first turn, or note that it goes on."""
    wanted = _conversations.c.id == turn.conversation_id
    # Whoever holds this row numbers the next turn. SQLite, which has no row locks, ignores it.
    known = sa.select(_conversations.c.id).where(wanted).with_for_update()
    if connection.scalar(known) is None:
        connection.execute(
            sa.insert(_conversations).values(
                id=turn.conversation_id,
                owner=owner,
                title=_title(turn.question.text),
                started_at=turn.timestamp,
                updated_at=turn.timestamp,
            )
        )
    else:
        moment = {"updated_at": turn.timestamp}
        connection.execute(sa.update(_conversations).where(wanted).values(moment))


def _next_number(connection: sa.Connection, conversation_id: str) -> int:
    """The number of a conversation's next turn."""
    same = _turns.c.conversation_id == conversation_id
    return (connection.scalar(sa.select(sa.func.max(_turns.c.number)).where(same)) or 0) + 1


def _row(turn: Turn) -> dict[str, object]:
    """A turn as a row: what lists need in columns, everything in the body."""
    return {
        "id": turn.id,
        "conversation_id": turn.conversation_id,
        "number": turn.number,
        "question": turn.question.text,
        "status": turn.response.status.value,
        "confidence": turn.response.confidence.overall,
        "created_at": turn.timestamp,
        "body": zlib.compress(turn.model_dump_json().encode()),
    }


def _title(question: str) -> str:
    """A question as a title: one line, cut at a word."""
    line = " ".join(question.split())
    return line if len(line) <= MAX_TITLE_CHARS else shorten(line, MAX_TITLE_CHARS - 1) + "…"


def _engine(url: sa.URL) -> sa.Engine:
    """An engine; for SQLite, one whose file several threads and processes share."""
    if url.get_backend_name() != "sqlite":
        return sa.create_engine(url)
    if url.database and url.database != ":memory:" and "uri" not in url.query:
        folder = Path(url.database).parent
        with storage_errors(folder):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_SECONDS})

    @sa.event.listens_for(engine, "connect")
    def _on_connect(connection: sqlite3.Connection, _: ConnectionPoolEntry) -> None:
        # Python's own handling begins a transaction too late to make reads and writes one step.
        connection.isolation_level = None
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA foreign_keys = ON")

    @sa.event.listens_for(engine, "begin")
    def _on_begin(connection: sa.Connection) -> None:
        # A writer claims the file first: one that reads and then writes is refused, not queued.
        writes = connection.get_execution_options().get(_WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
