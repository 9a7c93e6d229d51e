"""The one library and tutor of this process, opened once and shared by every session."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from rag.build import Library
from rag.domain.errors import LecternError
from rag.settings import load_settings
from rag.tutor import Tutor
from ui.markdown import literal
from ui.starters import starters as choose_starters

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


def tutor() -> Tutor:
    """The tutor every session asks."""
    return library().tutor


def starters() -> tuple[str, ...]:
    """Questions to begin with; each book has its own."""
    return _starters(library().tutor.book().fingerprint)


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
def _starters(fingerprint: str) -> tuple[str, ...]:  # noqa: ARG001 - what the cache goes by
    opened = _opened()
    return choose_starters(opened.tutor, opened.chunks())


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
