"""Rules that every value shares."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from pydantic import ValidationError

from rag.domain.agent import AgentConfig
from rag.domain.answer import Timings
from rag.domain.base import Value, new_id, utc_now
from rag.domain.retrieval import RetrievalTimings
from tests.builders import make_chunk, make_message, make_question, make_retrieved, make_turn


@pytest.mark.parametrize(
    ("value", "field"),
    [
        (make_question(), "text"),
        (make_chunk(), "text"),
        (make_message(), "content"),
        (make_turn(), "number"),
        (AgentConfig(), "top_k"),
    ],
)
def test_values_are_frozen(value: Value, field: str) -> None:
    with pytest.raises(ValidationError, match="frozen"):
        setattr(value, field, 2)


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValidationError, match="Extra inputs"):
        make_question(colour="red")


def test_ids_are_uuid4_and_unique() -> None:
    ids = {new_id() for _ in range(100)}
    assert len(ids) == 100
    assert all(UUID(i).version == 4 for i in ids)
    assert UUID(make_question().id).version == 4
    assert UUID(make_message().id).version == 4
    assert UUID(make_turn().id).version == 4


def test_a_timestamp_is_now_in_utc_by_default() -> None:
    before = utc_now()
    for moment in (make_question().timestamp, make_message().timestamp, make_turn().timestamp):
        assert before <= moment <= utc_now()
        assert moment.tzinfo is UTC


def test_a_timestamp_without_a_zone_is_refused() -> None:
    with pytest.raises(ValidationError, match="timezone"):
        make_question(timestamp=datetime(2025, 12, 12, 10, 30))


def test_a_timestamp_of_another_zone_becomes_utc() -> None:
    there = datetime(2025, 12, 12, 10, 30, tzinfo=timezone(timedelta(hours=5)))
    moment = make_question(timestamp=there).timestamp
    assert moment == there
    assert moment.hour == 5


@pytest.mark.parametrize("name", ["retrieval_ms", "generation_ms", "total_ms"])
def test_times_are_not_negative(name: str) -> None:
    with pytest.raises(ValidationError):
        Timings.model_validate({name: -0.1})
    assert Timings.model_validate({name: 0}) == Timings()


@pytest.mark.parametrize("name", ["embed_ms", "search_ms", "rank_ms"])
def test_retrieval_times_are_not_negative(name: str) -> None:
    with pytest.raises(ValidationError):
        RetrievalTimings.model_validate({name: -0.1})


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_no_number_is_infinite_because_json_could_not_hold_it(number: float) -> None:
    with pytest.raises(ValidationError):
        Timings(total_ms=number)
    with pytest.raises(ValidationError):
        make_retrieved(lexical=number)
