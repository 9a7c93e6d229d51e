"""What `Tutor.ask()` streams: a tagged union that the browser and the terminal both read."""

from typing import Annotated, Literal

from pydantic import Field

from rag.domain.base import Value
from rag.domain.errors import ErrorResponse
from rag.domain.retrieval import Retrieval
from rag.domain.states import TurnState
from rag.domain.turn import Turn


class StatusChanged(Value):
    """The turn entered another state."""

    type: Literal["status_changed"] = "status_changed"
    state: TurnState


class Retrieved(Value):
    """The search is done; the gate has not spoken yet."""

    type: Literal["retrieved"] = "retrieved"
    retrieval: Retrieval


class TextDelta(Value):
    """More of the answer. A citation marker is always whole."""

    type: Literal["text_delta"] = "text_delta"
    text: str


class Finished(Value):
    """The turn is complete. It is saved, unless the notice says why not."""

    type: Literal["finished"] = "finished"
    turn: Turn
    notice: str = ""


class Failed(Value):
    """The turn failed; the question and the conversation are kept."""

    type: Literal["failed"] = "failed"
    error: ErrorResponse


Event = Annotated[
    StatusChanged | Retrieved | TextDelta | Finished | Failed, Field(discriminator="type")
]
