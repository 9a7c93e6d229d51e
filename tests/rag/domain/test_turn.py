"""Rules of a turn."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.domain.agent import AgentConfig
from rag.domain.conversation import RetrieveArguments, ToolCall
from rag.domain.errors import IllegalTransition
from rag.domain.ledger import LedgerLine, Part, TokenLedger
from rag.domain.retrieval import Fate
from rag.domain.states import TurnState
from rag.domain.turn import Turn
from tests.builders import (
    make_failure,
    make_greeting,
    make_question,
    make_refusal,
    make_retrieval,
    make_timeline,
    make_turn,
)

LEDGER = TokenLedger(
    window=100,
    given={Part.SYSTEM: 40, Part.RESERVE: 60},
    lines=(
        LedgerLine(part=Part.SYSTEM, label="rules", tokens=40),
        LedgerLine(part=Part.CONTEXT, label="[1]", tokens=9, included=False, reason="no room"),
    ),
)


@pytest.mark.parametrize("seconds", [0, -1.0])
def test_turn_duration_must_be_positive(seconds: float) -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        make_turn(duration_seconds=seconds)


def test_turn_number_starts_at_1() -> None:
    assert make_turn(1).number == 1
    with pytest.raises(ValidationError):
        make_turn(0)


def test_turn_question_cannot_be_empty() -> None:
    with pytest.raises(ValidationError, match="type a question"):
        Turn.model_validate({**make_turn().model_dump(), "question": {"text": " "}})


@pytest.mark.parametrize("name", ["conversation_id", "standalone", "config_fingerprint"])
def test_turn_knows_its_conversation_query_and_configuration(name: str) -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        Turn.model_validate({**make_turn().model_dump(), name: ""})


def test_a_turn_without_chunks_must_say_it_has_no_information() -> None:
    for empty in (None, make_retrieval(chunks=()), make_retrieval(Fate.BELOW_THRESHOLD)):
        with pytest.raises(ValidationError, match="no information"):
            make_turn(retrieval=empty)
        assert make_turn(retrieval=empty, response=make_refusal()).response.grounded is False


def test_a_greeting_needs_no_retrieval() -> None:
    timeline = make_timeline(TurnState.VALIDATING, TurnState.COMPLETE)
    assert make_turn(retrieval=None, response=make_greeting(), timeline=timeline).retrieval is None


def test_a_failed_turn_needs_no_retrieval() -> None:
    failed = make_turn(
        retrieval=None, response=make_failure(), timeline=make_timeline(TurnState.ERROR)
    )
    assert failed.response.error is not None


def test_tool_calls_may_be_empty() -> None:
    assert make_turn().tool_calls == ()


def test_a_turn_with_an_illegal_timeline_is_refused() -> None:
    broken = {"transitions": [{"state": "received"}, {"state": "generating"}]}
    with pytest.raises(IllegalTransition):
        Turn.model_validate({**make_turn().model_dump(), "timeline": broken})


CALL = ToolCall(arguments=RetrieveArguments(query="ROS 2", top_k=3, threshold=0.7))
EVERY_FATE = make_retrieval(*Fate)


@pytest.mark.parametrize(
    "turn",
    [
        make_turn(),
        make_turn(7, tool_calls=(CALL, CALL), ledger=LEDGER, retrieval=EVERY_FATE),
        make_turn(response=make_refusal(), retrieval=make_retrieval(chunks=())),
        make_turn(response=make_failure(), retrieval=None, timeline=make_timeline(TurnState.ERROR)),
        make_turn(response=make_greeting(), retrieval=None),
    ],
    ids=["answered", "agentic", "refused", "failed", "greeted"],
)
def test_a_turn_survives_json_exactly(turn: Turn) -> None:
    again = Turn.model_validate_json(turn.model_dump_json())
    assert again == turn
    assert again.model_dump_json() == turn.model_dump_json()


@given(
    text=st.text(st.characters(exclude_categories=["Cc", "Cs"]), min_size=1).filter(str.strip),
    seconds=st.floats(min_value=1e-6, max_value=1e6),
    threshold=st.floats(0, 1),
    moment=st.datetimes(timezones=st.timezones()),
)
def test_any_question_and_number_survive_json(
    text: str, seconds: float, threshold: float, moment: object
) -> None:
    question = make_question(text, threshold=threshold, timestamp=moment)
    turn = make_turn(question=question, duration_seconds=seconds)
    assert Turn.model_validate_json(turn.model_dump_json()) == turn


def test_the_stored_configuration_is_the_one_that_answered() -> None:
    config = AgentConfig(top_k=3, threshold=0.7)
    turn = make_turn(config=config.model_dump(mode="json"), config_fingerprint=config.fingerprint)
    stored = AgentConfig.model_validate(Turn.model_validate_json(turn.model_dump_json()).config)
    assert stored == config
    assert stored.fingerprint == turn.config_fingerprint
