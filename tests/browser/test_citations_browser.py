"""Citations of the golden set, opened in Chromium: the reader shows the very words, in view."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rag.build import Library
from rag.domain.answer import Citation
from rag.evaluate import read_cases
from rag.settings import load_settings
from tests.browser import person
from tests.browser.conftest import Visit
from tests.conftest import GOLDEN
from tests.rag.reading.test_golden_citations import answer_to, words
from ui.links import reader_link, section_of

pytestmark = pytest.mark.browser

_ENOUGH = 32
# The last heading before the marked words, the marked words, and how many ids there are of them.
_FOUND = """() => {
    const cited = document.querySelector("#cited")
    const before = [...document.querySelectorAll("main :is(h1, h2, h3, h4, h5, h6)")].filter(h =>
        h.compareDocumentPosition(cited) & Node.DOCUMENT_POSITION_FOLLOWING)
    const marks = [...document.querySelectorAll("main mark")].map(m => m.textContent)
    return [before.at(-1).id, marks.join(" "), document.querySelectorAll("#cited").length]
}"""


@pytest.fixture(scope="module")
def cited(indexed_home: Path) -> list[Citation]:
    """Citations of golden answers, from as many pages as there are; a formula has other words."""
    chosen: dict[str, Citation] = {}
    cases = [case for case in read_cases(GOLDEN) if case.answerable and not case.history]
    with Library(load_settings(home=indexed_home)) as library:
        for case in cases[::2]:
            found = answer_to(library, case).citations
            chosen |= {c.quote: c for c in found if c.quote and "$" not in c.quote}
            if len(chosen) >= _ENOUGH:
                break
    return list(chosen.values())


def _opens_at_its_words(page: Page, address: str, citation: Citation) -> str:
    """What is wrong with the page a citation opens; nothing, if all is well."""
    page.goto(f"{address}/{reader_link(citation)}")
    mark = page.locator("#cited")
    expect(mark).to_be_visible()
    person.at_rest(page)
    expect(mark).to_be_in_viewport()
    heading, marked, count = page.evaluate(_FOUND)
    section = section_of(citation.url)
    right = heading == (f"s-{section}" if section else "")
    same = words(marked) == words(citation.quote)
    return "" if right and same and count == 1 else f"{citation.url} {heading} {marked!r} {count}"


def test_golden_citations_open_at_their_words(
    visit: Visit, address: str, cited: list[Citation]
) -> None:
    assert len(cited) >= 30
    wrong = [_opens_at_its_words(visit.page, address, citation) for citation in cited]
    assert list(filter(None, wrong)) == []
