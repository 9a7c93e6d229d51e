"""Follow-ups over the bundled book: every one that is offered is answered."""

import pytest

from rag.build import Library
from rag.domain.events import Finished
from rag.domain.turn import Turn
from rag.evaluate import read_cases
from rag.suggest import follow_ups
from tests.conftest import GOLDEN

pytestmark = pytest.mark.model
CASES = [case for case in read_cases(GOLDEN) if case.answerable][::3]


def _turn(library: Library, text: str) -> Turn:
    last = list(library.tutor.ask(text, library.tutor.start()))[-1]
    assert isinstance(last, Finished)
    return last.turn


def test_every_follow_up_is_answered_and_nearly_every_answer_has_two(library: Library) -> None:
    chunks, config = library.chunks(), library.tutor.config
    counts, unanswered = [], []
    for case in CASES:
        turn = _turn(library, case.question)
        if not turn.response.grounded:
            continue
        offered = follow_ups(library.retriever, config, chunks, turn.response, [case.question])
        counts.append(len(offered))
        unanswered += [q for q in offered if not _turn(library, q).response.grounded]
    assert unanswered == []
    assert len(counts) > 30
    assert sum(count >= 2 for count in counts) >= 0.9 * len(counts)
