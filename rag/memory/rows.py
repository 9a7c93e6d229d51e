"""Turns and conversations as rows: how they are written, found and read back."""

from typing import Any
from zlib import compress, decompress

import sqlalchemy as sa
from pydantic_core import from_json

from rag.domain.answered import Answered
from rag.domain.turn import Turn
from rag.memory.schema import conversations, feedback, turns
from rag.memory.typed import first_title

# Counted for each conversation that is shown, in the index alone.
summary = sa.select(
    conversations.c.id,
    conversations.c.title,
    conversations.c.started_at,
    conversations.c.updated_at,
    sa.select(sa.func.count(turns.c.number))
    .where(turns.c.conversation_id == conversations.c.id)
    .scalar_subquery()
    .label("turn_count"),
)
# The newest first, with what was thought of them.
rated_turns = (
    sa.select(
        turns.c.id.label("turn_id"),
        turns.c.number,
        turns.c.body,
        feedback.c.rating,
        sa.func.coalesce(feedback.c.comment, "").label("comment"),
    )
    .outerjoin(feedback, feedback.c.turn_id == turns.c.id)
    .order_by(turns.c.number.desc())
)


def own(conversation_id: str, owner: str) -> sa.ColumnElement[bool]:
    """Somebody's own conversation, deleted or not."""
    return sa.and_(conversations.c.id == conversation_id, conversations.c.owner == owner)


def kept(conversation_id: str, owner: str) -> sa.ColumnElement[bool]:
    """Somebody's own conversation, unless it is deleted."""
    return own(conversation_id, owner) & conversations.c.deleted_at.is_(None)


def mentions(words: str) -> sa.ColumnElement[bool]:
    """Whether a conversation has these words in its title or in a question, in any case."""
    asked = sa.exists().where(
        turns.c.conversation_id == conversations.c.id,
        turns.c.question.icontains(words, autoescape=True),
    )
    return conversations.c.title.icontains(words, autoescape=True) | asked


def change(connection: sa.Connection, which: sa.ColumnElement[bool], **values: object) -> bool:
    """Change a conversation; False if there is none such."""
    return connection.execute(sa.update(conversations).where(which).values(values)).rowcount > 0


def touch_conversation(connection: sa.Connection, turn: Turn, owner: str) -> None:
    """Make the conversation of a first turn, or note that it goes on."""
    wanted = conversations.c.id == turn.conversation_id
    # Whoever holds this row numbers the next turn. SQLite, which has no row locks, ignores it.
    known = sa.select(conversations.c.id).where(wanted).with_for_update()
    if connection.scalar(known) is None:
        connection.execute(
            sa.insert(conversations).values(
                id=turn.conversation_id,
                owner=owner,
                title=first_title(turn.question.text),
                started_at=turn.timestamp,
                updated_at=turn.timestamp,
            )
        )
    else:
        goes_on = {"updated_at": turn.timestamp, "deleted_at": None}
        connection.execute(sa.update(conversations).where(wanted).values(goes_on))


def next_number(connection: sa.Connection, conversation_id: str) -> int:
    """The number of a conversation's next turn."""
    same = turns.c.conversation_id == conversation_id
    return (connection.scalar(sa.select(sa.func.max(turns.c.number)).where(same)) or 0) + 1


def row_of(turn: Turn) -> dict[str, object]:
    """A turn as a row: what lists need in columns, everything in the body."""
    return {
        "id": turn.id,
        "conversation_id": turn.conversation_id,
        "number": turn.number,
        "question": turn.question.text,
        "status": turn.response.status.value,
        "confidence": turn.response.confidence.overall,
        "created_at": turn.timestamp,
        "body": compress(turn.model_dump_json().encode()),
    }


def answered(row: dict[str, Any]) -> Answered:
    """A row without the candidates: validating up to 60 of them is most of reading a turn."""
    turn = from_json(decompress(row.pop("body")))
    said = {"question": turn["question"], "response": turn["response"]}
    return Answered.model_validate({**row, **said})
