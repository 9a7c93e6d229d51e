"""Every citation of the golden set opens the reader at its words, under the heading it names."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs

import pytest

from rag.build import Library
from rag.domain.answer import AgentResponse, Citation
from rag.domain.book import Page
from rag.domain.events import Finished
from rag.evaluate import Case, read_cases
from rag.reading import Reading, render
from rag.settings import load_settings
from tests.conftest import GOLDEN
from ui.links import READER, reader_link

pytestmark = pytest.mark.model


class Cited(NamedTuple):
    """A citation of a golden answer, and whether it is one of a refusal's nearest sections."""

    question: str
    citation: Citation
    nearest: bool


class Opened(NamedTuple):
    """What the reader makes of a citation's address."""

    page: Page
    reading: Reading
    section: str


def golden_citations(library: Library) -> Iterator[Cited]:
    """Every citation of the golden answers and refusals."""
    for case in read_cases(GOLDEN):
        response = answer_to(library, case)
        for citation in response.citations:
            yield Cited(case.question, citation, nearest=False)
        for citation in response.nearest:
            yield Cited(case.question, citation, nearest=True)


def answer_to(library: Library, case: Case) -> AgentResponse:
    """What the tutor answers to a case, in a session of its own and after its history."""
    state = library.tutor.start(interactive=False)
    for earlier in case.history:
        list(library.tutor.ask(earlier, state))
    *_, last = library.tutor.ask(case.question, state)
    assert isinstance(last, Finished)
    return last.turn.response


def opened(library: Library, citation: Citation) -> Opened:
    """Open a citation's address as pages/reader.py does."""
    path, _, query = reader_link(citation, "conversation-1").partition("?")
    assert path == READER
    wanted = {name: values[0] for name, values in parse_qs(query, strict_parsing=True).items()}
    page = library.page(wanted["page"])
    assert page is not None
    section = wanted.get("section", "")
    return Opened(page, render(page, quote=wanted.get("quote", ""), section=section), section)


def words(text: str) -> list[str]:
    """The words of a text, whatever markup stands around them."""
    bare = re.sub(
        r"^[ \t>]*(?:[-*+]|\d+[.)])[ \t]+|^[ \t>]*(?:`{3,}|~{3,}).*$", "", text, flags=re.M
    )
    bare = re.sub(r"\]\([^()\s]*\)", "]", bare)
    return re.findall(r"[^\W_]+", bare.casefold())


def headings(reading: Reading) -> dict[str, list[str]]:
    """The words of each heading of a page, by its anchor."""
    found = re.findall(r'<h[1-6][^>]* id="s-([^"]*)"[^>]*>(.*?)</h[1-6]>', reading.html, re.S)
    return {anchor: words(unescape(re.sub(r"<[^>]*>", "", title))) for anchor, title in found}


@pytest.fixture(scope="module")
def golden(indexed_home: Path) -> Iterator[tuple[Library, list[Cited]]]:
    with Library(load_settings(home=indexed_home)) as library:
        yield library, list(golden_citations(library))


def test_there_are_citations_enough(golden: tuple[Library, list[Cited]]) -> None:
    _, cited = golden
    assert sum(not c.nearest for c in cited) > 200
    assert sum(c.nearest for c in cited) > 50


def test_every_citation_opens_at_its_words(golden: tuple[Library, list[Cited]]) -> None:
    library, cited = golden
    found = [(c, opened(library, c.citation)) for c in cited if not c.nearest]
    lost = [c.question for c, there in found if not there.reading.marked]
    assert lost == []
    other = [
        (c.question, c.citation.quote, there.reading.marked)
        for c, there in found
        if words(there.reading.marked) != words(c.citation.quote)
    ]
    assert other == []


def test_every_citation_opens_under_the_heading_it_names(
    golden: tuple[Library, list[Cited]],
) -> None:
    library, cited = golden
    wrong = []
    for citation in (c.citation for c in cited if not c.nearest):
        page, reading, section = opened(library, citation)
        named = words(citation.heading or citation.title)
        title = headings(reading).get(section) if section else words(page.title)
        if reading.section != section or title != named:
            wrong.append((citation.url, citation.heading, section, reading.section, title))
    assert wrong == []


def test_the_nearest_sections_of_refusals_open(golden: tuple[Library, list[Cited]]) -> None:
    library, cited = golden
    wrong = []
    for citation in (c.citation for c in cited if c.nearest):
        _, reading, section = opened(library, citation)
        # A whole passage is named here: its first words are marked, the rest is cut anywhere.
        begins = words(citation.quote)[:12] == words(reading.marked)[:12]
        if not begins or (section and section not in headings(reading)):
            wrong.append((citation.url, citation.quote, reading.marked))
    assert wrong == []
