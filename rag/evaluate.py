"""Cases to metrics: does the right passage come first, is the rest refused, do citations hold?"""

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from pydantic import Field, ValidationError, model_validator

from rag.domain.answer import AgentResponse, ResponseStatus
from rag.domain.base import NonBlank, Value
from rag.domain.book import Chunk
from rag.domain.errors import SetupError
from rag.domain.events import Failed, Finished
from rag.domain.retrieval import Fate, Retrieval
from rag.domain.turn import Turn
from rag.memory import Memory
from rag.tutor import Tutor


class Case(Value):
    """A question, and where the book answers it: `file` or `file#section`, any of several."""

    question: NonBlank
    answerable: bool = True
    expected: tuple[str, ...] = ()
    answer: str = ""
    history: tuple[str, ...] = ()
    style: str = ""

    @model_validator(mode="before")
    @classmethod
    def _read_page_labels(cls, data: object) -> object:
        """Sets that name one page by `expected_file` are understood; their other fields go."""
        if isinstance(data, dict) and "expected_file" in data:
            known = {k: v for k, v in data.items() if k in cls.model_fields}
            return {**known, "expected": [data["expected_file"]]}
        return data


def read_cases(file: Path) -> list[Case]:
    """The cases of a JSONL file, or a sentence that names the bad line."""
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SetupError(f"Cannot read the questions in {file}: {error}.") from error
    cases = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            cases.append(Case.model_validate(json.loads(line)))
        except (ValidationError, json.JSONDecodeError) as error:
            raise SetupError(f"Line {number} of {file} is not a question: {error}") from error
    if not cases:
        raise SetupError(f"There are no questions in {file}.")
    return cases


def matches(expected: str, chunk: Chunk) -> bool:
    """Whether a chunk lies in the expected page, and in its section where one is named."""
    file, _, anchor = expected.partition("#")
    return chunk.source_file == file and (not anchor or anchor in chunk.anchors)


class CaseResult(Value):
    """What became of one case."""

    question: str
    style: str
    answerable: bool
    follow_up: bool
    query: str
    rank: int | None = None
    answered: bool
    answer: str
    top_similarity: float = 0.0
    citations: int = 0
    valid_citations: int = 0
    error: str = ""


class Report(Value):
    """The metrics over all cases; None where no case speaks to one."""

    cases: int
    hit_at_1: float | None
    hit_at_5: float | None
    mrr_at_10: float | None
    follow_up_hit_at_5: float | None
    answered: float | None
    refusal_precision: float | None
    refusal_recall: float | None
    refused_by_style: dict[str, float] = Field(default_factory=dict)
    citation_validity: float | None
    results: tuple[CaseResult, ...] = ()


def evaluate(
    tutor: Tutor, cases: Sequence[Case], progress: Callable[[int, int], None] | None = None
) -> Report:
    """Ask every case as a learner would and measure what came; nothing is saved."""
    memory = Memory("sqlite://")
    asker = Tutor(tutor.retriever, tutor.generator, memory, tutor.config)
    results = []
    try:
        for number, case in enumerate(cases, start=1):
            results.append(run_case(asker, case))
            if progress:
                progress(number, len(cases))
    finally:
        memory.close()
    return report(results)


def run_case(tutor: Tutor, case: Case) -> CaseResult:
    """One case in a session of its own, after its history."""
    state = tutor.start(interactive=False)
    for earlier in case.history:
        for _ in tutor.ask(earlier, state):
            pass
    turn: Turn | None = None
    error = ""
    for event in tutor.ask(case.question, state):
        if isinstance(event, Finished):
            turn = event.turn
        elif isinstance(event, Failed):
            error = event.error.message
    response = turn.response if turn else None
    retrieval = turn.retrieval if turn else None
    return CaseResult(
        question=case.question,
        style=case.style,
        answerable=case.answerable,
        follow_up=bool(case.history),
        query=turn.standalone if turn else case.question,
        rank=first_match(case.expected, retrieval) if retrieval else None,
        answered=response is not None and response.status is ResponseStatus.SUCCESS,
        answer=response.answer if response else "",
        top_similarity=retrieval.top_similarity if retrieval else 0.0,
        citations=len(response.citations) if response else 0,
        valid_citations=valid_citations(response, retrieval),
        error=error,
    )


def first_match(expected: Sequence[str], retrieval: Retrieval) -> int | None:
    """The rank of the first candidate in an expected place; duplicates take no rank."""
    ranked = [c for c in retrieval.chunks if c.fate is not Fate.DUPLICATE]
    for rank, candidate in enumerate(ranked, start=1):
        if any(matches(place, candidate.chunk) for place in expected):
            return rank
    return None


def valid_citations(response: AgentResponse | None, retrieval: Retrieval | None) -> int:
    """How many citations point at a passage of the prompt and quote it verbatim."""
    if response is None or retrieval is None:
        return 0
    texts = {c.chunk.chunk_id: c.chunk.text for c in retrieval.used}
    return sum(
        bool(c.quote) and c.quote in texts.get(c.chunk_id, "") and f"[{c.index}]" in response.answer
        for c in response.citations
    )


def report(results: Sequence[CaseResult]) -> Report:
    """The metrics of these results."""
    single = [r for r in results if r.answerable and not r.follow_up]
    follow_ups = [r for r in results if r.answerable and r.follow_up]
    unanswerable = [r for r in results if not r.answerable]
    refused = [r for r in results if not r.answered]
    cited = sum(r.citations for r in results)
    styles = sorted({r.style for r in unanswerable})
    return Report(
        cases=len(results),
        hit_at_1=_share(_within(r, 1) for r in single),
        hit_at_5=_share(_within(r, 5) for r in single),
        mrr_at_10=_share(1 / r.rank if r.rank and r.rank <= 10 else 0.0 for r in single),
        follow_up_hit_at_5=_share(_within(r, 5) for r in follow_ups),
        answered=_share(r.answered for r in results if r.answerable),
        refusal_precision=_share(not r.answerable for r in refused),
        refusal_recall=_share(not r.answered for r in unanswerable),
        refused_by_style={
            s: _share(not r.answered for r in unanswerable if r.style == s) or 0.0 for s in styles
        },
        citation_validity=sum(r.valid_citations for r in results) / cited if cited else None,
        results=tuple(results),
    )


def _within(result: CaseResult, k: int) -> bool:
    return result.rank is not None and result.rank <= k


def _share(values: Iterable[float]) -> float | None:
    counted = [float(v) for v in values]
    return sum(counted) / len(counted) if counted else None
