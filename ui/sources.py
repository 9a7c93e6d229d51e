"""Draws the passages behind an answer: place, similarity, quote, link."""

from collections.abc import Sequence

import streamlit as st

from rag.domain.answer import Citation
from ui.markdown import literal, unmarked


def draw_sources(citations: Sequence[Citation], expanded: bool) -> None:
    """The cited passages, in the order of their numbers."""
    count = "1 source" if len(citations) == 1 else f"{len(citations)} sources"
    with st.expander(count, expanded=expanded):
        for citation in citations:
            _draw_passage(citation, f"**:blue[\\[{citation.index}\\]]** {_place(citation)}")


def draw_nearest(citations: Sequence[Citation]) -> None:
    """The passages that came nearest to a question the book doesn't answer."""
    with st.expander("What these sections say"):
        for citation in citations:
            _draw_passage(citation, _place(citation))


def _draw_passage(citation: Citation, title: str) -> None:
    with st.container(gap="xsmall"):
        place, similarity = st.columns([4, 1], gap="small")
        place.markdown(title)
        similarity.progress(citation.score, text=f"Similarity {citation.score:.2f}")
        _draw_quote(citation.quote)
        if citation.url.startswith(("https://", "http://")):
            st.link_button("Open in the book", citation.url, type="tertiary")


def _draw_quote(quote: str) -> None:
    """The book's own text, shown as it stands and never as live Markdown."""
    lines = quote.splitlines()
    unfenced = [line for line in lines if not line.lstrip().startswith(("```", "~~~"))]
    if len(unfenced) < len(lines):
        st.code("\n".join(unfenced).strip("\n"), language=None)
    elif quote:
        st.markdown(f":small[“{literal(unmarked(quote))}”]")


def _place(citation: Citation) -> str:
    """Module, chapter and heading as one line."""
    parts = (citation.module, citation.title, citation.heading)
    return literal(unmarked(" › ".join(part for part in parts if part)))
