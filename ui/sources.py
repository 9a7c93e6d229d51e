"""Draws the passages behind an answer: place, similarity, the quote where it stands, the way in."""

import re
from collections.abc import Mapping
from html import escape

import streamlit as st

from rag.build import Library
from rag.domain.answer import WEIGHTS, Citation, Confidence
from rag.domain.answered import Answered
from rag.domain.book import Chunk, Page
from rag.reading import render
from rag.text import blocks
from ui import components, links

_FACTORS = {
    "retrieval_quality": "How close the best passage is to your question",
    "coverage": "How much of your question the passages speak about",
    "entailment": "How far the cited passages carry what the answer says",
    "lexical_overlap": "How many of the answer's words stand in the passages",
}


def draw_sources(library: Library, answered: Answered, conversation: str) -> None:
    """The cited passages, in the order of their numbers."""
    citations, passage = answered.response.citations, answered.question.passage
    chunks = {c.chunk_id: c for c in library.store.get([c.chunk_id for c in citations])}
    items = []
    for citation in citations:
        around = _around(citation, chunks, passage)
        items.append(f"<li>{_head(citation)}{around}{_ways(library, citation, conversation)}</li>")
    html = f'<ol class="sources">{"".join(items)}</ol>'
    components.sheet(html, f"passages_{answered.turn_id}")


def _head(citation: Citation) -> str:
    return (
        f'<div class="source-head"><span class="place">[{citation.index}] '
        f"{escape(links.place(citation))}</span>"
        f'<span class="similarity">Similarity {_bar(citation.score)} {citation.score:.2f}</span>'
        "</div>"
    )


def _bar(share: float) -> str:
    return f'<span class="bar" aria-hidden="true"><i style="width:{share:.0%}"></i></span>'


def _around(citation: Citation, chunks: Mapping[str, Chunk], passage: str) -> str:
    """The quote, marked inside the passage it stands in; alone if the book has changed since."""
    chunk = chunks.get(citation.chunk_id)
    whole = chunk.text if chunk else passage
    # The paragraph, list or listing it stands in says enough; the rest is one click away.
    holding = [b.text for b in blocks(whole) if citation.quote and citation.quote in b.text]
    text = holding[0] if holding else whole if citation.quote in whole else citation.quote
    page = Page(
        source_file="passage",
        chapter_id="passage",
        module="",
        title=citation.title,
        route="",
        text=text,
        reading=text,
        position=0,
    )
    # Several passages share a page: an id would stand there twice.
    html = re.sub(r' id="[^"]*"', "", render(page, quote=citation.quote).html)
    return f'<div class="around">{html}</div>'


def _ways(library: Library, citation: Citation, conversation: str) -> str:
    """The way into the book; the reader stays one click away where there is a website."""
    inside = links.reader_link(citation, conversation)
    ways = [_way(inside, "Open in the reader")]
    if links.on_website(citation):
        ways.insert(0, _way(links.address(library, citation), "Open on the book's website"))
    return f'<p class="source-links">{"".join(ways)}</p>'


def _way(address: str, words: str) -> str:
    return f'<a href="{escape(address)}" target="_blank" rel="noopener noreferrer">{words}</a>'


def draw_confidence(confidence: Confidence, key: str) -> None:
    """The four factors in plain words, with what each counts."""
    st.markdown(
        f"**{confidence.overall:.2f} of 1** says how far to trust this answer. It is the weighted "
        "mean of four measurements; 0.80 and more is high, 0.60 and more is medium."
    )
    rows = [
        f'<div class="source-head"><span class="place">{words}</span><span class="similarity">'
        f"{_bar(getattr(confidence, name))} {getattr(confidence, name):.2f}, counts "
        f"{WEIGHTS[name]:.0%}</span></div>"
        for name, words in _FACTORS.items()
    ]
    # On a phone they are scrolled to, and the keyboard can only scroll what it reaches.
    reached = '<div tabindex="0" role="group" aria-label="The four measurements">'
    components.sheet(f"{reached}{''.join(rows)}</div>", key)
