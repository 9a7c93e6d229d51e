"""One learner's chat in `st.session_state`: the agent's state and what is on the page."""

from dataclasses import dataclass, field
from typing import NamedTuple

import streamlit as st

from rag.domain.agent import AgentState
from rag.domain.answer import AgentResponse
from rag.domain.events import Finished
from rag.tutor import Tutor

_KEY = "chat"
INPUT_KEY = "question"
# What the sentence for an overlong conversation tells people to type.
_RESET_WORDS = {"clear", "reset"}


class Shown(NamedTuple):
    """A finished turn as the page keeps it: without the candidates, which the database has."""

    question: str
    response: AgentResponse
    notice: str = ""


@dataclass
class Pending:
    """A question without a finished answer: running, stopped or failed."""

    question: str
    partial: str = ""
    sentence: str = ""


@dataclass
class Chat:
    """What one browser tab shows and asks with."""

    state: AgentState
    shown: list[Shown] = field(default_factory=list)
    pending: Pending | None = None
    queued: str | None = None
    draft: str | None = None
    complaint: str = ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked yet."""
        return not self.shown and self.pending is None

    def begin(self, question: str) -> Pending:
        """Keep the question before it is asked, so that nothing can lose it."""
        self.pending, self.complaint = Pending(question), ""
        return self.pending

    def give_back(self, question: str, complaint: str) -> None:
        """Return a question that must be changed to where it was typed, and say why."""
        self.pending, self.draft, self.complaint = None, question, complaint

    def finish(self, event: Finished) -> Shown:
        """Put the answer in the question's place."""
        done = Shown(event.turn.question.text, event.turn.response, event.notice)
        self.shown.append(done)
        self.pending = None
        return done

    def queue(self, question: str) -> None:
        """Ask this on the next run: a starter, or a second try."""
        self.queued = question

    def take(self, typed: str | None) -> str | None:
        """The question to ask now, if there is one; a word that means reset starts afresh."""
        queued, self.queued = self.queued, None
        if typed is not None and typed.strip().lower() in _RESET_WORDS:
            self.reset()
            return None
        return queued if typed is None else typed

    def reset(self) -> None:
        """Start a new conversation; the old one stays in the database."""
        if self.shown:
            self.state.reset()
        self.shown, self.pending, self.queued = [], None, None
        self.draft, self.complaint = None, ""


def chat(tutor: Tutor) -> Chat:
    """This session's chat."""
    if _KEY not in st.session_state:
        st.session_state[_KEY] = Chat(tutor.start())
    found: Chat = st.session_state[_KEY]
    return found


def new_conversation() -> None:
    """Clear the page for another conversation."""
    if _KEY in st.session_state:
        st.session_state[_KEY].reset()
