"""A question and its answer as a reader sees them, with what the reader thought of the answer."""

from enum import StrEnum
from typing import Annotated

from pydantic import Field

from rag.domain.answer import AgentResponse
from rag.domain.base import NonBlank, Value
from rag.domain.question import Question


class Rating(StrEnum):
    """Whether an answer helped."""

    UP = "up"
    DOWN = "down"


class Answered(Value):
    """A turn without the candidates of its search."""

    turn_id: NonBlank
    number: Annotated[int, Field(ge=1)]
    question: Question
    response: AgentResponse
    rating: Rating | None = None
    comment: str = ""
