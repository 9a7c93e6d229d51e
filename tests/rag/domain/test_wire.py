"""An answer as JSON, against the literal serialization of seed 001."""

import json
from typing import Any

import pytest

from rag.domain.answer import AgentResponse, ResponseStatus
from rag.domain.errors import ErrorType
from rag.domain.wire import response_from_json, response_to_json
from tests.builders import (
    make_citation,
    make_failure,
    make_greeting,
    make_refusal,
    make_response,
)

# Word for word from the seed, but for the answer, which it cut off before its citation.
SEED_001 = """{
  "query_id": "550e8400-e29b-41d4-a716-446655440000",
  "status": "success",
  "answer": "Inverse kinematics (IK) is the mathematical process... [1]",
  "confidence": {
    "retrieval_quality": 0.89,
    "coverage_score": 0.85,
    "entailment_score": 0.92,
    "lexical_overlap": 0.78,
    "overall": 0.87,
    "level": "high"
  },
  "sources": [
    {
      "chunk_id": "chunk_1234",
      "citation_index": 1,
      "relevance_score": 0.89,
      "excerpt": "Inverse kinematics (IK) is the mathematical process...",
      "metadata": {
        "page_number": 42,
        "section_title": "IK Fundamentals",
        "chapter": "Chapter 3: Motion Control",
        "url": "https://physical-ai-humanoid-robotics-textb-dun.vercel.app/chapter-3",
        "chunk_index": 15
      }
    }
  ],
  "metadata": {
    "model": "gpt-4-turbo-preview",
    "temperature": 0.2,
    "total_time_ms": 1850.5,
    "retrieval_time_ms": 245.3,
    "generation_time_ms": 1605.2,
    "tokens_used": 450,
    "timestamp": "2025-12-12T10:30:02Z"
  },
  "error_message": null
}"""

RESPONSES = [
    make_response(
        answer="Both [1] [2].",
        citations=(make_citation(1, page_number=42), make_citation(2, heading="")),
        temperature=0.2,
        dropped_markers=3,
    ),
    make_refusal(),
    make_failure(ErrorType.RATE_LIMIT),
    make_greeting(),
]
NAMES = ["success", "refusal", "error", "greeting"]


def through_text(response: AgentResponse) -> dict[str, Any]:
    """A response as another program would read it."""
    read: dict[str, Any] = json.loads(json.dumps(response_to_json(response)))
    return read


@pytest.mark.parametrize("response", RESPONSES, ids=NAMES)
def test_a_response_survives_json_without_loss(response: AgentResponse) -> None:
    assert response_from_json(through_text(response)) == response


@pytest.mark.parametrize("response", RESPONSES, ids=NAMES)
def test_the_json_has_every_key_of_the_seed(response: AgentResponse) -> None:
    seed, ours = json.loads(SEED_001), through_text(response)
    assert seed.keys() <= ours.keys()
    assert seed["confidence"].keys() == ours["confidence"].keys()
    assert seed["metadata"].keys() == ours["metadata"].keys()
    for source in ours["sources"] + ours["nearest"]:
        assert seed["sources"][0].keys() == source.keys()
        assert seed["sources"][0]["metadata"].keys() <= source["metadata"].keys()


def test_the_seeds_own_json_is_read_and_written_back() -> None:
    seed = json.loads(SEED_001)
    response = response_from_json(seed)
    assert (response.status, response.grounded) == (ResponseStatus.SUCCESS, True)
    assert response.citations[0].position == 15
    ours = through_text(response)
    assert ours["metadata"] == seed["metadata"]
    # The seed rounds to two places; the weights give 0.871.
    assert ours["confidence"] == {**seed["confidence"], "overall": 0.871}
    assert {k: ours[k] for k in ("query_id", "status", "answer", "error_message")} == {
        k: seed[k] for k in ("query_id", "status", "answer", "error_message")
    }
    source, place = ours["sources"][0], ours["sources"][0]["metadata"]
    assert place["url"] == seed["sources"][0]["metadata"]["url"]
    assert source["excerpt"] == seed["sources"][0]["excerpt"]


def test_a_success_has_no_error_message() -> None:
    assert through_text(RESPONSES[0])["error_message"] is None


def test_a_refusal_keeps_its_sentence_in_the_answer() -> None:
    refusal = through_text(make_refusal())
    assert refusal["status"] == "insufficient_context"
    assert refusal["grounded"] is False
    assert "I don't have information" in refusal["answer"]
    assert refusal["sources"] == []
    assert len(refusal["nearest"]) == 1


def test_an_error_has_its_message_for_the_user() -> None:
    failure = through_text(make_failure(ErrorType.API_ERROR))
    assert failure["status"] == "error"
    assert failure["error_message"] == (
        "There was a problem connecting to the AI service. Please try again."
    )
    assert failure["error"]["error_type"] == "api_error"


def test_timestamps_are_written_in_utc_with_a_z() -> None:
    assert through_text(make_response())["metadata"]["timestamp"].endswith("Z")
