"""Owners, and conversations that go on after a restart."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.build import Library
from rag.domain.agent import TURNS_KEPT, AgentState
from rag.domain.states import SessionStatus
from rag.memory import Memory
from rag.search.retriever import Retriever
from rag.settings import Settings
from rag.tutor import Tutor
from tests.rag.tutors import ask, small_book, tutor_that_says

SAID = "Fingers close around it [1]."


@pytest.fixture
def retriever(tmp_path: Path) -> Iterator[Retriever]:
    with small_book(tmp_path / "index") as opened:
        yield opened


@pytest.fixture
def tutor(retriever: Retriever, memory: Memory) -> Tutor:
    return tutor_that_says(retriever, memory, SAID)


def resumed(tutor: Tutor, file: Path, state: AgentState) -> tuple[Tutor, AgentState]:
    """The conversation in another process: another memory on the same file."""
    tutor.memory.close()
    other = tutor_that_says(tutor.retriever, Memory(f"sqlite:///{file}"), SAID)
    found = other.resume(state.conversation.id, state.owner)
    assert found is not None
    return other, found


def test_turns_are_saved_as_their_owners(tutor: Tutor) -> None:
    mine, nobodys = tutor.start(owner="ada"), tutor.start()
    ask(tutor, "gripper fingers cup", mine)
    ask(tutor, "gripper fingers cup", nobodys)
    assert [c.id for c in tutor.memory.conversations("ada")] == [mine.conversation.id]
    assert [c.id for c in tutor.memory.conversations("")] == [nobodys.conversation.id]


def test_a_resumed_session_is_as_if_it_had_never_ended(tutor: Tutor, file: Path) -> None:
    state = tutor.start(owner="ada")
    for text in ("What is a gripper?", "camera cup table"):
        ask(tutor, text, state)
    other, again = resumed(tutor, file, state)
    assert again.owner == "ada"
    assert again.turns == state.turns
    assert again.last_retrieval == state.last_retrieval
    assert again.total_tokens_used == state.total_tokens_used
    assert again.session_status is SessionStatus.ACTIVE
    assert again.conversation.id == state.conversation.id
    assert again.conversation.started_at == state.turns[0].timestamp
    said = [(m.role, m.content, m.timestamp) for m in state.conversation.dialogue]
    assert [(m.role, m.content, m.timestamp) for m in again.conversation.dialogue] == said
    other.memory.close()


def test_a_follow_up_and_its_number_go_on_after_a_restart(tutor: Tutor, file: Path) -> None:
    state = tutor.start(owner="ada")
    ask(tutor, "camera cup table", state)
    ask(tutor, "What is a gripper?", state)
    other, again = resumed(tutor, file, state)
    _, turn = ask(other, "What does it close around?", again)
    assert turn.standalone == "What does gripper close around?"
    assert turn.number == 3
    _, looked_back = ask(other, "What did we discuss first?", again)
    assert "camera cup table" in looked_back.response.answer
    assert other.memory.questions(state.conversation.id)[2] == "What does it close around?"
    other.memory.close()


def test_a_long_conversation_comes_back_as_its_newest_part(tutor: Tutor, file: Path) -> None:
    state = tutor.start(owner="ada")
    for n in range(TURNS_KEPT + 3):
        ask(tutor, f"gripper fingers cup {n}", state)
    other, again = resumed(tutor, file, state)
    assert [t.number for t in again.turns] == [t.number for t in state.turns]
    assert len(again.turns) == TURNS_KEPT
    assert len(again.conversation.dialogue) == again.config.max_history
    other.memory.close()


def test_a_wide_window_of_messages_comes_back_whole(tutor: Tutor, file: Path) -> None:
    tutor.config = tutor.config.model_copy(update={"max_history": 26})
    state = tutor.start(owner="ada")
    for n in range(15):
        ask(tutor, f"gripper fingers cup {n}", state)
    again = tutor.resume(state.conversation.id, "ada")
    assert again is not None
    assert len(again.conversation.dialogue) == len(state.conversation.dialogue) == 26
    assert len(again.turns) == TURNS_KEPT


def test_nobody_resumes_what_is_not_theirs_or_not_there(tutor: Tutor) -> None:
    state = tutor.start(owner="ada")
    ask(tutor, "gripper fingers cup", state)
    assert tutor.resume(state.conversation.id, "ada") is not None
    assert tutor.resume(state.conversation.id, "bob") is None
    assert tutor.resume(state.conversation.id, "") is None
    assert tutor.resume("no-such-conversation", "ada") is None


@pytest.mark.model
def test_how_do_i_install_it_is_understood_after_a_restart(settings: Settings) -> None:
    with Library(settings) as library:
        state = library.tutor.start(owner="ada")
        for text in ("What is a node?", "What is ROS 2?"):
            ask(library.tutor, text, state)
    with Library(settings) as library:
        again = library.tutor.resume(state.conversation.id, "ada")
        assert again is not None
        _, turn = ask(library.tutor, "How do I install it?", again)
    assert turn.standalone == "How do I install ROS 2?"
    assert turn.response.grounded
    assert turn.number == 3
