"""Draws the book: its contents, a page with the cited passage marked, what a search found."""

from html import escape
from itertools import groupby
from typing import NamedTuple
from urllib.parse import parse_qs, quote, urlsplit

import streamlit as st

from rag.build import Library
from rag.domain.book import READER_PATH, Chunk, Page
from rag.domain.question import Question
from rag.grounding import best_quote
from rag.reading import Reading, follow, passage, render
from rag.search.store import Manifest, PageEntry
from ui import components, session
from ui.links import READER
from ui.markdown import unmarked

_ASKED = "asked_about"
_SEARCH = "search_book"
_VISITS = "reader_visits"
_FOUND = 12
_PLACE = ("page", "section", "quote")


class Place(NamedTuple):
    """Where in the book a reader is."""

    page: str = ""
    section: str = ""
    quote: str = ""


def place() -> Place:
    """The place in the address."""
    return Place(*(st.query_params.get(name, "") for name in _PLACE))


def link(page: str, section: str = "") -> str:
    """The address of a place."""
    anchor = f"&section={quote(section, safe='')}" if section else ""
    return f"{READER}?page={quote(page, safe='')}{anchor}"


def go(address: str) -> None:
    """Follow a link inside the book."""
    wanted = parse_qs(urlsplit(address).query)
    for name in _PLACE:
        if name in wanted:
            st.query_params[name] = wanted[name][0]
        else:
            st.query_params.pop(name, None)
    st.session_state[_SEARCH] = ""
    st.session_state[_VISITS] = st.session_state.get(_VISITS, 0) + 1


def draw_contents(book: Manifest, current: str, reading: Reading | None) -> None:
    """The table of contents: modules, their pages, and the sections of the open page."""
    html = ""
    for module, pages in groupby(book.pages, key=lambda page: page.module):
        listed = list(pages)
        rows = "".join(_row(page, page.chapter_id == current, reading) for page in listed)
        rows = f'<ul class="links">{rows}</ul>'
        opened = " open" if any(page.chapter_id == current for page in listed) else ""
        html += (
            f"<details{opened}><summary>{escape(module)}</summary>{rows}</details>"
            if module
            else rows
        )
    with st.sidebar:
        components.sheet(f'<nav aria-label="Contents">{html}</nav>', "contents", on_went=go)


def _row(page: PageEntry, is_current: bool, reading: Reading | None) -> str:
    rows = [_item(link(page.chapter_id), page.title, 'aria-current="page"' if is_current else "")]
    if is_current and reading:
        rows += [
            _item(link(page.chapter_id, section.anchor), section.title, 'class="inner"')
            for section in reading.sections
            if section.level == 2 and section.anchor
        ]
    return "".join(rows)


def _item(address: str, words: str, attribute: str) -> str:
    return f'<li><a data-go href="{escape(address)}" {attribute}>{escape(words)}</a></li>'


def rendered(library: Library, page: Page, at: Place) -> Reading:
    """The page as HTML, with the quoted words marked."""
    pages = library.tutor.book().pages
    made = render(page, quote=at.quote, section=at.section, follow=follow(pages, page))
    inside = made.html.replace(f'href="{READER_PATH}?', f'data-go href="{READER}?')
    return made._replace(html=inside)


def draw_page(book: Manifest, page: Page, reading: Reading, at: Place) -> None:
    """One page: where it stands, its text, the way on."""
    module = f'<p class="crumbs">{escape(page.module)}</p>' if page.module else ""
    html = f"{module}<h1>{escape(page.title)}</h1>{reading.html}{_neighbours(book, page)}"
    components.sheet(
        html,
        f"page_{page.position}",
        arrive=f"s-{at.section}" if at.section else "",
        visit=st.session_state.get(_VISITS, 0),
        on_went=go,
        on_asked=_note_asked,
    )


def _neighbours(book: Manifest, page: Page) -> str:
    ids = [entry.chapter_id for entry in book.pages]
    here = ids.index(page.chapter_id)
    ways = []
    if here > 0:
        ways.append(_way(book.pages[here - 1], "Previous", "prev"))
    if here + 1 < len(ids):
        ways.append(_way(book.pages[here + 1], "Next", "next"))
    return f'<nav class="neighbours" aria-label="Pages">{"".join(ways)}</nav>'


def _way(entry: PageEntry, words: str, rel: str) -> str:
    address = escape(link(entry.chapter_id))
    return (
        f'<a data-go rel="{rel}" href="{address}"><small>{words}</small>{escape(entry.title)}</a>'
    )


def _note_asked(text: str) -> None:
    st.session_state[_ASKED] = text


def ask_about(library: Library, page: Page) -> None:
    """Take what was selected to the chat, if it really is the book's own text."""
    selected = st.session_state.pop(_ASKED, "")
    if not selected:
        return
    found: Chunk | None = passage(page, selected, library.tutor.book().base_url)
    if found is None:
        st.warning("That can't be asked about. Please select a few words of this page's text.")
        return
    chat = session.chat(library.tutor)
    chat.passage = found
    saved = {session.ADDRESS: chat.id} if chat.answered else None
    st.switch_page("pages/chat.py", query_params=saved)


def draw_search() -> str:
    """The search field; what was typed."""
    with st.sidebar:
        typed = st.text_input(
            "Search the book",
            key=_SEARCH,
            placeholder="Search the book",
            label_visibility="collapsed",
        )
    return typed.strip()


def draw_found(library: Library, wanted: str) -> None:
    """The sections that come nearest to what was typed."""
    config = library.tutor.config
    question = Question.ask(wanted, config.top_k, config.threshold)
    retrieval = library.retriever.retrieve(question, wanted, config.lexical_weight)
    sections: dict[str, Chunk] = {}
    for candidate in retrieval.chunks:
        sections.setdefault(candidate.chunk.url, candidate.chunk)
    rows = "".join(_result(chunk, retrieval.query) for chunk in list(sections.values())[:_FOUND])
    components.sheet(f'<ol class="found">{rows}</ol>', "found", on_went=go)


def _result(chunk: Chunk, query: str) -> str:
    words = best_quote(query, chunk.text)
    anchor = chunk.anchors[-1] if chunk.anchors else ""
    address = f"{link(chunk.chapter_id, anchor)}&quote={quote(words, safe='')}"
    return (
        f'<li><a data-go href="{escape(address)}">{escape(unmarked(chunk.place))}</a>'
        f"<p>{escape(unmarked(words))}</p></li>"
    )
