"""What was asked and answered, and what people do with it: list, rename, delete, rate."""

import sqlite3
import threading
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from rag.domain.answered import Answered, Rating
from rag.domain.base import Count, Moment, Value, utc_now
from rag.domain.errors import IllegalTransition, StorageError
from rag.domain.turn import Turn
from rag.home import storage_errors
from rag.memory.rows import (
    answered,
    change,
    kept,
    mentions,
    next_number,
    own,
    rated_turns,
    row_of,
    summary,
    touch_conversation,
)
from rag.memory.schema import (
    WRITES,
    conversations,
    feedback,
    make_engine,
    prepare,
    remove_expired,
    turns,
)
from rag.memory.typed import checked_comment, checked_title, searchable


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
        that another tab took in the meantime gives way to the next free one. A conversation that
        was deleted in the meantime is back: somebody goes on with it.
        """
        with self._transaction(writes=True) as connection:
            if connection.scalar(sa.select(turns.c.id).where(turns.c.id == turn.id)) is not None:
                return turn
            touch_conversation(connection, turn, owner)
            same = turns.c.conversation_id == turn.conversation_id
            taken = sa.select(turns.c.id).where(same, turns.c.number == turn.number)
            if connection.scalar(taken) is not None:
                number = next_number(connection, turn.conversation_id)
                turn = turn.model_copy(update={"number": number})
            connection.execute(sa.insert(turns).values(row_of(turn)))
        return turn

    def turns(self, conversation_id: str, limit: int | None = None) -> list[Turn]:
        """The newest turns of a conversation, oldest first; all of them without a limit."""
        newest = (
            sa.select(turns.c.number, turns.c.body)
            .where(turns.c.conversation_id == conversation_id)
            .order_by(turns.c.number.desc())
            .limit(limit)
        )
        with self._transaction() as connection:
            rows = connection.execute(newest).all()
        found = []
        for number, body in reversed(rows):
            with self._readable(number):
                found.append(Turn.model_validate_json(zlib.decompress(body)))
        return found

    def answers(
        self, conversation_id: str, limit: int, before: int | None = None
    ) -> list[Answered]:
        """The newest answers of a conversation, or those before a number, oldest first."""
        newest = rated_turns.where(turns.c.conversation_id == conversation_id).limit(limit)
        if before is not None:
            newest = newest.where(turns.c.number < before)
        with self._transaction() as connection:
            rows = connection.execute(newest).mappings().all()
        found = []
        for row in reversed(rows):
            with self._readable(row["number"]):
                found.append(answered(dict(row)))
        return found

    def questions(self, conversation_id: str) -> list[str]:
        """Every question of a conversation, oldest first, without reading the answers."""
        asked = (
            sa.select(turns.c.question)
            .where(turns.c.conversation_id == conversation_id)
            .order_by(turns.c.number)
        )
        with self._transaction() as connection:
            return list(connection.scalars(asked))

    def summary(self, conversation_id: str, owner: str) -> ConversationSummary | None:
        """One conversation as a list shows it; None if it is gone or somebody else's."""
        found = self._summaries(summary.where(kept(conversation_id, owner)))
        return found[0] if found else None

    def conversations(
        self, owner: str, search: str = "", limit: int = 50
    ) -> list[ConversationSummary]:
        """Somebody's conversations, the most recently used first.

        A search keeps those that have it in their title or in one of their questions.
        """
        wanted = searchable(search)
        if wanted is None:
            return []
        mine = conversations.c.owner == owner, conversations.c.deleted_at.is_(None)
        recent = (
            summary.where(*mine)
            .order_by(conversations.c.updated_at.desc(), conversations.c.id)
            .limit(limit)
        )
        return self._summaries(recent.where(mentions(wanted)) if wanted else recent)

    def rename(self, conversation_id: str, owner: str, title: str) -> bool:
        """Give a conversation another title; False if it is gone or somebody else's."""
        chosen = checked_title(title)
        with self._transaction(writes=True) as connection:
            return change(connection, kept(conversation_id, owner), title=chosen)

    def delete(self, conversation_id: str, owner: str) -> bool:
        """Take a conversation out of every list; for a day it can be restored."""
        with self._transaction(writes=True) as connection:
            remove_expired(connection)
            return change(connection, kept(conversation_id, owner), deleted_at=utc_now())

    def restore(self, conversation_id: str, owner: str) -> bool:
        """Bring back what was deleted; False if there is nothing to bring back."""
        deleted = conversations.c.deleted_at.is_not(None)
        with self._transaction(writes=True) as connection:
            return change(connection, own(conversation_id, owner) & deleted, deleted_at=None)

    def rate(self, turn_id: str, owner: str, rating: Rating | None, comment: str = "") -> bool:
        """Save what somebody thought of an answer; None takes it back.

        False if the turn is gone or of somebody else's conversation.
        """
        said = checked_comment(comment)
        mine = conversations.c.owner == owner, conversations.c.deleted_at.is_(None)
        # Whoever holds the turn's row rates it. SQLite, which has no row locks, ignores it.
        wanted = (
            sa.select(turns.c.id)
            .join(conversations, conversations.c.id == turns.c.conversation_id)
            .where(turns.c.id == turn_id, *mine)
            .with_for_update()
        )
        with self._transaction(writes=True) as connection:
            if connection.scalar(wanted) is None:
                return False
            connection.execute(sa.delete(feedback).where(feedback.c.turn_id == turn_id))
            if rating is not None:
                row = {"turn_id": turn_id, "rating": rating.value, "comment": said}
                connection.execute(sa.insert(feedback).values(created_at=utc_now(), **row))
        return True

    def close(self) -> None:
        """Let go of the database; it opens again when it is used again."""
        with self._lock:
            if self._engine is not None:
                self._engine.dispose()
            self._engine = None

    def _summaries(self, wanted: sa.Select[Any]) -> list[ConversationSummary]:
        with self._transaction() as connection:
            rows = connection.execute(wanted).mappings().all()
        return [ConversationSummary.model_validate(dict(row)) for row in rows]

    @contextmanager
    def _transaction(self, writes: bool = False) -> Iterator[sa.Connection]:
        """A transaction that is kept whole or not at all."""
        with (
            self._in_words(),
            self._opened().execution_options(**{WRITES: writes}).begin() as connection,
        ):
            yield connection

    def _opened(self) -> sa.Engine:
        """The engine, its tables made ready by the first who asks."""
        with self._lock:
            if self._engine is None:
                engine = make_engine(self._url)
                try:
                    with engine.execution_options(**{WRITES: True}).begin() as connection:
                        prepare(connection, self._place)
                        remove_expired(connection)
                except BaseException:
                    engine.dispose()
                    raise
                self._engine = engine
            return self._engine

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

    @contextmanager
    def _readable(self, number: int) -> Iterator[None]:
        """What a body that is not a turn's makes of its reader, as a sentence."""
        try:
            yield
        # ValueError: of JSON, and of a value that does not validate.
        except (zlib.error, ValueError, TypeError, KeyError, IllegalTransition) as error:
            raise StorageError(
                f"Turn {number} of a conversation in {self._place} is damaged and cannot be read. "
                "Start a new conversation, or put the file back from a copy."
            ) from error
