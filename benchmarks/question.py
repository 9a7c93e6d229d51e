"""A question's whole way against its lower bound: the model runs and the search it needs.

Run: python -m benchmarks.question HOME QUESTIONS.jsonl
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rag.build import Library
from rag.evaluate import read_cases
from rag.settings import load_settings


class Meter:
    """Adds up the time spent inside some methods."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def watch(self, owner: object, name: str) -> None:
        inner: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: object) -> object:
            began = time.perf_counter()
            try:
                return inner(*arguments)
            finally:
                self.seconds += time.perf_counter() - began

        setattr(owner, name, timed)


def main(home: str, file: str) -> None:
    questions = [c.question for c in read_cases(Path(file)) if c.answerable and not c.history][:60]
    meter = Meter()
    with Library(load_settings(home=Path(home))) as library:
        list(library.tutor.ask("warm up", library.tutor.start()))
        meter.watch(library.embedder, "_run")
        meter.watch(library.store, "search")
        ratios, totals = [], []
        for question in questions:
            state = library.tutor.start()
            meter.seconds, began = 0.0, time.perf_counter()
            list(library.tutor.ask(question, state))
            total = time.perf_counter() - began
            totals.append(total * 1000)
            ratios.append(total / meter.seconds)
    print(f"{len(questions)} questions: median {statistics.median(totals):.0f} ms")
    print(f"whole way / (model runs + search): median {statistics.median(ratios):.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
