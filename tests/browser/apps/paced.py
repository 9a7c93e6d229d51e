"""Runs Lectern with answers that come only as far as a file allows, or fail as it says.

Started like Streamlit's own command line. `LECTERN_TEST_PACE` names the file: a JSON object with
`pieces` (how many may pass; null for all), `every` (the seconds between them), `fail` (what
happens to the one after them) and `hold_search` (true while nothing may be found).
"""

import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from streamlit.web import cli

from rag.domain.errors import ApiFailed, RateLimited
from rag.domain.question import Question
from rag.domain.retrieval import Retrieval
from rag.generate.base import GenerationRequest
from rag.generate.extractive import ExtractiveGenerator
from rag.search.retriever import Retriever

_CONTROL = Path(os.environ["LECTERN_TEST_PACE"])
_LOOK_SECONDS = 0.02
# Cut without a thought for words, as models do, and every marker in three.
_PIECES = re.compile(r"\[|\d+(?=\])|[^\[]{1,9}")
_unpaced = ExtractiveGenerator.stream
_unheld = Retriever.retrieve


def _told() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(_CONTROL.read_text())
    return told


def _paced(self: ExtractiveGenerator, request: GenerationRequest) -> Iterator[str]:
    for number, piece in enumerate(_PIECES.findall("".join(_unpaced(self, request)))):
        _wait(number)
        yield piece


def _held(self: Retriever, question: Question, query: str, lexical_weight: float) -> Retrieval:
    while _told().get("hold_search"):
        time.sleep(_LOOK_SECONDS)
    return _unheld(self, question, query, lexical_weight)


def _wait(number: int) -> None:
    """Return once this many pieces may have passed and one more may follow."""
    while True:
        told = _told()
        allowed = told.get("pieces")
        if allowed is None or number < allowed:
            time.sleep(told.get("every", 0.0))
            return
        if told.get("fail") == "rate_limit":
            raise RateLimited("HTTP 429 from the endpoint", retry_after=told["retry_after"])
        if told.get("fail") == "api_error":
            raise ApiFailed("HTTP 500 from the endpoint")
        time.sleep(_LOOK_SECONDS)


if __name__ == "__main__":
    ExtractiveGenerator.stream = _paced  # type: ignore[method-assign]
    Retriever.retrieve = _held  # type: ignore[method-assign]
    cli.main(prog_name="streamlit")
