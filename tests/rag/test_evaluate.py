"""Measuring: which cases are read, what counts as a hit, what the metrics mean."""

from pathlib import Path

import pytest

from rag.domain.errors import SetupError
from rag.domain.retrieval import Fate
from rag.evaluate import (
    CaseResult,
    first_match,
    matches,
    read_cases,
    report,
    valid_citations,
)
from tests.builders import make_chunk, make_citation, make_response, make_retrieval
from tests.conftest import GOLDEN, SHARED_BOOKS


def result(**over: object) -> CaseResult:
    usual = {
        "question": "Why?",
        "style": "",
        "answerable": True,
        "follow_up": False,
        "query": "Why?",
        "rank": 1,
        "answered": True,
        "answer": "So.",
    }
    return CaseResult.model_validate({**usual, **over})


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "cases.jsonl"
    file.write_text(text)
    return file


def test_the_bundled_golden_set_is_as_large_as_it_must_be() -> None:
    cases = read_cases(GOLDEN)
    single = [c for c in cases if c.answerable and not c.history]
    assert len(single) >= 100
    assert sum(bool(c.history) for c in cases) == 20
    assert [sum(c.style == s for c in cases) for s in ("far", "near")] == [30, 30]
    assert all(c.expected for c in single)
    assert len({c.question for c in cases if not c.history}) == len(cases) - 20


@pytest.mark.skipif(not SHARED_BOOKS.exists(), reason="needs the shared books")
def test_sets_labelled_by_page_are_read_alike() -> None:
    cases = read_cases(SHARED_BOOKS / "ai-book" / "questions.jsonl")
    assert len(cases) == 80
    assert cases[0].expected == ("module-1/ai-agents-robot-models.md",)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "no questions"),
        ('{"question": ""}', "Line 1"),
        ('{"question": "a"}\n\n{"q": 1}', "Line 3"),
        ("nonsense", "Line 1"),
    ],
)
def test_a_bad_file_is_named_with_its_line(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(SetupError, match=sentence):
        read_cases(write(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="nowhere"):
        read_cases(tmp_path / "nowhere.jsonl")


def test_a_section_is_matched_by_any_anchor_the_chunk_stands_under() -> None:
    chunk = make_chunk(source_file="a/b.md", anchors=("top", "inner"))
    assert matches("a/b.md", chunk)
    assert matches("a/b.md#inner", chunk)
    assert not matches("a/b.md#other", chunk)
    assert not matches("a/c.md#inner", chunk)


def test_duplicates_take_no_rank() -> None:
    retrieval = make_retrieval(Fate.USED, Fate.DUPLICATE, Fate.USED)
    wanted = make_chunk(3, source_file="wanted.md")
    chunks = (*retrieval.chunks[:2], retrieval.chunks[2].model_copy(update={"chunk": wanted}))
    assert first_match(["wanted.md"], retrieval.model_copy(update={"chunks": chunks})) == 2
    assert first_match(["elsewhere.md"], retrieval) is None


def test_several_right_chunks_of_one_page_are_not_punished() -> None:
    assert first_match([make_chunk().source_file], make_retrieval()) == 1


def test_a_citation_is_valid_only_if_quoted_verbatim_from_the_prompt() -> None:
    retrieval = make_retrieval()
    good = make_response()
    assert valid_citations(good, retrieval) == len(good.citations) > 0
    wrong = make_citation(1, quote="never written")
    assert valid_citations(make_response(answer="So [1].", citations=(wrong,)), retrieval) == 0
    assert valid_citations(good, make_retrieval(Fate.BELOW_THRESHOLD)) == 0


def test_the_metrics_of_known_results() -> None:
    metrics = report(
        [
            result(rank=1, citations=2, valid_citations=2),
            result(rank=4),
            result(rank=11),
            result(rank=None, answered=False),
            result(rank=3, follow_up=True),
            result(answerable=False, rank=None, answered=False, style="far"),
            result(answerable=False, rank=None, answered=True, style="near"),
        ]
    )
    assert metrics.hit_at_1 == 0.25
    assert metrics.hit_at_5 == 0.5
    assert metrics.mrr_at_10 == pytest.approx((1 + 0.25) / 4)
    assert metrics.follow_up_hit_at_5 == 1.0
    assert metrics.answered == 0.8
    assert metrics.refusal_precision == 0.5
    assert metrics.refusal_recall == 0.5
    assert metrics.refused_by_style == {"far": 1.0, "near": 0.0}
    assert metrics.citation_validity == 1.0


def test_a_metric_without_cases_is_absent_not_zero() -> None:
    metrics = report([result()])
    assert metrics.follow_up_hit_at_5 is None
    assert metrics.refusal_recall is None
    assert metrics.citation_validity is None
