"""Every quote that an answer may show is found in its page, in whole books."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from rag.domain.book import Page
from rag.grounding import _quotable, section_of
from rag.ingest.chunking import chunk_page
from rag.ingest.docusaurus import read_book
from rag.ingest.markdown import read_blocks
from rag.reading import passage, render, text_fragment
from rag.reading.building import parse
from rag.reading.marking import _FENCE, _NUMBER, marks
from rag.reading.streams import stream_of
from rag.reading.writing import _marked
from rag.text import blocks, words
from tests.conftest import BUNDLED_BOOK, SHARED_BOOKS
from tests.rag.reading.samples import Judge

BOOKS = [BUNDLED_BOOK, *sorted(SHARED_BOOKS.glob("*/docs"))]
IDS = [book.parent.name for book in BOOKS]


class Quote(NamedTuple):
    page: Page
    text: str
    anchor: str


@cache
def pages_of(folder: Path) -> tuple[Page, ...]:
    return read_book(folder).pages


@cache
def quotes_of(folder: Path) -> tuple[Quote, ...]:
    return tuple(quote for page in pages_of(folder) for quote in quotes_on(page))


def quotes_on(page: Page) -> Iterator[Quote]:
    for chunk in chunk_page(page):
        for block in blocks(chunk.text):
            for text in _quotable(block):
                url = section_of(text, chunk).url
                yield Quote(page, text, unquote(url.partition("&section=")[2]))


def letters(text: str) -> str:
    return stream_of(text).text


def said(quote: str) -> set[str]:
    """The letters of a quote, with and without what only markup says."""
    return {letters(quote), letters(_NUMBER.sub(r"\1", _FENCE.sub("", quote)))}


@pytest.mark.parametrize("folder", BOOKS, ids=IDS)
def test_the_page_has_every_anchor_of_its_chunks(folder: Path) -> None:
    for page in pages_of(folder):
        judge = Judge(render(page).html)
        anchors = {f"s-{block.anchor}" for block in read_blocks(page.text) if block.anchor}
        assert judge.balanced
        assert anchors <= set(judge.all("id"))


@pytest.mark.parametrize("folder", BOOKS, ids=IDS)
def test_the_page_says_what_its_text_says(folder: Path) -> None:
    for page in pages_of(folder):
        assert parse(page).source.text == letters(page.text), page.source_file


@pytest.mark.parametrize("folder", BOOKS, ids=IDS)
def test_every_quote_is_marked_in_its_section(folder: Path) -> None:
    for page, quote, anchor in quotes_of(folder):
        parsed = parse(page)
        found = marks(parsed, quote, anchor)
        assert found, (page.source_file, quote)
        # A formula is marked whole, so more than the quote may be marked.
        whole = [mark.run for mark in found if parsed.runs[mark.run].kind == "formula"]
        there = letters(_marked(parsed, found))
        assert there in said(quote) or (whole and any(s in there for s in said(quote))), quote
        heading = parsed.section_of(found[0].run)
        assert (heading.anchor if heading else "") == anchor, quote


@pytest.mark.parametrize("folder", BOOKS, ids=IDS)
def test_marks_keep_the_page_well_formed(folder: Path) -> None:
    for page, quote, anchor in quotes_of(folder)[::40]:
        plain, reading = render(page), render(page, quote=quote, section=anchor)
        judge = Judge(reading.html)
        assert judge.balanced
        assert judge.all("id").count("cited") == 1
        assert judge.text == Judge(plain.html).text
        assert reading.section == anchor


@pytest.mark.parametrize("folder", BOOKS, ids=IDS)
def test_fragments_are_alone_on_their_page(folder: Path) -> None:
    quotes = quotes_of(folder)[::10]
    found = 0
    for page, quote, anchor in quotes:
        fragment = unquote(text_fragment(page, quote, anchor).removeprefix(":~:text="))
        shown = " ".join(Judge(render(page).html).text.split()) if fragment else ""
        assert shown.lower().count(fragment.lower()) == 1 or not fragment, (quote, fragment)
        found += bool(fragment)
    assert found > 0.9 * len(quotes)


@pytest.mark.parametrize("folder", BOOKS, ids=IDS)
def test_what_is_marked_can_be_selected(folder: Path) -> None:
    for page, quote, anchor in quotes_of(folder)[::60]:
        there = Judge(render(page, quote=quote, section=anchor).html).marked
        found = passage(page, there)
        if found is None:
            assert len(words(there)) < 3, quote
        else:
            assert found.text in page.text
            assert set(words(_NUMBER.sub("", _FENCE.sub("", quote)))) <= set(words(found.text))
