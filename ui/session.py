"""One learner's chat in `st.session_state`: the agent's state and what is on the page."""

import time
from dataclasses import dataclass, field
from typing import NamedTuple

import streamlit as st

from rag.domain.agent import AgentState
from rag.domain.answered import Answered
from rag.domain.book import Chunk
from rag.domain.errors import ErrorResponse
from rag.domain.events import Finished
from rag.tutor import Tutor
from ui import learner

_KEY = "chat"
_RETURN = "return_to"
INPUT_KEY = "question"
ADDRESS = "conversation"
# How many turns are on the page at first, and how many more each click brings.
WINDOW = 10
# What the sentence for an overlong conversation tells people to type.
_RESET_WORDS = {"clear", "reset"}


class Asked(NamedTuple):
    """A question, and the passage it is about if it is about one."""

    text: str
    passage: Chunk | None = None


@dataclass
class Unfinished:
    """A question without a finished answer: running, stopped or failed."""

    asked: Asked
    partial: str = ""
    error: ErrorResponse | None = None
    sentence: str = ""
    failed_at: float = 0.0

    def fail(self, sentence: str, error: ErrorResponse | None = None) -> None:
        """Keep why there is no answer."""
        self.sentence, self.error, self.failed_at = sentence, error, time.monotonic()

    @property
    def wait_seconds(self) -> float:
        """How long the service still wants to be left alone."""
        wanted = self.error.retry_after if self.error else None
        return max(0.0, (wanted or 0) - (time.monotonic() - self.failed_at))


@dataclass
class Chat:
    """What one browser tab shows and asks with."""

    state: AgentState
    entries: list[Answered | Unfinished] = field(default_factory=list)
    earlier: bool = False
    limit: int = WINDOW
    pending: Unfinished | None = None
    queued: Asked | None = None
    passage: Chunk | None = None
    draft: str | None = None
    complaint: str = ""
    notices: dict[str, str] = field(default_factory=dict)
    suggested: dict[str, tuple[str, ...]] = field(default_factory=dict)
    written: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The conversation's id."""
        return self.state.conversation.id

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked yet."""
        return not self.entries and self.pending is None

    @property
    def answered(self) -> list[Answered]:
        """The finished turns on the page, oldest first."""
        return [entry for entry in self.entries if isinstance(entry, Answered)]

    def begin(self, asked: Asked) -> Unfinished:
        """Keep the question before it is asked, so that nothing can lose it."""
        if self.pending is not None and self.pending.partial:
            # What was written before it was stopped stays.
            self.entries.append(self.pending)
        self.pending, self.complaint = Unfinished(asked), ""
        return self.pending

    def give_back(self, complaint: str) -> None:
        """Return a question that must be changed to where it was typed, and say why."""
        if self.pending is not None:
            self.draft, self.passage = self.pending.asked
        self.pending, self.complaint = None, complaint

    def finish(self, event: Finished) -> None:
        """Put the answer in the question's place."""
        turn = event.turn
        self.entries.append(
            Answered(
                turn_id=turn.id,
                number=turn.number,
                question=turn.question,
                response=turn.response,
            )
        )
        if event.notice:
            self.notices[turn.id] = event.notice
        self.pending = None
        self.earlier = self.earlier or len(self.entries) > self.limit
        del self.entries[: -self.limit]

    def replace(self, changed: Answered) -> None:
        """Put a changed turn in its own place."""
        self.entries = [
            changed if isinstance(e, Answered) and e.turn_id == changed.turn_id else e
            for e in self.entries
        ]

    def queue(self, text: str, passage: Chunk | None = None) -> None:
        """Ask this on the next run: a suggestion, or a second try."""
        self.queued = Asked(text, passage)

    def take(self, typed: str | None) -> Asked | None:
        """The question to ask now, if there is one; a word that means reset starts afresh."""
        queued, self.queued = self.queued, None
        if typed is None:
            return queued
        if typed.strip().lower() in _RESET_WORDS:
            self.reset()
            return None
        passage, self.passage = self.passage, None
        return Asked(typed, passage)

    def show_earlier(self, tutor: Tutor) -> None:
        """Bring the turns before the first one on the page."""
        first = self.answered[0].number if self.answered else None
        found = tutor.memory.answers(self.id, WINDOW + 1, before=first)
        self.earlier = len(found) > WINDOW
        self.entries[:0] = found[-WINDOW:]
        self.limit += WINDOW

    def reset(self) -> None:
        """Start a new conversation; the old one stays in the database."""
        if self.entries:
            self.state.reset()
        self.entries, self.earlier, self.limit = [], False, WINDOW
        self.pending = self.queued = self.passage = self.draft = None
        self.complaint, self.notices, self.suggested, self.written = "", {}, {}, {}


def chat(tutor: Tutor) -> Chat:
    """The chat of the conversation in the address, or else this session's."""
    wanted = st.query_params.get(ADDRESS, "") or st.session_state.pop(_RETURN, "")
    current: Chat | None = st.session_state.get(_KEY)
    if current is None or (wanted and wanted != current.id):
        current = _opened(tutor, wanted)
        st.session_state[_KEY] = current
    address = current.id if current.answered else ""
    if address != st.query_params.get(ADDRESS, ""):
        _write_address(address)
    return current


def _write_address(conversation: str) -> None:
    if conversation:
        st.query_params[ADDRESS] = conversation
    else:
        st.query_params.pop(ADDRESS, None)


def _opened(tutor: Tutor, wanted: str) -> Chat:
    """A saved conversation of this learner's, or a new one."""
    owner = learner.owner()
    state = tutor.resume(wanted, owner) if wanted else None
    if state is None:
        gone = "That conversation isn't here: it was deleted, or it is somebody else's."
        return Chat(tutor.start(owner=owner), complaint=gone if wanted else "")
    found = tutor.memory.answers(wanted, WINDOW + 1)
    return Chat(state, entries=list(found[-WINDOW:]), earlier=len(found) > WINDOW)


def current() -> Chat | None:
    """This session's chat, if it has one already."""
    found: Chat | None = st.session_state.get(_KEY)
    return found


def return_to(conversation: str) -> None:
    """Remember which conversation a new tab came from."""
    if conversation and _KEY not in st.session_state:
        st.session_state[_RETURN] = conversation


def open_conversation(conversation: str) -> None:
    """Show another conversation on the next run."""
    _write_address(conversation)


def new_conversation() -> None:
    """Clear the page for another conversation."""
    _write_address("")
    if (found := current()) is not None:
        found.reset()
