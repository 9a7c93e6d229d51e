"""A book's chunks as its sections, and the sections that stand around the cited ones."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from rag.domain.answer import Citation
from rag.domain.book import Chunk
from rag.text import blocks


class Section(NamedTuple):
    """A heading and what stands under it up to the next one."""

    chapter_id: str
    heading: str
    chunk_ids: tuple[str, ...]
    text: str


def page_sections(chunks: Sequence[Chunk], chapter_id: str) -> list[Section]:
    """The sections of a page, in reading order; one that fills several chunks is one section."""
    on_page = [chunk for chunk in chunks if chunk.chapter_id == chapter_id]
    parts = [part for chunk in on_page for part in _parts(chunk)]
    found = []
    for heading, run in groupby(parts, key=lambda part: part.heading):
        same = list(run)
        ids = tuple(dict.fromkeys(i for part in same for i in part.chunk_ids))
        text = "\n\n".join(part.text for part in same if part.text)
        found.append(Section(chapter_id, heading, ids, text))
    return found


def _parts(chunk: Chunk) -> Iterator[Section]:
    """A chunk taken apart at the headings inside it."""
    heading, text = chunk.heading, ""
    for block in blocks(chunk.text):
        if block.kind != "heading":
            text += f"\n\n{block.text}"
            continue
        if text:
            yield Section(chunk.chapter_id, heading, (chunk.chunk_id,), text.strip())
        heading, text = block.text.lstrip("# ").strip(), ""
    yield Section(chunk.chapter_id, heading, (chunk.chunk_id,), text.strip())


def around(chunks: Sequence[Chunk], citations: Sequence[Citation]) -> Iterator[Section]:
    """What stands next to the cited sections: on the page of the first one, then on the next."""
    chapter = citations[0].chapter_id
    page = page_sections(chunks, chapter)
    cited = {i for c in citations if c.chapter_id == chapter for i in _places(page, c)}
    others = [i for i in range(len(page)) if i not in cited]
    yield from (page[i] for i in sorted(others, key=lambda i: _distance(i, cited)))
    yield from page_sections(chunks, _next_page(chunks, chapter))


def cited_sections(chunks: Sequence[Chunk], citations: Sequence[Citation]) -> Iterator[Section]:
    """The cited sections themselves."""
    for citation in citations:
        page = page_sections(chunks, citation.chapter_id)
        yield from (page[i] for i in _places(page, citation)[:1])


def _places(page: Sequence[Section], citation: Citation) -> list[int]:
    """Where a citation stands on its page, as well as it can be told."""
    heading = citation.heading or citation.title
    held = [i for i, section in enumerate(page) if citation.chunk_id in section.chunk_ids]
    named = [i for i, section in enumerate(page) if section.heading == heading]
    return [i for i in held if i in named] or held or named


def _distance(at: int, cited: Collection[int]) -> tuple[int, bool]:
    """How far a section is from the nearest cited one; what follows comes first."""
    return min(((abs(at - i), at < i) for i in cited), default=(at, False))


def _next_page(chunks: Sequence[Chunk], chapter_id: str) -> str:
    """The page after a page; before the last one, as nothing follows it."""
    pages = list(dict.fromkeys(chunk.chapter_id for chunk in chunks))
    at = pages.index(chapter_id) if chapter_id in pages else -1
    others = [*pages[at + 1 :], *reversed(pages[: max(at, 0)])]
    return others[0] if others else ""
