"""The state machines: a turn's, and a session's. An illegal step raises."""

from enum import StrEnum

from pydantic import Field, model_validator

from rag.domain.base import Moment, Value, utc_now
from rag.domain.errors import IllegalTransition


class TurnState(StrEnum):
    """Where a turn is; between turns the agent is idle."""

    IDLE = "idle"
    RECEIVED = "received"
    VALIDATING = "validating"
    RETRIEVING = "retrieving"
    GENERATING = "generating"
    COMPLETE = "complete"
    ERROR = "error"


# A refusal completes from RETRIEVING and a greeting from VALIDATING: neither generates anything.
_STEPS: dict[TurnState, set[TurnState]] = {
    TurnState.IDLE: {TurnState.RECEIVED},
    TurnState.RECEIVED: {TurnState.VALIDATING},
    TurnState.VALIDATING: {TurnState.RETRIEVING, TurnState.COMPLETE},
    TurnState.RETRIEVING: {TurnState.GENERATING, TurnState.COMPLETE},
    TurnState.GENERATING: {TurnState.COMPLETE},
    TurnState.COMPLETE: {TurnState.IDLE},
    TurnState.ERROR: {TurnState.IDLE},
}


def check_step(old: TurnState, new: TurnState) -> None:
    """Raise unless a turn may go from one state to the other; any running one may fail."""
    running = old not in (TurnState.COMPLETE, TurnState.ERROR)
    if new is TurnState.ERROR and running:
        return
    if new not in _STEPS[old]:
        raise IllegalTransition(f"a turn cannot go from {old.value} to {new.value}")


class Transition(Value):
    """A state and the moment it was entered."""

    state: TurnState
    at: Moment = Field(default_factory=utc_now)


class Timeline(Value):
    """The states of one turn, in order, each with its moment."""

    transitions: tuple[Transition, ...] = Field(
        default_factory=lambda: (Transition(state=TurnState.RECEIVED),)
    )

    @model_validator(mode="after")
    def _every_step_is_legal(self) -> "Timeline":
        if not self.transitions or self.transitions[0].state is not TurnState.RECEIVED:
            raise ValueError("a timeline begins when the question is received")
        if any(t.state is TurnState.IDLE for t in self.transitions):
            raise IllegalTransition("a turn is over when it is complete or has failed")
        for old, new in zip(self.transitions, self.transitions[1:], strict=False):
            check_step(old.state, new.state)
        return self

    @classmethod
    def begun(cls) -> "Timeline":
        """A timeline that starts now."""
        return cls()

    @property
    def state(self) -> TurnState:
        """The present state."""
        return self.transitions[-1].state

    def enter(self, state: TurnState) -> "Timeline":
        """The timeline with one more state, entered now."""
        check_step(self.state, state)
        return Timeline(transitions=(*self.transitions, Transition(state=state)))

    def seconds_in(self) -> dict[TurnState, float]:
        """How long each state lasted."""
        pairs = zip(self.transitions, self.transitions[1:], strict=False)
        return {a.state: (b.at - a.at).total_seconds() for a, b in pairs}


class SessionStatus(StrEnum):
    """The life of a session. A reset clears the conversation and stays ACTIVE."""

    CREATED = "created"
    ACTIVE = "active"
    COMPLETED = "completed"


_SESSION_STEPS = {
    SessionStatus.CREATED: {SessionStatus.ACTIVE},
    SessionStatus.ACTIVE: {SessionStatus.ACTIVE, SessionStatus.COMPLETED},
    SessionStatus.COMPLETED: set(),
}


def check_session_step(old: SessionStatus, new: SessionStatus) -> None:
    """Raise unless a session may go from one status to the other."""
    if new not in _SESSION_STEPS[old]:
        raise IllegalTransition(f"a session cannot go from {old.value} to {new.value}")
