"""Rules of a retrieval and the fates of its candidates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.domain.retrieval import (
    Fate,
    Retrieval,
    RetrievalParameters,
    RetrievalTimings,
    RetrievedChunk,
)
from tests.builders import make_chunk, make_question, make_retrieval, make_retrieved


@pytest.mark.parametrize("similarity", [-0.01, 1.01])
def test_similarity_is_between_0_and_1(similarity: float) -> None:
    with pytest.raises(ValidationError):
        make_retrieved(similarity=similarity)


def test_other_scores_stand_beside_the_similarity() -> None:
    found = make_retrieved(similarity=0.8, lexical=17.5, fused=0.03, rerank=-2.0)
    assert (found.similarity, found.lexical, found.fused, found.rerank) == (0.8, 17.5, 0.03, -2.0)


def test_no_more_chunks_are_selected_than_top_k() -> None:
    two = RetrievalParameters(top_k=2)
    beyond = make_retrieval(Fate.USED, Fate.CITED, Fate.BEYOND_TOP_K, parameters=two)
    assert len(beyond.used) == 2
    with pytest.raises(ValidationError, match="more chunks were selected than top_k"):
        make_retrieval(Fate.USED, Fate.CITED, Fate.USED, parameters=two)


def test_every_selected_chunk_reaches_the_threshold() -> None:
    at = RetrievalParameters(threshold=0.8)
    exact = make_retrieved(similarity=0.8)
    assert make_retrieval(chunks=(exact,), parameters=at).used == (exact,)
    below = make_retrieved(similarity=0.7999)
    with pytest.raises(ValidationError, match="below the threshold"):
        make_retrieval(chunks=(below,), parameters=at)


def test_a_high_lexical_score_does_not_replace_the_similarity() -> None:
    loud = make_retrieved(similarity=0.1, lexical=99.0, fused=1.0, rerank=1.0)
    with pytest.raises(ValidationError, match="below the threshold"):
        make_retrieval(chunks=(loud,))


def test_chunks_are_ordered_best_first() -> None:
    with pytest.raises(ValidationError, match="ordered by rank"):
        make_retrieval(chunks=(make_retrieved(2), make_retrieved(1)))
    with pytest.raises(ValidationError, match="ordered by rank"):
        make_retrieval(chunks=(make_retrieved(1), make_retrieved(2, rank=1)))


def test_a_chunk_is_a_candidate_only_once() -> None:
    again = make_retrieved(2, chunk=make_chunk(1))
    with pytest.raises(ValidationError, match="twice"):
        make_retrieval(chunks=(make_retrieved(1), again))


@pytest.mark.parametrize("name", ["total_candidates", "filtered_count"])
def test_counts_are_not_negative(name: str) -> None:
    with pytest.raises(ValidationError):
        Retrieval.model_validate({"question": make_question(), "query": "q", name: -1})


@pytest.mark.parametrize("over", [{"top_k": 0}, {"top_k": 21}, {"threshold": 1.1}])
def test_parameters_have_the_ranges_of_a_question(over: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        RetrievalParameters.model_validate(over)


def test_query_must_not_be_empty() -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        make_retrieval(query=" ")


def test_retrieval_may_be_empty() -> None:
    empty = make_retrieval(chunks=())
    assert empty.used == ()
    assert empty.top_similarity == 0.0
    assert empty.citations() == ()


def test_total_time_is_the_sum_of_its_parts() -> None:
    assert RetrievalTimings(embed_ms=1.5, search_ms=2, rank_ms=0.5).total_ms == 4.0


def test_total_tokens_are_those_of_the_selected_chunks() -> None:
    assert make_retrieval(Fate.USED, Fate.DUPLICATE, Fate.CITED).total_tokens == 24


def test_top_similarity_looks_at_every_candidate() -> None:
    far = make_retrieval(Fate.BELOW_THRESHOLD)
    assert far.top_similarity == 0.1


def test_the_fates_are_those_of_the_specification() -> None:
    assert {f.value for f in Fate} == {
        "cited",
        "used",
        "over_budget",
        "below_threshold",
        "duplicate",
        "beyond_top_k",
    }
    assert {f for f in Fate if f.in_prompt} == {Fate.CITED, Fate.USED}


def test_format_for_prompt_is_that_of_the_seed() -> None:
    first = make_retrieved(1, chunk=make_chunk(1, text="Nodes.", url="https://a.example/1"))
    cut = make_retrieved(2, fate=Fate.OVER_BUDGET)
    third = make_retrieved(3, chunk=make_chunk(3, text="Topics.", url="https://a.example/3"))
    assert make_retrieval(chunks=(first, cut, third)).format_for_prompt() == (
        "Context from book:\n\n"
        "[1] Source: ROS 2 Basics (https://a.example/1)\nNodes.\n\n"
        "[2] Source: ROS 2 Basics (https://a.example/3)\nTopics."
    )


def test_citations_are_numbered_as_in_the_prompt() -> None:
    retrieval = make_retrieval(Fate.CITED, Fate.DUPLICATE, Fate.USED)
    cited = [(c.index, c.chunk_id, c.score) for c in retrieval.citations()]
    assert cited == [(1, "chunk-1", 0.89), (2, "chunk-3", 0.87)]


def test_a_citations_quote_stands_verbatim_in_its_chunk() -> None:
    chunk = make_chunk(1, text="A long sentence about robots. " * 20)
    (citation,) = make_retrieval(chunks=(make_retrieved(1, chunk=chunk),)).citations()
    assert citation.quote in chunk.text
    assert 0 < len(citation.quote) <= 200


def test_trimming_gives_up_the_lowest_ranked_chunks_first() -> None:
    trimmed = make_retrieval().trim_to_budget(24, tokens)
    assert [c.fate for c in trimmed.chunks] == [Fate.USED, Fate.USED, Fate.OVER_BUDGET]
    assert len(make_retrieval().trim_to_budget(23, tokens).used) == 1


def test_a_smaller_worse_chunk_never_jumps_the_queue() -> None:
    costs = {"chunk-1": 10, "chunk-2": 100, "chunk-3": 1}
    trimmed = make_retrieval().trim_to_budget(20, lambda c: costs[c.chunk.chunk_id])
    assert [c.chunk.chunk_id for c in trimmed.used] == ["chunk-1"]


def test_a_fate_cannot_lift_a_chunk_over_the_threshold() -> None:
    with pytest.raises(ValidationError, match="below the threshold"):
        make_retrieval(Fate.BELOW_THRESHOLD).with_fates({"chunk-1": Fate.CITED})


# --- properties ---


@st.composite
def retrievals(draw: st.DrawFn) -> Retrieval:
    """Any retrieval that ranking could make: shuffled fates within top_k and threshold."""
    top_k = draw(st.integers(1, 20))
    threshold = draw(st.floats(0, 1))
    found: list[RetrievedChunk] = []
    room = top_k
    for n in range(1, draw(st.integers(0, 30)) + 1):
        similarity = draw(st.floats(0, 1))
        fate = draw(st.sampled_from(list(Fate)))
        if fate.in_prompt and similarity < threshold:
            fate = Fate.BELOW_THRESHOLD
        elif fate.in_prompt and room == 0:
            fate = Fate.BEYOND_TOP_K
        room -= fate.in_prompt
        chunk = make_chunk(n, token_count=draw(st.integers(1, 600)))
        found.append(RetrievedChunk(chunk=chunk, similarity=similarity, rank=n, fate=fate))
    return Retrieval(
        question=make_question(),
        query="q",
        chunks=tuple(found),
        parameters=RetrievalParameters(top_k=top_k, threshold=threshold),
    )


def tokens(candidate: RetrievedChunk) -> int:
    return candidate.chunk.token_count


@given(retrieval=retrievals(), budget=st.integers(0, 8000))
def test_trimming_fits_the_budget_and_keeps_the_best(retrieval: Retrieval, budget: int) -> None:
    trimmed = retrieval.trim_to_budget(budget, tokens)
    assert trimmed.total_tokens <= budget
    kept = [c.chunk.chunk_id for c in trimmed.used]
    before = [c.chunk.chunk_id for c in retrieval.used]
    assert kept == before[: len(kept)]
    if len(kept) < len(before):
        assert trimmed.total_tokens + tokens(retrieval.used[len(kept)]) > budget


@given(retrieval=retrievals(), budget=st.integers(0, 8000))
def test_trimming_touches_only_selected_chunks(retrieval: Retrieval, budget: int) -> None:
    trimmed = retrieval.trim_to_budget(budget, tokens)
    for before, after in zip(retrieval.chunks, trimmed.chunks, strict=True):
        assert after.chunk == before.chunk
        if not before.fate.in_prompt:
            assert after.fate is before.fate
        else:
            assert after.fate in (before.fate, Fate.OVER_BUDGET)


@given(retrieval=retrievals(), budget=st.integers(0, 8000), cited=st.sets(st.integers(1, 30)))
def test_fates_partition_the_candidates(retrieval: Retrieval, budget: int, cited: set[int]) -> None:
    trimmed = retrieval.trim_to_budget(budget, tokens)
    in_prompt = {c.chunk.chunk_id for c in trimmed.used}
    chosen = {i: Fate.CITED for n in cited if (i := f"chunk-{n}") in in_prompt}
    final = trimmed.with_fates(chosen)
    groups = [{c.chunk.chunk_id for c in final.chunks if c.fate is fate} for fate in Fate]
    assert set().union(*groups) == {c.chunk.chunk_id for c in retrieval.chunks}
    assert sum(map(len, groups)) == len(retrieval.chunks)
    assert {c.chunk.chunk_id for c in final.used} == in_prompt


@given(retrieval=retrievals())
def test_a_retrieval_survives_json(retrieval: Retrieval) -> None:
    assert Retrieval.model_validate_json(retrieval.model_dump_json()) == retrieval
