"""The tables of conversations, their versions, and the engine that reaches them."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy.pool import ConnectionPoolEntry

from rag.domain.base import utc_now
from rag.domain.errors import StorageError
from rag.home import storage_errors

SCHEMA_VERSION = 2
# How long one process waits for another's write; a write takes milliseconds.
BUSY_SECONDS = 15
# Long enough to notice a slip the next morning; what was deleted should not stay much longer.
KEPT_AFTER_DELETE = timedelta(days=1)
WRITES = "lectern_writes"


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
conversations = sa.Table(
    "conversations",
    _tables,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("owner", sa.String, nullable=False),
    sa.Column("title", sa.Text, nullable=False),
    sa.Column("started_at", _Utc, nullable=False),
    sa.Column("updated_at", _Utc, nullable=False),
    sa.Column("deleted_at", _Utc, index=True),
)
# A list is read in this order, and only as far as it is shown.
sa.Index(
    "ix_conversations_recent",
    conversations.c.owner,
    conversations.c.updated_at.desc(),
    conversations.c.id,
)
turns = sa.Table(
    "turns",
    _tables,
    sa.Column("id", sa.String, primary_key=True),
    sa.Column("conversation_id", sa.ForeignKey(conversations.c.id), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("status", sa.String, nullable=False),
    sa.Column("confidence", sa.Float, nullable=False),
    sa.Column("created_at", _Utc, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.UniqueConstraint("conversation_id", "number"),
)
feedback = sa.Table(
    "feedback",
    _tables,
    sa.Column("turn_id", sa.ForeignKey(turns.c.id), primary_key=True),
    sa.Column("rating", sa.String, nullable=False),
    sa.Column("comment", sa.Text, nullable=False),
    sa.Column("created_at", _Utc, nullable=False),
)

# What makes the next version of each. Written out: a step must not change with the tables above.
_STEPS = {
    1: (
        "ALTER TABLE conversations ADD COLUMN deleted_at TIMESTAMP WITH TIME ZONE",
        "DROP INDEX ix_conversations_owner",
        "CREATE INDEX ix_conversations_deleted_at ON conversations (deleted_at)",
        "CREATE INDEX ix_conversations_recent ON conversations (owner, updated_at DESC, id)",
        "CREATE TABLE feedback (turn_id VARCHAR NOT NULL PRIMARY KEY REFERENCES turns (id),"
        " rating VARCHAR NOT NULL, comment TEXT NOT NULL,"
        " created_at TIMESTAMP WITH TIME ZONE NOT NULL)",
    ),
}


def prepare(connection: sa.Connection, place: Path) -> None:
    """Make the tables in an empty database, or bring ours up to date; refuse any other.

    All of it is one transaction, so that whoever is killed in the middle has changed nothing.
    """
    there = sa.inspect(connection).get_table_names()
    if not there:
        _tables.create_all(connection)
        connection.execute(sa.insert(_version).values(version=SCHEMA_VERSION))
        return
    ours = {_version.name, conversations.name} <= set(there)
    newest = sa.select(sa.func.max(_version.c.version))
    version = connection.scalar(newest) if ours else None
    if version is None:
        raise StorageError(
            f"{place} is not a database of Lectern's conversations. Move it away and "
            "try again: Lectern starts a new one in its place."
        )
    if version > SCHEMA_VERSION:
        raise StorageError(
            f"{place} was written by a newer Lectern (format {version}; this one reads "
            f"{SCHEMA_VERSION}). Update Lectern, or choose another folder with --home "
            "(or LECTERN_HOME)."
        )
    for step in range(version, SCHEMA_VERSION):
        for statement in _STEPS[step]:
            connection.exec_driver_sql(statement)
    if version < SCHEMA_VERSION:
        connection.execute(sa.update(_version).values(version=SCHEMA_VERSION))


def remove_expired(connection: sa.Connection) -> None:
    """Remove what was deleted too long ago to be wanted back, with all that belongs to it."""
    expired = conversations.c.deleted_at < utc_now() - KEPT_AFTER_DELETE
    gone = sa.select(conversations.c.id).where(expired)
    theirs = turns.c.conversation_id.in_(gone)
    rated = feedback.c.turn_id.in_(sa.select(turns.c.id).where(theirs))
    connection.execute(sa.delete(feedback).where(rated))
    connection.execute(sa.delete(turns).where(theirs))
    connection.execute(sa.delete(conversations).where(expired))


def make_engine(url: sa.URL) -> sa.Engine:
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
        # What is removed is overwritten, not only unlinked: it was private.
        connection.execute("PRAGMA secure_delete = ON")
        # SQLite's own knows the case of ASCII letters only.
        connection.create_function("lower", 1, str.casefold, deterministic=True)

    @sa.event.listens_for(engine, "begin")
    def _on_begin(connection: sa.Connection) -> None:
        # A writer claims the file first: one that reads and then writes is refused, not queued.
        writes = connection.get_execution_options().get(WRITES)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
