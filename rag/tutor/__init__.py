"""The tutor: sessions of one book, and what is asked in them."""

from collections.abc import Generator as Steps
from datetime import datetime

from rag.domain.agent import TURNS_KEPT, AgentConfig, AgentState
from rag.domain.book import Chunk
from rag.domain.errors import TurnError
from rag.domain.events import Event, Failed
from rag.domain.states import SessionStatus, TurnState
from rag.generate.base import Generator
from rag.memory import Memory
from rag.prompts import system_message
from rag.search.retriever import Retriever
from rag.search.store import Manifest
from rag.tutor.run import Parts, Run, messages_of


class Tutor:
    """Answers questions about one book. One tutor serves every session."""

    def __init__(
        self, retriever: Retriever, generator: Generator, memory: Memory, config: AgentConfig
    ) -> None:
        """Take ready collaborators; nothing is opened yet."""
        self.retriever = retriever
        self.generator = generator
        self.memory = memory
        self.config = config

    def book(self) -> Manifest:
        """The book it answers from."""
        return self.retriever.book()

    def start(self, interactive: bool = True, owner: str = "") -> AgentState:
        """A fresh session, whose turns are saved as this owner's."""
        system = system_message(self.config, self.book().title)
        return AgentState.started(self.config, system, interactive, owner)

    def resume(self, conversation_id: str, owner: str) -> AgentState | None:
        """A session that goes on where a conversation stopped; None unless it is the owner's."""
        known = self.memory.summary(conversation_id, owner)
        if known is None:
            return None
        state = self.start(owner=owner)
        same: dict[str, str | datetime] = {"id": known.id, "started_at": known.started_at}
        state.conversation = state.conversation.model_copy(update=same)
        # Two messages a turn: the window may hold more turns than a session keeps.
        wanted = max(TURNS_KEPT, (self.config.max_history + 1) // 2)
        for turn in self.memory.turns(conversation_id, wanted):
            state.remember(turn, *messages_of(turn))
        state.move_session(SessionStatus.ACTIVE)
        return state

    def ask(
        self, text: str, state: AgentState, passage: Chunk | None = None
    ) -> Steps[Event, None, None]:
        """Answer one question, of the book or of one passage of it, telling each step."""
        parts = Parts(self.retriever, self.generator, self.memory)
        run = Run(parts, state, passage)
        try:
            yield from run.events(text)
        except TurnError as error:
            yield from run.enter(TurnState.ERROR)
            yield Failed(error=error.response())
        finally:
            # Also when the reader walks away in mid-stream: the next question finds us idle.
            state.status = TurnState.IDLE
