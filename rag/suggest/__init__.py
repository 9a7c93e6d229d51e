"""Questions to ask: to begin with, and after an answer. Each is one that the book can answer."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import chain, islice, zip_longest

from rag.domain.agent import AgentConfig
from rag.domain.answer import AgentResponse, AnswerSource, Citation, ResponseStatus
from rag.domain.book import Chunk
from rag.domain.errors import InvalidInput
from rag.domain.question import Question
from rag.domain.retrieval import RetrievedChunk
from rag.followups import Kind, leans, resolve
from rag.search.retriever import Retriever
from rag.suggest.phrasing import LONGEST, questions
from rag.suggest.sections import Section, around, cited_sections, page_sections
from rag.suggest.usage import Usage
from rag.text import content_terms

_LONGEST_STARTER = 60
_PER_MODULE = 3
_NATURAL = ("What is ", "What are ", "How do I ")
# How many questions are tried against the book, which costs a search each.
_TRIED = 8
# Two questions whose telling words are shared this far ask the same.
_SAME = 0.75


def starters(
    retriever: Retriever, config: AgentConfig, chunks: Sequence[Chunk], wanted: int = 4
) -> tuple[str, ...]:
    """Questions from all over the book that the book can answer."""
    found: list[str] = []
    for question in _all_over(chunks):
        if len(found) == wanted:
            break
        if not _is_among(question, found) and _used(retriever, config, question):
            found.append(question)
    return tuple(found)


def follow_ups(
    retriever: Retriever,
    config: AgentConfig,
    chunks: Sequence[Chunk],
    response: AgentResponse,
    asked: Collection[str],
    wanted: int = 3,
) -> tuple[str, ...]:
    """Questions about what the book says next to what was cited; none after a greeting."""
    if response.source is not AnswerSource.BOOK:
        return ()
    if response.status is ResponseStatus.INSUFFICIENT_CONTEXT:
        return for_refusal(retriever, config, chunks, response, asked, wanted)
    if not response.citations:
        return ()
    cited = _told(chunks, response.citations)
    offers = _offers(around(chunks, response.citations), Usage.of(chunks), asked)
    found = _able(retriever, config, offers, cited)
    return tuple(islice(found, wanted))


def for_refusal(
    retriever: Retriever,
    config: AgentConfig,
    chunks: Sequence[Chunk],
    response: AgentResponse,
    asked: Collection[str] = (),
    wanted: int = 3,
) -> tuple[str, ...]:
    """What can be asked instead of what the book doesn't tell: of the nearest sections, or any."""
    offers = _offers(cited_sections(chunks, response.nearest), Usage.of(chunks), asked)
    found = list(islice(_able(retriever, config, offers, ()), wanted))
    for question in starters(retriever, config, chunks) if len(found) < wanted else ():
        if len(found) < wanted and not _is_among(question, [*asked, *found]):
            found.append(question)
    return tuple(found)


def _told(chunks: Sequence[Chunk], citations: Sequence[Citation]) -> set[str]:
    """The chunks an answer told; of a passage, which is no chunk, those of its section."""
    cited = {citation.chunk_id for citation in citations}
    passages = [c for c in citations if c.chunk_id in cited - {chunk.chunk_id for chunk in chunks}]
    return cited.union(*(section.chunk_ids for section in cited_sections(chunks, passages)))


def _offers(
    sections: Iterable[Section], usage: Usage, asked: Collection[str]
) -> Iterator[tuple[str, Section]]:
    """Questions of these sections that make sense by themselves and were not asked yet."""
    for section in sections:
        for question in questions(section, usage):
            alone = resolve(question).kind is Kind.STANDALONE and not leans(question)
            if alone and len(question) <= LONGEST and not _is_among(question, asked):
                yield question, section


def _able(
    retriever: Retriever,
    config: AgentConfig,
    offers: Iterable[tuple[str, Section]],
    cited: Collection[str],
) -> Iterator[str]:
    """The offers that the book answers on the page they are of, one a section."""
    taken: list[str] = []
    done: set[Section] = set()
    tried = 0
    for question, section in offers:
        if tried == _TRIED:
            return
        if section in done or _is_among(question, taken):
            continue
        tried += 1
        if _is_news(_used(retriever, config, question), section, cited):
            taken.append(question)
            done.add(section)
            yield question


def _is_news(used: Sequence[RetrievedChunk], section: Section, cited: Collection[str]) -> bool:
    """Whether an answer would come from where its question was taken, and not be known already."""
    if not used or used[0].chunk.chapter_id != section.chapter_id:
        return False
    best = used[0].chunk.chunk_id
    # A cited chunk may hold this section beside the cited one.
    beside = best in section.chunk_ids and any(c.chunk.chunk_id not in cited for c in used)
    return best not in cited or beside


def _used(retriever: Retriever, config: AgentConfig, question: str) -> tuple[RetrievedChunk, ...]:
    """The passages that would answer a question as the live configuration has it."""
    try:
        asked = Question.ask(question, config.top_k, config.threshold)
    except InvalidInput:
        # A book may have a heading that nobody could type.
        return ()
    return retriever.retrieve(asked, question, config.lexical_weight).used


def _is_among(question: str, others: Collection[str]) -> bool:
    """Whether one of some questions asks the same, whatever its words."""
    return any(_asks_the_same(question, other) for other in others)


def _asks_the_same(one: str, other: str) -> bool:
    a, b = _telling(one), _telling(other)
    return a == b or len(a & b) >= _SAME * len(a | b)


def _telling(question: str) -> set[str]:
    return set(content_terms(question)) - {"book"}


def _all_over(chunks: Sequence[Chunk]) -> Iterator[str]:
    """Headings that ask something, then what sections tell, then titles; each module in turn."""
    for found in (_asking(chunks), _told_by_sections(chunks), _titles(chunks)):
        by_module: dict[str, dict[str, None]] = {}
        for module, question in found:
            by_module.setdefault(module, {})[question] = None
        turns = chain.from_iterable(zip_longest(*by_module.values()))
        yield from (question for question in turns if question is not None)


def _asking(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str]]:
    for chunk in chunks:
        heading = " ".join(chunk.heading.split())
        if heading.endswith("?") and ":" not in heading and len(heading) <= _LONGEST_STARTER:
            yield chunk.module, heading


def _told_by_sections(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str]]:
    """What a section defines or shows how to do; its mere topic is no question to begin with."""
    usage, found = Usage.of(chunks), Counter[str]()
    for chapter, module in dict.fromkeys((c.chapter_id, c.module) for c in chunks):
        # A few of each module are enough to choose from; reading on would only take time.
        if found[module] >= _PER_MODULE:
            continue
        for question, _ in _offers(page_sections(chunks, chapter), usage, ()):
            if question.startswith(_NATURAL) and len(question) <= _LONGEST_STARTER:
                found[module] += 1
                yield module, question


def _titles(chunks: Sequence[Chunk]) -> Iterator[tuple[str, str]]:
    for chunk in chunks:
        title = " ".join(chunk.page_title.split()).rstrip(".?!")
        yield chunk.module, f"What does the book say about {title}?"
