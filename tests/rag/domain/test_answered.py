"""Rules of an answer as a reader sees it."""

import pytest
from pydantic import ValidationError

from rag.domain.answered import Answered, Rating
from tests.builders import make_question, make_response


def make_answered(**over: object) -> Answered:
    usual = {
        "turn_id": "t",
        "number": 1,
        "question": make_question(),
        "response": make_response(),
    }
    return Answered.model_validate({**usual, **over})


def test_an_answer_is_unrated_until_somebody_rates_it() -> None:
    assert (make_answered().rating, make_answered().comment) == (None, "")
    assert make_answered(rating="down").rating is Rating.DOWN


def test_a_rating_is_up_or_down() -> None:
    assert [rating.value for rating in Rating] == ["up", "down"]
    with pytest.raises(ValidationError, match="'up' or 'down'"):
        make_answered(rating="sideways")


@pytest.mark.parametrize("wrong", [{"turn_id": " "}, {"number": 0}, {"retrieval": None}])
def test_an_answer_names_its_turn_and_has_no_candidates(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        make_answered(**wrong)


def test_an_answer_survives_json() -> None:
    answer = make_answered(rating=Rating.UP, comment="Good.")
    assert Answered.model_validate_json(answer.model_dump_json()) == answer
