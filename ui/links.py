"""Where citations lead: the book's website if it has one, and Lectern's own reader."""

from urllib.parse import parse_qs, quote, unquote, urlsplit

import streamlit as st

from rag.build import Library
from rag.domain.answer import AgentResponse, Citation
from rag.domain.answered import Answered
from rag.domain.book import READER_PATH, Chunk
from rag.reading import passage, text_fragment
from ui.markdown import Link, unmarked

# Addresses are relative, so that the app can stand below any path of a server.
READER = READER_PATH.lstrip("/")


def reader_link(citation: Citation, conversation: str = "") -> str:
    """The reader, open at the cited passage; it remembers where the learner came from."""
    wanted = {
        "page": citation.chapter_id,
        "section": section_of(citation.url),
        "quote": citation.quote,
        "conversation": conversation,
    }
    # Parentheses would end a Markdown link.
    parts = [f"{name}={quote(value, safe='')}" for name, value in wanted.items() if value]
    return f"{READER}?{'&'.join(parts)}"


def section_of(url: str) -> str:
    """The heading's anchor in a citation's address."""
    parts = urlsplit(url)
    if url.startswith(READER_PATH):
        return parse_qs(parts.query).get("section", [""])[0]
    return unquote(parts.fragment)


def on_website(citation: Citation) -> bool:
    """Whether the book that is cited has a website."""
    return not citation.url.startswith(READER_PATH)


def address(library: Library, citation: Citation, conversation: str = "") -> str:
    """Where a citation leads: to the very words, on the book's website or in the reader."""
    if not on_website(citation):
        return reader_link(citation, conversation)
    book = library.tutor.book()
    return _site_address(book.fingerprint, citation, _library=library)


@st.cache_data(show_spinner=False, max_entries=5000)
def _site_address(fingerprint: str, citation: Citation, _library: Library) -> str:  # noqa: ARG001
    page = _library.page(citation.chapter_id)
    fragment = text_fragment(page, citation.quote, section_of(citation.url)) if page else ""
    joint = "#" if fragment and "#" not in citation.url else ""
    plain = citation.url + joint + fragment
    return plain.replace("(", "%28").replace(")", "%29")


def place(citation: Citation) -> str:
    """Module, chapter and heading as one line."""
    parts = (citation.module, citation.title, citation.heading)
    return unmarked(" › ".join(part for part in parts if part))


def told(citation: Citation) -> str:
    """What a citation's tooltip says: its place and its words."""
    return f"{place(citation)} — “{unmarked(citation.quote)}”"


def marker_links(library: Library, response: AgentResponse, conversation: str) -> dict[int, Link]:
    """Where each `[n]` of an answer leads."""
    return {
        citation.index: Link(address(library, citation, conversation), told(citation))
        for citation in response.citations
    }


def cited_passage(library: Library, answered: Answered) -> Chunk | None:
    """The passage a question was asked about, found in the book again."""
    page = library.page(answered.response.citations[0].chapter_id)
    if page is None:
        return None
    return passage(page, answered.question.passage, library.tutor.book().base_url)
