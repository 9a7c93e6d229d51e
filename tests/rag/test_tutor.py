"""Tutor.ask(): the events of one question's whole way, with a scripted generator."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.domain.answer import REFUSAL_PHRASE, AnswerSource, ResponseStatus
from rag.domain.errors import ApiFailed, ErrorType, StorageError, TurnError
from rag.domain.events import Failed, Finished, Retrieved, StatusChanged, TextDelta
from rag.domain.retrieval import Fate
from rag.domain.states import SessionStatus, TurnState
from rag.domain.turn import Turn
from rag.generate.base import GenerationRequest
from rag.memory import Memory
from rag.search.retriever import Retriever
from rag.tutor import Tutor
from tests.builders import make_config
from tests.rag.tutors import TEXTS, ask, generator_of, small_book, tutor_that_says


@pytest.fixture
def retriever(tmp_path: Path) -> Iterator[Retriever]:
    with small_book(tmp_path / "index") as opened:
        yield opened


@pytest.fixture
def tutor(retriever: Retriever, memory: Memory) -> Tutor:
    return tutor_that_says(retriever, memory, "Fingers close ", "around it [", "1]", ".")


def test_the_events_of_an_answer_come_in_order(tutor: Tutor) -> None:
    events, _ = ask(tutor, "What does the gripper do with its fingers?", tutor.start())
    states = [e.state for e in events if isinstance(e, StatusChanged)]
    assert states == [
        TurnState.RECEIVED,
        TurnState.VALIDATING,
        TurnState.RETRIEVING,
        TurnState.GENERATING,
        TurnState.COMPLETE,
    ]
    kinds = [type(e) for e in events if not isinstance(e, StatusChanged)]
    assert kinds[0] is Retrieved
    assert set(kinds[1:-1]) == {TextDelta}


def test_the_streamed_text_is_the_answer(tutor: Tutor) -> None:
    events, turn = ask(tutor, "What does the gripper do with its fingers?", tutor.start())
    streamed = "".join(e.text for e in events if isinstance(e, TextDelta))
    assert streamed == turn.response.answer == "Fingers close around it [1]."


def test_a_grounded_answer_is_cited_verbatim_and_its_fates_say_so(tutor: Tutor) -> None:
    _, turn = ask(tutor, "What does the gripper do with its fingers?", tutor.start())
    response, retrieval = turn.response, turn.retrieval
    assert response.status is ResponseStatus.SUCCESS
    assert response.grounded
    assert [c.quote for c in response.citations] == [TEXTS[0]]
    assert retrieval is not None
    assert retrieval.chunks[0].fate is Fate.CITED
    assert response.retrieval_count == len(retrieval.used)
    assert response.tokens_used > 0
    assert turn.ledger is not None
    assert turn.config_fingerprint == tutor.config.fingerprint


def test_a_marker_that_does_not_resolve_is_dropped_and_counted(
    retriever: Retriever, memory: Memory
) -> None:
    tutor = tutor_that_says(retriever, memory, "Fingers close [1] and more [7].")
    _, turn = ask(tutor, "gripper fingers cup", tutor.start())
    assert turn.response.answer == "Fingers close [1] and more."
    assert turn.response.dropped_markers == 1


def test_an_answer_that_cites_nothing_becomes_a_refusal(
    retriever: Retriever, memory: Memory
) -> None:
    tutor = tutor_that_says(retriever, memory, "I just know it.")
    _, turn = ask(tutor, "gripper fingers cup", tutor.start())
    assert turn.response.status is ResponseStatus.INSUFFICIENT_CONTEXT
    assert not turn.response.grounded


def test_out_of_scope_is_refused_without_generation_on_turn_1_and_after_many(tutor: Tutor) -> None:
    state = tutor.start()
    for _ in range(10):
        ask(tutor, "What does the gripper do with its fingers?", state)
    calls = len(generator_of(tutor).requests)
    for fresh in (tutor.start(), state):
        events, turn = ask(tutor, "Quantum chromodynamics lagrangian?", fresh)
        assert turn.response.status is ResponseStatus.INSUFFICIENT_CONTEXT
        assert REFUSAL_PHRASE in turn.response.answer
        assert turn.response.nearest
        assert not turn.response.citations
        assert TurnState.GENERATING not in [e.state for e in events if isinstance(e, StatusChanged)]
    assert len(generator_of(tutor).requests) == calls


def test_a_follow_up_is_searched_with_its_topic(tutor: Tutor) -> None:
    state = tutor.start()
    ask(tutor, "What is a gripper?", state)
    _, turn = ask(tutor, "What does it close around?", state)
    assert turn.standalone == "What does gripper close around?"
    assert turn.question.text == "What does it close around?"


def test_a_greeting_is_no_refusal_and_says_what_the_book_covers(tutor: Tutor) -> None:
    _, turn = ask(tutor, "Hello!", tutor.start())
    assert turn.response.source is AnswerSource.GREETING
    assert turn.response.status is ResponseStatus.SUCCESS
    assert "It covers Hands" in turn.response.answer
    assert turn.retrieval is None


@pytest.mark.parametrize("text", ["What is this book about?", "list the chapters"])
def test_what_the_book_is_about_is_told_without_a_search(tutor: Tutor, text: str) -> None:
    _, turn = ask(tutor, text, tutor.start())
    assert turn.response.answer == "*The Book* covers Hands."


def test_what_was_discussed_first_comes_from_the_conversation(tutor: Tutor) -> None:
    state = tutor.start()
    for text in ("Hello!", "What is a gripper?", "What does the camera see?"):
        ask(tutor, text, state)
    _, turn = ask(tutor, "What did we discuss first?", state)
    assert turn.response.source is AnswerSource.CONVERSATION
    assert "What is a gripper?" in turn.response.answer
    _, fresh = ask(tutor, "What did we discuss first?", tutor.start())
    assert "haven't discussed anything" in fresh.response.answer


@pytest.mark.parametrize("text", ["", "   ", "x" * 2001, "what\x00"])
def test_bad_input_fails_with_a_sentence_and_loses_nothing(tutor: Tutor, text: str) -> None:
    state = tutor.start()
    ask(tutor, "What is a gripper?", state)
    before = state.conversation
    failed = list(tutor.ask(text, state))[-1]
    assert isinstance(failed, Failed)
    assert failed.error.error_type is ErrorType.INVALID_INPUT
    assert failed.error.user_message.startswith("Your question couldn't be processed.")
    assert state.conversation == before
    assert state.status is TurnState.IDLE
    ask(tutor, "What is a gripper?", state)


class FailingGenerator:
    name = "failing"

    def __init__(self, error: TurnError) -> None:
        self.error = error

    def stream(self, request: GenerationRequest) -> Iterator[str]:
        yield "Half an ans"
        raise self.error


def test_a_failing_generator_becomes_its_error_and_the_session_goes_on(
    retriever: Retriever, memory: Memory
) -> None:
    config = make_config(threshold=0.3)
    tutor = Tutor(retriever, FailingGenerator(ApiFailed("connection reset")), memory, config)
    state = tutor.start()
    events = list(tutor.ask("gripper fingers cup", state))
    assert isinstance(events[-1], Failed)
    assert events[-1].error.error_type is ErrorType.API_ERROR
    assert events[-1].error.message == "connection reset"
    assert state.status is TurnState.IDLE
    assert state.turns == ()


def test_a_reader_who_walks_away_leaves_the_session_usable(tutor: Tutor) -> None:
    state = tutor.start()
    stream = tutor.ask("gripper fingers cup", state)
    for event in stream:
        if isinstance(event, TextDelta):
            break
    stream.close()
    assert state.status is TurnState.IDLE
    ask(tutor, "gripper fingers cup", state)


def test_an_answer_is_given_even_when_it_cannot_be_saved(
    tutor: Tutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> Turn:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(tutor.memory, "save_turn", full)
    state = tutor.start()
    last = list(tutor.ask("gripper fingers cup", state))[-1]
    assert isinstance(last, Finished)
    assert "could not be saved. The disk is full." in last.notice
    assert len(state.turns) == 1


def test_a_turn_is_saved_as_it_was_made(tutor: Tutor) -> None:
    state = tutor.start()
    _, turn = ask(tutor, "gripper fingers cup", state)
    assert tutor.memory.turns(state.conversation.id) == [turn]


def test_the_session_counts_tokens_and_becomes_active(tutor: Tutor) -> None:
    state = tutor.start()
    assert state.session_status.value == "created"
    _, one = ask(tutor, "gripper fingers cup", state)
    _, two = ask(tutor, "camera cup table", state)
    assert state.total_tokens_used == one.response.tokens_used + two.response.tokens_used
    assert state.session_status is SessionStatus.ACTIVE
    assert [t.number for t in state.turns] == [1, 2]
    assert state.last_retrieval == two.retrieval


def test_history_reaches_the_generator_with_real_token_counts(tutor: Tutor) -> None:
    state = tutor.start()
    ask(tutor, "gripper fingers cup", state)
    ask(tutor, "camera cup table", state)
    roles = [m.role.value for m in generator_of(tutor).requests[-1].messages]
    assert roles == ["system", "user", "assistant", "user"]
    assert all(m.token_count > 0 for m in state.conversation.messages)


def test_two_sessions_share_nothing(tutor: Tutor) -> None:
    one, other = tutor.start(), tutor.start()
    ask(tutor, "gripper fingers cup", one)
    assert other.turns == ()
    assert len(other.conversation.messages) == 1


def test_replaying_a_turn_with_its_stored_configuration_gives_the_same(tutor: Tutor) -> None:
    _, turn = ask(tutor, "gripper fingers cup", tutor.start())
    again = tutor.retriever.retrieve(turn.question, turn.standalone, turn.config["lexical_weight"])
    assert turn.retrieval is not None
    scores = [(c.chunk.chunk_id, c.similarity, c.fused) for c in turn.retrieval.chunks]
    assert [(c.chunk.chunk_id, c.similarity, c.fused) for c in again.chunks] == scores
