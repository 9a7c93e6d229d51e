"""Where citations lead, and that what a book calls its pages changes nothing about it."""

from types import SimpleNamespace
from typing import cast
from urllib.parse import parse_qs

import pytest

from rag.build import Library
from rag.domain.book import Page, reader_address, site_address
from tests.builders import make_citation, make_refusal, make_response
from tests.ui.rendered import rendered
from ui.answer import refusal_markdown
from ui.links import address, marker_links, on_website, place, reader_link, section_of, told
from ui.markdown import safe_markdown

SITE = "https://book.example/docs"
NASTY = "a (b) [c] & d=e#f %20 + “g” 'h' | i/j \\ k\nl 🍞 <m>"


def library_of(page: Page | None, fingerprint: str) -> Library:
    """As much of a library as a link needs."""
    book = SimpleNamespace(fingerprint=fingerprint)
    tutor = SimpleNamespace(book=lambda: book)
    return cast(Library, SimpleNamespace(tutor=tutor, page=lambda _: page))


def make_page(text: str) -> Page:
    return Page(
        source_file="a.md",
        chapter_id="a",
        module="",
        title="A",
        route="/a",
        text=text,
        reading=text,
        position=0,
    )


@pytest.mark.parametrize("quote", [NASTY, "plain words", "?page=x&section=y", "%29)"])
def test_a_reader_link_comes_back_as_it_went(quote: str) -> None:
    citation = make_citation(
        url=reader_address("m (1)/a&b", "s=1#x"), chapter_id="m (1)/a&b", quote=quote
    )
    path, _, query = reader_link(citation, "c-1").partition("?")
    assert path == "reader"
    assert parse_qs(query, strict_parsing=True) == {
        "page": ["m (1)/a&b"],
        "section": ["s=1#x"],
        "quote": [quote],
        "conversation": ["c-1"],
    }
    assert not set(query) & set("()[]<>|\"'\\ \n#")


def test_a_reader_link_says_only_what_there_is() -> None:
    citation = make_citation(url=reader_address("a", ""), chapter_id="a", quote="")
    assert reader_link(citation) == "reader?page=a"


@pytest.mark.parametrize(
    ("url", "section"),
    [
        (reader_address("a", "wild-yeast"), "wild-yeast"),
        (reader_address("a", "ä b"), "ä b"),
        (reader_address("a", ""), ""),
        (f"{SITE}/a#wild-yeast", "wild-yeast"),
        (f"{SITE}/a", ""),
        (site_address(SITE, "/a", "süße-hefe"), "süße-hefe"),
    ],
)
def test_the_section_of_an_address(url: str, section: str) -> None:
    assert section_of(url) == section


def test_a_book_without_a_website_is_cited_in_the_reader() -> None:
    citation = make_citation(url=reader_address("a", "b"), chapter_id="a", quote="words")
    assert not on_website(citation)
    assert address(library_of(None, "none"), citation, "c") == reader_link(citation, "c")


def test_a_book_with_a_website_is_cited_there_at_its_words() -> None:
    page = make_page("# A\n\n## B\n\nWild yeast (of the air) leavens bread.\n\n## C\n\nBread.")
    citation = make_citation(
        url=f"{SITE}/a(1)#b", chapter_id="a", quote="Wild yeast (of the air) leavens bread."
    )
    assert on_website(citation)
    found = address(library_of(page, "site"), citation)
    words = "Wild%20yeast%20%28of%20the%20air%29%20leavens%20bread"
    assert found == f"{SITE}/a%281%29#b:~:text={words}"


@pytest.mark.parametrize(
    ("page", "url", "expected"),
    [
        (None, f"{SITE}/a#b", f"{SITE}/a#b"),
        (make_page("# A\n\nOther words."), f"{SITE}/a#b", f"{SITE}/a#b"),
        (
            make_page("# A\n\nOnce upon a time."),
            f"{SITE}/a",
            f"{SITE}/a#:~:text=Once%20upon%20a%20time",
        ),
    ],
)
def test_an_address_has_as_much_as_the_page_gives(
    page: Page | None, url: str, expected: str
) -> None:
    citation = make_citation(url=url, chapter_id="a", quote="Once upon a time.")
    assert address(library_of(page, f"as much {expected} {page}"), citation) == expected


def test_what_is_told_is_the_place_and_the_words() -> None:
    citation = make_citation(
        module="Part 1", title="Bread", heading="**Wild** yeast", quote="`x` y"
    )
    assert place(citation) == "Part 1 › Bread › Wild yeast"
    assert told(citation) == "Part 1 › Bread › Wild yeast — “x y”"


def test_whatever_a_book_says_a_marker_leads_to_the_reader() -> None:
    citation = make_citation(
        url=reader_address("a", "b"), chapter_id="a", title=NASTY, heading=NASTY, quote=NASTY
    )
    response = make_response(answer="| It [1] | rises |\n|-|-|\n| a | [1] |", citations=(citation,))
    found = marker_links(library_of(None, "nasty"), response, "c")
    page = rendered(safe_markdown(response.answer, found))
    said = " ".join(told(citation).split())
    assert page.links == [("[1]", reader_link(citation, "c"), said)] * 2
    assert page.alive == []


def test_a_refusal_leads_to_its_nearest_sections_and_nowhere_else() -> None:
    nearest = make_citation(
        url=reader_address("a", "b"), chapter_id="a", title="[x](//evil.example) | <b>", heading="`"
    )
    answer = f"I don't have information about that.\n\n- {nearest.label}"
    refusal = make_refusal(answer=answer, nearest=(nearest,))
    page = rendered(refusal_markdown(library_of(None, "refused"), refusal, "c"))
    assert [link[1] for link in page.links] == [reader_link(nearest, "c")]
    assert page.alive == []
    assert page.prose.count("<b>") == 1
