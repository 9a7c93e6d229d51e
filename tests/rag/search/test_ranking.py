"""The pure steps between a search and its result: fusing, the gate, fates."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.domain.retrieval import Fate
from rag.search.gate import ENOUGH, required_similarity
from rag.search.ranking import decide, fuse, order
from rag.search.store import Hit
from tests.builders import make_chunk, make_retrieved


def hit(n: int, similarity: float, lexical: float = 0.0, **over: object) -> Hit:
    return Hit(make_chunk(n, **over), similarity, lexical, n, None)


scores = st.lists(
    st.tuples(st.floats(0, 1), st.floats(0, 50), st.integers(0, 3)), min_size=0, max_size=25
)


def test_weight_0_orders_by_similarity_and_1_by_words() -> None:
    hits = [hit(1, 0.9, 1.0), hit(2, 0.8, 9.0), hit(3, 0.7, 5.0)]
    assert [c.chunk.chunk_id for c in order(hits, 0.0)] == ["chunk-1", "chunk-2", "chunk-3"]
    assert [c.chunk.chunk_id for c in order(hits, 1.0)] == ["chunk-2", "chunk-3", "chunk-1"]


def test_both_scores_count_in_between() -> None:
    hits = [hit(1, 0.9, 0.0), hit(2, 0.85, 8.0), hit(3, 0.5, 8.0)]
    assert order(hits, 0.5)[0].chunk.chunk_id == "chunk-2"


def test_no_candidates_and_equal_scores_are_fine() -> None:
    assert fuse([], 0.5) == []
    assert fuse([hit(1, 0.5, 2.0), hit(2, 0.5, 2.0)], 0.5) == [0.0, 0.0]


def test_equal_scores_are_ordered_by_id_whatever_order_they_came_in() -> None:
    hits = [hit(2, 0.5), hit(1, 0.5), hit(3, 0.5)]
    assert [c.chunk.chunk_id for c in order(hits, 0.5)] == ["chunk-1", "chunk-2", "chunk-3"]


def test_a_candidate_below_the_threshold_is_never_used() -> None:
    decided = decide(order([hit(1, 0.49), hit(2, 0.5)], 0.0), 5, 0.5, 0.5)
    assert [(c.chunk.chunk_id, c.fate) for c in decided] == [
        ("chunk-2", Fate.USED),
        ("chunk-1", Fate.BELOW_THRESHOLD),
    ]


def test_top_k_counts_used_chunks_only() -> None:
    hits = [hit(1, 0.9), hit(2, 0.8, text="Part 1."), hit(3, 0.7, text="part  1."), hit(4, 0.6)]
    fates = [c.fate for c in decide(order(hits, 0.0), 2, 0.5, 0.5)]
    assert fates == [Fate.USED, Fate.USED, Fate.DUPLICATE, Fate.BEYOND_TOP_K]


@given(scores, st.floats(0, 1), st.integers(1, 20), st.floats(0, 1))
def test_fates_partition_and_obey_the_parameters(
    raw: list[tuple[float, float, int]], weight: float, top_k: int, required: float
) -> None:
    hits = [hit(n, s, x, text=f"text {t}") for n, (s, x, t) in enumerate(raw, start=1)]
    threshold = required / 2
    decided = decide(order(hits, weight), top_k, threshold, required)
    assert sorted(c.chunk.chunk_id for c in decided) == sorted(h.chunk.chunk_id for h in hits)
    used = [c for c in decided if c.fate is Fate.USED]
    assert len(used) <= top_k
    assert all(c.similarity >= threshold for c in used)
    assert not used or max(c.similarity for c in decided) >= required
    if any(c.fate is Fate.BEYOND_TOP_K for c in decided):
        assert len(used) == top_k
    assert [c.rank for c in decided] == list(range(1, len(hits) + 1))


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_gate_only_ever_raises_the_threshold(t: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert t <= required_similarity(t, high) <= required_similarity(t, low) <= 1.0


def test_a_covered_question_meets_the_threshold_as_it_is() -> None:
    assert required_similarity(0.6, ENOUGH) == 0.6


def test_threshold_0_lets_everything_through() -> None:
    assert required_similarity(0.0, 0.0) == 0.0


def test_decide_keeps_every_score() -> None:
    candidate = make_retrieved(1, lexical=3.5, fused=0.7, rerank=2.0)
    assert decide([candidate], 1, 0.0, 0.0)[0] == candidate.model_copy(update={"fate": Fate.USED})


def test_a_closed_gate_uses_nothing_and_an_open_one_all_above_the_threshold() -> None:
    hits = [hit(1, 0.6), hit(2, 0.7), hit(3, 0.4)]
    closed = decide(order(hits, 0.0), 5, 0.5, 0.8)
    assert {c.fate for c in closed} == {Fate.BELOW_THRESHOLD}
    opened = decide(order(hits, 0.0), 5, 0.5, 0.65)
    assert [c.fate for c in opened] == [Fate.USED, Fate.USED, Fate.BELOW_THRESHOLD]


@pytest.mark.parametrize("top_k", [1, 3])
def test_top_k_is_obeyed(top_k: int) -> None:
    decided = decide(order([hit(n, 0.9) for n in range(1, 6)], 0.5), top_k, 0.1, 0.1)
    assert sum(c.fate is Fate.USED for c in decided) == top_k
