"""Questions to begin with, taken from the book's own headings."""

from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest

from rag.domain.book import Chunk
from rag.domain.question import Question
from rag.tutor import Tutor

_WANTED = 4
_LONGEST = 60


def starters(tutor: Tutor, chunks: Iterable[Chunk], wanted: int = _WANTED) -> tuple[str, ...]:
    """Questions from all over the book that the book can answer."""
    found: list[str] = []
    for question in _candidates(chunks):
        if len(found) == wanted:
            break
        if _is_answered(tutor, question):
            found.append(question)
    return tuple(found)


def _candidates(chunks: Iterable[Chunk]) -> Iterator[str]:
    """Headings that ask something, one of each module in turn; then the titles of the pages."""
    asking: dict[str, dict[str, None]] = {}
    titles: dict[str, dict[str, None]] = {}
    for chunk in chunks:
        heading = " ".join(chunk.heading.split())
        if heading.endswith("?") and ":" not in heading and len(heading) <= _LONGEST:
            asking.setdefault(chunk.module, {})[heading] = None
        title = " ".join(chunk.page_title.split()).rstrip(".?!")
        titles.setdefault(chunk.module, {})[f"What does the book say about {title}?"] = None
    for rounds in (asking, titles):
        turns = chain.from_iterable(zip_longest(*rounds.values()))
        yield from (question for question in turns if question is not None)


def _is_answered(tutor: Tutor, question: str) -> bool:
    config = tutor.config
    asked = Question.ask(question, config.top_k, config.threshold)
    return bool(tutor.retriever.retrieve(asked, question, config.lexical_weight).used)
