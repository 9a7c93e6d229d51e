"""Retrieval side by side over the same chunks: plain dense, plain BM25, RRF, and ours.

Run: python -m benchmarks.retrieval HOME QUESTIONS.jsonl
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from rag.build import Library
from rag.evaluate import Case, matches, read_cases
from rag.followups import resolve, topic_of
from rag.search.ranking import fuse
from rag.search.store import Hit
from rag.settings import load_settings

Scores = Callable[[Sequence[Hit]], list[float]]


def rrf(hits: Sequence[Hit]) -> list[float]:
    """Reciprocal rank fusion with the usual constant."""
    ranks = [(h.dense_rank, h.lexical_rank) for h in hits]
    return [sum(1 / (60 + rank) for rank in pair if rank) for pair in ranks]


def first_right(case: Case, hits: Sequence[Hit], scores: Scores) -> float:
    """The rank of the first right chunk; infinity where none was found."""
    values = scores(hits)
    order = sorted(range(len(hits)), key=lambda i: -values[i])
    right = [any(matches(p, hits[i].chunk) for p in case.expected) for i in order]
    return right.index(True) + 1 if any(right) else float("inf")


def main(home: str, file: str) -> None:
    with Library(load_settings(home=Path(home))) as library:
        weight = library.tutor.config.lexical_weight
        cases = [c for c in read_cases(Path(file)) if c.answerable]
        found = []
        for case in cases:
            before = case.history[-1] if case.history else ""
            query = resolve(case.question, topic_of(before), before).query
            found.append((case, library.retriever.candidates(query).hits))
    rankings: dict[str, Scores] = {
        "plain dense": lambda hits: fuse(hits, 0.0),
        "plain BM25": lambda hits: fuse(hits, 1.0),
        "RRF (k=60)": rrf,
        f"ours (weight {weight})": lambda hits: fuse(hits, weight),
    }
    print(f"{len(cases)} questions      hit@1  hit@5  MRR@10")
    for name, scores in rankings.items():
        ranks = np.array([first_right(case, hits, scores) for case, hits in found])
        reciprocal = np.where(ranks <= 10, 1 / ranks, 0.0).mean()
        print(f"{name:19}{(ranks <= 1).mean():7.3f}{(ranks <= 5).mean():7.3f}{reciprocal:8.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
