"""A conversation as JSON, and back without loss."""

from typing import Any

from pydantic import Field

from rag.domain.answered import Answered
from rag.domain.base import Moment, NonBlank, Value, utc_now
from rag.domain.errors import InvalidInput
from rag.domain.wire import response_from_json, response_to_json

FORMAT = "lectern-conversation"
VERSION = 1


class Exported(Value):
    """A conversation with all its answers, as it was when it was exported."""

    id: NonBlank
    title: str
    book: str
    started_at: Moment
    exported_at: Moment = Field(default_factory=utc_now)
    answers: tuple[Answered, ...] = ()


def to_json(conversation: Exported) -> dict[str, Any]:
    """A conversation ready for json.dumps."""
    plain = conversation.model_dump(mode="json", exclude={"answers"})
    turns = [_turn_to_json(answered) for answered in conversation.answers]
    return {"format": FORMAT, "version": VERSION, **plain, "turns": turns}


def _turn_to_json(answered: Answered) -> dict[str, Any]:
    question = answered.question.model_dump(mode="json")
    return {
        "id": answered.turn_id,
        "number": answered.number,
        "question": question.pop("text"),
        "asked_at": question.pop("timestamp"),
        "passage": question.pop("passage"),
        # Whatever else belongs to a question, so that nothing is lost.
        "asked_with": question,
        "rating": answered.rating and answered.rating.value,
        "comment": answered.comment,
        "response": response_to_json(answered.response),
    }


def from_json(data: object) -> Exported:
    """Read a conversation back, or say in words why that cannot be."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InvalidInput("This is not a conversation that Lectern exported.")
    if data.get("version") != VERSION:
        raise InvalidInput(
            f"This conversation was exported by another Lectern (format {data.get('version')}; "
            f"this one reads {VERSION}). Export it again, or update Lectern."
        )
    fields = {k: v for k, v in data.items() if k not in ("format", "version", "turns")}
    try:
        answers = [_turn_from_json(turn) for turn in data["turns"]]
        return Exported.model_validate({**fields, "answers": answers})
    # ValueError: a value that does not validate. The others: a shape that is not ours.
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidInput("This conversation is damaged. Please export it again.") from error


def _turn_from_json(turn: dict[str, Any]) -> dict[str, Any]:
    asked = {"text": turn["question"], "timestamp": turn["asked_at"], "passage": turn["passage"]}
    return {
        "turn_id": turn["id"],
        "number": turn["number"],
        "question": {**turn["asked_with"], **asked},
        "rating": turn["rating"],
        "comment": turn["comment"],
        "response": response_from_json(turn["response"]),
    }
