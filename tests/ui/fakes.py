"""A tutor that says what a test tells it, for the pages to draw."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from rag.build import Engines
from rag.domain.agent import AgentState
from rag.domain.book import Chunk
from rag.domain.errors import ErrorResponse, ErrorType
from rag.domain.events import Event, Failed, Finished, Retrieved, StatusChanged, TextDelta
from rag.domain.states import TurnState
from rag.memory import Memory
from rag.search.store import Manifest, PageEntry
from tests.builders import make_question, make_response, make_retrieval, make_state, make_turn
from ui import resources

Script = Callable[[str], Iterator[Event]]


class FakeTutor:
    """Plays one script for each question; the last one for every further question."""

    def __init__(self, scripts: Sequence[Script]) -> None:
        self._scripts = list(scripts)
        self.asked: list[str] = []
        self.passages: list[Chunk | None] = []
        self.closed = 0
        self.memory = Memory(f"sqlite:///{Path(os.environ['LECTERN_HOME']) / 'lectern.db'}")

    def book(self) -> Manifest:
        page = PageEntry(
            source_file="a.md", chapter_id="a", module="Part 1", title="Bread", route="/a"
        )
        return Manifest(
            title="A *Small* Book",
            fingerprint="f",
            embedding_model="fake",
            dimensions=1,
            pages=(page,),
            chunk_count=1,
        )

    def start(self, owner: str = "") -> AgentState:
        return make_state()

    def resume(self, conversation_id: str, owner: str) -> AgentState | None:
        return None

    def ask(self, text: str, state: AgentState, passage: Chunk | None = None) -> Iterator[Event]:
        self.asked.append(text)
        self.passages.append(passage)
        script = self._scripts.pop(0) if len(self._scripts) > 1 else self._scripts[0]
        try:
            yield from script(text)
        finally:
            self.closed += 1


def answers(answer: str = "It rises [1].", **response: object) -> Script:
    """A script that finds passages and answers."""

    def play(text: str) -> Iterator[Event]:
        question = make_question(text)
        yield StatusChanged(state=TurnState.RETRIEVING)
        yield Retrieved(retrieval=make_retrieval(question=question))
        for word in answer.split(" "):
            yield TextDelta(text=word + " ")
        given = make_response(answer=answer, **response)
        yield Finished(turn=make_turn(question=question, response=given))

    return play


def fails(kind: ErrorType, message: str = "HTTP 500", partial: str = "") -> Script:
    """A script that fails, perhaps in the middle of an answer."""

    def play(text: str) -> Iterator[Event]:
        if partial:
            yield TextDelta(text=partial)
        yield Failed(error=ErrorResponse.of(kind, message))

    return play


def install(monkeypatch: pytest.MonkeyPatch, tutor: FakeTutor) -> FakeTutor:
    """Let the pages meet this tutor instead of a real library."""
    engines = Engines("fake-model", "fake store", "scripted")
    store = SimpleNamespace(get=lambda chunk_ids: [])
    library = SimpleNamespace(
        tutor=tutor, engines=engines, memory=tutor.memory, store=store, page=lambda chapter_id: None
    )
    monkeypatch.setattr(resources, "library", lambda: library)
    monkeypatch.setattr(resources, "follow_ups", lambda response, asked: ("Why does it rise?",))
    monkeypatch.setattr(resources, "starters", lambda: ("What is bread?", "What is [yeast]?"))
    return tutor
