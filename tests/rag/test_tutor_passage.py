"""Asking about one passage: the same way, with the passage as the only candidate."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.domain.answer import REFUSAL_PHRASE, AnswerSource, ResponseStatus
from rag.domain.book import Chunk
from rag.domain.errors import ErrorType
from rag.domain.events import Failed
from rag.domain.retrieval import Fate
from rag.generate.extractive import ExtractiveGenerator
from rag.memory import Memory
from rag.search.qdrant import EdgeStore
from rag.search.retriever import Retriever
from rag.tutor import Tutor
from tests.builders import make_chunk, make_config
from tests.rag.tutors import ask, generator_of, small_book, tutor_that_says

TEXT = "A gripper closes its fingers around a cup. It opens them again above the table."


def passage_of(text: str = TEXT, heading: str = "What is a gripper?") -> Chunk:
    return make_chunk(chunk_id="chosen", text=text, heading_path=("Hands", heading))


@pytest.fixture
def retriever(tmp_path: Path) -> Iterator[Retriever]:
    with small_book(tmp_path / "index") as opened:
        yield opened


@pytest.fixture
def tutor(retriever: Retriever, memory: Memory) -> Tutor:
    return tutor_that_says(retriever, memory, "Fingers close around it [1].")


def test_the_passage_is_the_only_candidate_and_is_cited(
    tutor: Tutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EdgeStore, "search", None)
    state = tutor.start()
    _, turn = ask(tutor, "What do the fingers of the gripper do?", state, passage_of())
    assert turn.response.grounded
    assert turn.question.passage == TEXT
    assert turn.retrieval is not None
    assert [(c.chunk.chunk_id, c.fate) for c in turn.retrieval.chunks] == [("chosen", Fate.CITED)]
    assert turn.retrieval.total_candidates == 1
    assert [c.quote for c in turn.response.citations] == [TEXT.partition(". ")[0] + "."]
    assert tutor.memory.turns(state.conversation.id) == [turn]


@pytest.mark.parametrize("text", ["Explain this", "What does this mean?", "why?", "summarise"])
def test_a_question_that_only_points_opens_the_gate(tutor: Tutor, text: str) -> None:
    _, turn = ask(tutor, text, tutor.start(), passage_of())
    assert turn.response.status is ResponseStatus.SUCCESS
    assert turn.standalone == TEXT
    (request,) = generator_of(tutor).requests
    assert request.messages[-1].content.endswith(f"Question: {text}")
    assert request.messages[-1].content.count(TEXT) == 1


def test_explain_this_is_answered_with_the_passage_itself(
    retriever: Retriever, memory: Memory
) -> None:
    generator = ExtractiveGenerator(retriever.score_sentences)
    tutor = Tutor(retriever, generator, memory, make_config(threshold=0.3))
    _, turn = ask(tutor, "Explain this", tutor.start(), passage_of())
    assert turn.response.answer == (
        "A gripper closes its fingers around a cup [1]. It opens them again above the table [1]."
    )


def test_what_the_passage_does_not_tell_is_refused_with_the_way_to_the_book(tutor: Tutor) -> None:
    _, turn = ask(tutor, "What's the weather in Lisbon?", tutor.start(), passage_of())
    assert turn.response.status is ResponseStatus.INSUFFICIENT_CONTEXT
    assert turn.response.answer.startswith(f"{REFUSAL_PHRASE} about that in this passage of *The")
    assert "“weather Lisbon”" in turn.response.answer
    assert turn.response.answer.endswith("You can ask the whole book instead.")
    assert turn.response.nearest == ()
    assert generator_of(tutor).requests == []


def test_what_stands_elsewhere_in_the_book_is_not_told_from_a_passage(tutor: Tutor) -> None:
    question = "What keeps the torso above the feet?"
    assert ask(tutor, question, tutor.start())[1].response.grounded
    assert not ask(tutor, question, tutor.start(), passage_of())[1].response.grounded


def test_the_topic_of_the_conversation_stays_out_of_a_passage(tutor: Tutor) -> None:
    state = tutor.start()
    ask(tutor, "What does balance keep above the feet?", state)
    _, turn = ask(tutor, "How does it hold the cup with its fingers?", state, passage_of())
    assert turn.standalone == "How does it hold the cup with its fingers?"
    assert ask(tutor, "Explain this", state, passage_of())[1].standalone == TEXT


def test_a_follow_up_goes_on_from_the_passage_to_the_book(tutor: Tutor) -> None:
    state = tutor.start()
    ask(tutor, "Explain this", state, passage_of())
    _, turn = ask(tutor, "What does it close around?", state)
    assert turn.standalone == "What does gripper close around?"
    assert turn.question.passage == ""
    assert turn.retrieval is not None
    assert turn.retrieval.total_candidates == 3
    assert [t.number for t in state.turns] == [1, 2]


def test_and_x_after_a_passage_does_not_search_the_passage_with_x_in_it(tutor: Tutor) -> None:
    state = tutor.start()
    ask(tutor, "Explain this", state, passage_of())
    assert ask(tutor, "And the camera?", state)[1].standalone == "gripper: the camera?"


def test_thanks_are_thanks_beside_a_passage_too(tutor: Tutor) -> None:
    _, turn = ask(tutor, "thanks!", tutor.start(), passage_of())
    assert turn.response.source is AnswerSource.GREETING


def test_a_passage_that_is_too_long_fails_with_a_sentence(tutor: Tutor) -> None:
    state = tutor.start()
    failed = list(tutor.ask("Explain this", state, passage_of("word " * 401)))[-1]
    assert isinstance(failed, Failed)
    assert failed.error.error_type is ErrorType.INVALID_INPUT
    assert "The passage has 2005 characters" in failed.error.message
    assert state.turns == ()


def test_replaying_a_turn_about_a_passage_gives_the_same(tutor: Tutor) -> None:
    _, turn = ask(tutor, "What do the fingers do?", tutor.start(), passage_of())
    weight = turn.config["lexical_weight"]
    again = tutor.retriever.retrieve_within(turn.question, turn.standalone, passage_of(), weight)
    assert turn.retrieval is not None
    scores = [(c.chunk, c.similarity, c.lexical, c.fused) for c in turn.retrieval.chunks]
    assert [(c.chunk, c.similarity, c.lexical, c.fused) for c in again.chunks] == scores
