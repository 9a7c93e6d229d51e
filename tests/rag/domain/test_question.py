"""Rules of a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.domain.errors import InvalidInput
from rag.domain.question import MAX_PASSAGE_CHARS, MAX_QUESTION_CHARS, Question
from tests.builders import make_question


@pytest.mark.parametrize("text", ["", " ", "\n\t \r\n", "\u00a0\u3000"])
def test_question_must_not_be_empty_or_whitespace(text: str) -> None:
    with pytest.raises(ValidationError, match="type a question"):
        make_question(text)


def test_question_is_at_most_2000_characters_after_trimming() -> None:
    assert MAX_QUESTION_CHARS == 2000
    assert len(make_question("  " + "x" * 2000 + "\n").text) == 2000
    with pytest.raises(ValidationError, match="2001 characters; at most 2000"):
        make_question("x" * 2001)


def test_a_question_of_one_character_is_allowed() -> None:
    assert make_question("?").text == "?"


def test_question_is_trimmed() -> None:
    assert make_question("  What is ROS 2?\n").text == "What is ROS 2?"


@pytest.mark.parametrize("character", ["\x00", "\x07", "\x1b", "\x7f", "\x85"])
def test_control_characters_are_refused(character: str) -> None:
    with pytest.raises(ValidationError, match="control characters"):
        make_question(f"What is{character}ROS 2?")


def test_tabs_and_newlines_are_allowed() -> None:
    assert make_question("What\tis\r\nROS 2?").text == "What\tis\r\nROS 2?"


@pytest.mark.parametrize("top_k", [0, -1, 21])
def test_top_k_must_be_between_1_and_20(top_k: int) -> None:
    with pytest.raises(ValidationError):
        make_question(top_k=top_k)


@pytest.mark.parametrize("top_k", [1, 20])
def test_top_k_may_be_1_and_20(top_k: int) -> None:
    assert make_question(top_k=top_k).top_k == top_k


def test_top_k_is_5_by_default() -> None:
    assert make_question().top_k == 5


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_threshold_must_be_between_0_and_1(threshold: float) -> None:
    with pytest.raises(ValidationError):
        make_question(threshold=threshold)


@pytest.mark.parametrize("threshold", [0.0, 1.0])
def test_threshold_may_be_0_and_1(threshold: float) -> None:
    assert make_question(threshold=threshold).threshold == threshold


def test_metadata_is_optional() -> None:
    assert make_question().metadata == {}
    assert make_question(metadata={"session_id": "abc"}).metadata == {"session_id": "abc"}


@pytest.mark.parametrize(
    ("text", "top_k", "threshold", "sentence"),
    [
        ("", 5, 0.5, "Please type a question."),
        ("   ", 5, 0.5, "Please type a question."),
        ("x" * 2001, 5, 0.5, "The question has 2001 characters; at most 2000 are allowed."),
        ("a\x00b", 5, 0.5, "The question contains control characters; please type it again."),
        ("Why?", 0, 0.5, "top_k is the number of passages, from 1 to 20; it was 0."),
        ("Why?", 21, 0.5, "top_k is the number of passages, from 1 to 20; it was 21."),
        ("Why?", 5, -0.1, "The threshold is a similarity from 0 to 1; it was -0.1."),
        ("Why?", 5, 1.1, "The threshold is a similarity from 0 to 1; it was 1.1."),
    ],
)
def test_bad_input_is_refused_in_words(
    text: str, top_k: int, threshold: float, sentence: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        Question.ask(text, top_k, threshold)
    assert str(caught.value) == sentence


def test_good_input_becomes_a_question() -> None:
    question = Question.ask(" What is ROS 2? ", 3, 0.7)
    assert (question.text, question.top_k, question.threshold) == ("What is ROS 2?", 3, 0.7)


@given(text=st.text(st.characters(), max_size=2100))
def test_any_text_is_a_clean_question_or_invalid_input(text: str) -> None:
    try:
        question = Question.ask(text, 5, 0.5)
    except InvalidInput:
        return
    assert question.text == question.text.strip()
    assert 1 <= len(question.text) <= 2000
    assert Question.model_validate_json(question.model_dump_json()) == question


def test_half_a_character_is_refused_in_words() -> None:
    with pytest.raises(InvalidInput, match="please type it again"):
        Question.ask("What is \udcff?", 5, 0.5)


def test_a_question_is_of_the_whole_book_unless_a_passage_is_given() -> None:
    assert Question.ask("Why?", 5, 0.5).passage == ""
    asked = Question.ask("Why?", 5, 0.5, "  A passage,\n\tas it stands.  ")
    assert asked.passage == "  A passage,\n\tas it stands.  "
    assert Question.model_validate_json(asked.model_dump_json()) == asked


def test_a_passage_has_at_most_2000_characters() -> None:
    assert MAX_PASSAGE_CHARS == 2000
    assert len(Question.ask("Why?", 5, 0.5, "x" * 2000).passage) == 2000
    with pytest.raises(InvalidInput) as caught:
        Question.ask("Why?", 5, 0.5, "x" * 2001)
    assert str(caught.value) == (
        "The passage has 2001 characters; at most 2000 are allowed. Please choose a shorter one."
    )


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\udcff"])
def test_a_passage_that_no_page_shows_is_refused_in_words(character: str) -> None:
    with pytest.raises(InvalidInput, match="The passage contains control characters"):
        Question.ask("Why?", 5, 0.5, f"A{character}passage")
