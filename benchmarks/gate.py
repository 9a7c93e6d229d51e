"""Measures the gate on a set of questions: what each threshold answers and refuses.

Run: python -m benchmarks.gate HOME QUESTIONS.jsonl
The default threshold and the gate's two constants are chosen from what this prints; the choice is
written down in docs/decisions/0004.
"""

import itertools
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rag.build import Library
from rag.domain.question import Question
from rag.evaluate import Case, read_cases
from rag.followups import resolve, topic_of
from rag.settings import load_settings


class Signal(NamedTuple):
    """What the gate sees of one case."""

    case: Case
    similarity: float
    coverage: float


def signals(library: Library, cases: list[Case]) -> list[Signal]:
    """The gate's signals for every case."""
    found = []
    for case in cases:
        before = case.history[-1] if case.history else ""
        query = resolve(case.question, topic_of(before), before).query
        question = Question(text=case.question)
        retrieval = library.retriever.retrieve(question, query, library.tutor.config.lexical_weight)
        found.append(Signal(case, retrieval.top_similarity, retrieval.coverage))
    return found


def shares(found: list[Signal], threshold: float, enough: float, steepness: float) -> list[float]:
    """The share answered of the answerable, and refused of the far and the near."""

    def passes(s: Signal) -> bool:
        return s.similarity >= threshold * (1 + steepness * max(enough - s.coverage, 0.0))

    groups = [
        [passes(s) for s in found if s.case.answerable],
        [not passes(s) for s in found if s.case.style == "far"],
        [not passes(s) for s in found if s.case.style == "near"],
    ]
    return [float(np.mean(group)) if group else float("nan") for group in groups]


def main(home: str, file: str) -> None:
    with Library(load_settings(home=Path(home))) as library:
        found = signals(library, read_cases(Path(file)))
    print("similarity alone: threshold, answered, far refused, near refused")
    for threshold in np.arange(0.50, 0.80, 0.02):
        print(
            f"  {threshold:.2f}  " + "  ".join(f"{s:.3f}" for s in shares(found, threshold, 0, 0))
        )
    grid = itertools.product(
        np.arange(0.52, 0.68, 0.01), np.arange(0.4, 0.95, 0.05), np.arange(0.2, 2.6, 0.2)
    )
    rows = [(setting, shares(found, *setting)) for setting in grid]
    good = [(s, r) for s, r in rows if r[0] >= 0.95 and r[1] == 1.0]
    good.sort(key=lambda row: -sum(row[1]))
    print("with coverage: threshold, enough, steepness: answered, far refused, near refused")
    for setting, result in good[:12]:
        named = " ".join(f"{value:.2f}" for value in setting)
        print(f"  {named}:  " + "  ".join(f"{share:.3f}" for share in result))


if __name__ == "__main__":
    main(*sys.argv[1:3])
