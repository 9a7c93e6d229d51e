"""The bundled book, asked as learners ask: the aims of retrieval, refusal and citation."""

import pytest

from rag.build import Library
from rag.evaluate import Report, evaluate, read_cases
from tests.conftest import BUNDLED_BOOK, GOLDEN

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def golden(indexed_home: object) -> Report:
    from pathlib import Path

    from rag.settings import load_settings

    assert isinstance(indexed_home, Path)
    with Library(load_settings(home=indexed_home)) as library:
        return evaluate(library.tutor, read_cases(GOLDEN))


def at_least(value: float | None, aim: float) -> bool:
    return value is not None and value >= aim


def test_the_right_section_is_found(golden: Report) -> None:
    assert at_least(golden.hit_at_5, 0.95)
    assert at_least(golden.mrr_at_10, 0.85)


def test_follow_ups_find_what_they_mean(golden: Report) -> None:
    assert at_least(golden.follow_up_hit_at_5, 0.90)


def test_what_the_book_answers_is_answered(golden: Report) -> None:
    assert at_least(golden.answered, 0.95)


def test_what_the_book_does_not_answer_is_refused(golden: Report) -> None:
    assert at_least(golden.refusal_recall, 0.90)
    assert golden.refused_by_style["far"] == 1.0


def test_every_displayed_citation_resolves_and_is_verbatim(golden: Report) -> None:
    assert golden.citation_validity == 1.0
    assert all(r.citations > 0 for r in golden.results if r.answered)


def test_no_case_failed(golden: Report) -> None:
    assert [r.question for r in golden.results if r.error] == []


def test_the_golden_sections_exist(library: Library) -> None:
    places = {
        f"{c.source_file}#{anchor}" for c in library.chunks() for anchor in c.anchors if anchor
    }
    wanted = {place for case in read_cases(GOLDEN) for place in case.expected}
    assert wanted <= places
    assert all((BUNDLED_BOOK / place.partition("#")[0]).is_file() for place in wanted)
