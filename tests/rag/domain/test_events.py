"""The events of one turn."""

import pytest
from pydantic import TypeAdapter, ValidationError

from rag.domain.errors import ErrorResponse, ErrorType
from rag.domain.events import Event, Failed, Finished, Retrieved, StatusChanged, TextDelta
from rag.domain.states import TurnState
from tests.builders import make_retrieval, make_turn

EVENTS: list[Event] = [
    StatusChanged(state=TurnState.RETRIEVING),
    Retrieved(retrieval=make_retrieval()),
    TextDelta(text="ROS 2 is [1]"),
    Finished(turn=make_turn()),
    Failed(error=ErrorResponse.of(ErrorType.RATE_LIMIT, "429", 3)),
]


@pytest.mark.parametrize("event", EVENTS, ids=[e.type for e in EVENTS])
def test_an_event_is_recognised_by_its_tag(event: Event) -> None:
    adapter: TypeAdapter[Event] = TypeAdapter(Event)
    again = adapter.validate_json(event.model_dump_json())
    assert type(again) is type(event)
    assert again == event


def test_an_unknown_event_is_refused() -> None:
    adapter: TypeAdapter[Event] = TypeAdapter(Event)
    with pytest.raises(ValidationError):
        adapter.validate_python({"type": "surprise"})
