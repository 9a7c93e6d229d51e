"""The state machines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.domain.errors import IllegalTransition
from rag.domain.states import (
    SessionStatus,
    Timeline,
    Transition,
    TurnState,
    check_session_step,
    check_step,
)
from tests.builders import make_timeline

S = TurnState
# Written out here on purpose: a table derived from the code would agree with any mistake in it.
LEGAL = {
    (S.IDLE, S.RECEIVED),
    (S.RECEIVED, S.VALIDATING),
    (S.VALIDATING, S.RETRIEVING),
    (S.VALIDATING, S.COMPLETE),
    (S.RETRIEVING, S.GENERATING),
    (S.RETRIEVING, S.COMPLETE),
    (S.GENERATING, S.COMPLETE),
    (S.IDLE, S.ERROR),
    (S.RECEIVED, S.ERROR),
    (S.VALIDATING, S.ERROR),
    (S.RETRIEVING, S.ERROR),
    (S.GENERATING, S.ERROR),
    (S.COMPLETE, S.IDLE),
    (S.ERROR, S.IDLE),
}


@pytest.mark.parametrize("new", list(S))
@pytest.mark.parametrize("old", list(S))
def test_exactly_the_steps_of_the_specification_are_legal(old: TurnState, new: TurnState) -> None:
    if (old, new) in LEGAL:
        check_step(old, new)
    else:
        with pytest.raises(IllegalTransition, match=f"cannot go from {old} to {new}"):
            check_step(old, new)


def test_a_turn_goes_from_received_to_complete() -> None:
    states = [t.state for t in make_timeline().transitions]
    assert states == [S.RECEIVED, S.VALIDATING, S.RETRIEVING, S.GENERATING, S.COMPLETE]


@pytest.mark.parametrize("state", [S.RECEIVED, S.VALIDATING, S.RETRIEVING, S.GENERATING])
def test_a_running_turn_can_fail_from_any_state(state: TurnState) -> None:
    order = [S.RECEIVED, S.VALIDATING, S.RETRIEVING, S.GENERATING]
    path = [*order[1 : order.index(state) + 1], S.ERROR]
    assert make_timeline(*path).state is S.ERROR


def test_a_turn_cannot_go_from_complete_to_generating() -> None:
    with pytest.raises(IllegalTransition, match="cannot go from complete to generating"):
        make_timeline().enter(S.GENERATING)


def test_a_turn_cannot_skip_validation() -> None:
    with pytest.raises(IllegalTransition):
        Timeline.begun().enter(S.RETRIEVING)


@pytest.mark.parametrize("new", list(S))
def test_complete_is_terminal_for_a_turn(new: TurnState) -> None:
    with pytest.raises(IllegalTransition):
        make_timeline().enter(new)


@pytest.mark.parametrize("new", list(S))
def test_error_is_terminal_for_a_turn(new: TurnState) -> None:
    with pytest.raises(IllegalTransition):
        make_timeline(S.ERROR).enter(new)


def test_a_refusal_completes_without_generating() -> None:
    assert make_timeline(S.VALIDATING, S.RETRIEVING, S.COMPLETE).state is S.COMPLETE


def test_a_timeline_begins_with_received() -> None:
    assert Timeline.begun().state is S.RECEIVED
    assert Timeline().state is S.RECEIVED
    for transitions in ((), (Transition(state=S.GENERATING),)):
        with pytest.raises(ValidationError, match="begins"):
            Timeline(transitions=transitions)


def test_a_stored_timeline_with_an_illegal_step_is_refused() -> None:
    with pytest.raises(IllegalTransition):
        Timeline(transitions=(Transition(state=S.RECEIVED), Transition(state=S.COMPLETE)))


def test_every_transition_is_timestamped() -> None:
    moments = [t.at for t in make_timeline().transitions]
    assert moments == sorted(moments)
    first = Timeline().transitions[0].at
    assert Timeline().transitions[0].at > first, "a default must be made anew, not at import"


def test_the_time_spent_in_each_state_is_known() -> None:
    timeline = make_timeline()
    seconds = timeline.seconds_in()
    assert list(seconds) == [S.RECEIVED, S.VALIDATING, S.RETRIEVING, S.GENERATING]
    whole = (timeline.transitions[-1].at - timeline.transitions[0].at).total_seconds()
    assert sum(seconds.values()) == pytest.approx(whole)


@given(walk=st.lists(st.sampled_from(list(S)), max_size=8))
def test_a_random_walk_is_accepted_exactly_when_every_step_is_legal(walk: list[S]) -> None:
    timeline = Timeline.begun()
    for state in walk:
        legal = (timeline.state, state) in LEGAL and state is not S.IDLE
        if not legal:
            with pytest.raises(IllegalTransition):
                timeline.enter(state)
            return
        timeline = timeline.enter(state)
    assert [t.state for t in timeline.transitions] == [S.RECEIVED, *walk]


@given(data=st.data(), length=st.integers(0, 12))
def test_every_legal_walk_of_the_agent_is_accepted(data: st.DataObject, length: int) -> None:
    state = S.IDLE
    for _ in range(length):
        step = data.draw(st.sampled_from(sorted(pair for pair in LEGAL if pair[0] is state)))
        check_step(*step)
        state = step[1]


C, A, D = SessionStatus.CREATED, SessionStatus.ACTIVE, SessionStatus.COMPLETED


@pytest.mark.parametrize("new", list(SessionStatus))
@pytest.mark.parametrize("old", list(SessionStatus))
def test_a_session_is_created_then_active_then_completed(
    old: SessionStatus, new: SessionStatus
) -> None:
    if (old, new) in {(C, A), (A, A), (A, D)}:
        check_session_step(old, new)
    else:
        with pytest.raises(IllegalTransition, match=f"session cannot go from {old} to {new}"):
            check_session_step(old, new)
