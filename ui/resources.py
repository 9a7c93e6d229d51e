"""The one library and tutor of this process, opened once and shared by every session."""

import logging
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager

import streamlit as st

from rag import suggest
from rag.build import Library
from rag.domain.answer import AgentResponse
from rag.domain.book import Chunk
from rag.domain.errors import LecternError
from rag.settings import load_settings
from ui.markdown import literal

_log = logging.getLogger(__name__)


def library() -> Library:
    """The open library with a book in it; the page ends here with a sentence if there is none."""
    with explained():
        opened = _opened()
        if opened.manifest() is None:
            _index_book(opened)
        # Refuses, in words, an index that another embedding model made.
        opened.tutor.book()
    return opened


def starters() -> tuple[str, ...]:
    """Questions to begin with; each book has its own."""
    return _starters(library().tutor.book().fingerprint)


def follow_ups(response: AgentResponse, asked: Collection[str]) -> tuple[str, ...]:
    """Questions to go on with, each of which the book can answer."""
    opened = library()
    chunks = _chunks(opened.tutor.book().fingerprint)
    return suggest.follow_ups(opened.retriever, opened.tutor.config, chunks, response, asked)


@contextmanager
def explained() -> Iterator[None]:
    """Show a failure as its sentence, with a way to try again, and end the page."""
    try:
        yield
    except LecternError as error:
        _log.warning("%s: %s", type(error).__name__, error)
        st.error(literal(str(error)), title="Lectern cannot open the book")
        st.button("Try again", key="reopen")
        st.stop()


def _close(opened: Library) -> None:
    opened.close()


@st.cache_resource(show_spinner=False, on_release=_close)
def _opened() -> Library:
    return Library(load_settings())


@st.cache_resource(show_spinner=False, max_entries=1)
def _starters(fingerprint: str) -> tuple[str, ...]:
    opened = _opened()
    return suggest.starters(opened.retriever, opened.tutor.config, _chunks(fingerprint))


@st.cache_resource(show_spinner=False, max_entries=1)
def _chunks(fingerprint: str) -> list[Chunk]:  # noqa: ARG001 - what the cache goes by
    return _opened().chunks()


@st.cache_resource(show_spinner=False)
def _indexing() -> threading.Lock:
    return threading.Lock()


def _index_book(opened: Library) -> None:
    """Index the bundled book with a bar; a second session waits for the first one's work."""
    bar = st.progress(0.0, text="Preparing the book for its first reader…")

    def show(done: int, total: int) -> None:
        share = min(done / total, 1.0) if total else 0.0
        bar.progress(share, text=f"Preparing the book: {done} of {total} passages")

    with _indexing():
        opened.ensure_book(show)
    bar.empty()
