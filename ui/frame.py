"""What stands around every page: its title and icon, the book and the engines in use."""

from pathlib import Path

import streamlit as st

from rag.build import Library
from ui import resources, session
from ui.markdown import quiet

ASSETS = Path(__file__).parent.parent / "assets"
_FRAMED = "framed"


def configure() -> None:
    """The browser tab and the layout."""
    st.set_page_config(page_title="Lectern", page_icon=ASSETS / "favicon.png", layout="centered")


def draw() -> None:
    """The sidebar, once the library is open."""
    library = resources.library()
    st.session_state[_FRAMED] = True
    st.logo(str(ASSETS / "favicon.png"), size="large")
    with st.sidebar:
        st.button(
            "New conversation",
            key="new_conversation",
            on_click=session.new_conversation,
            width="stretch",
        )
        st.markdown(f"**{quiet(library.tutor.book().title)}**  \n{quiet(engines(library))}")


def leave() -> None:
    """The frame is drawn anew on every run."""
    st.session_state.pop(_FRAMED, None)


def enter() -> None:
    """First line of every page: Streamlit may run its file alone, without streamlit_app.py."""
    if not st.session_state.get(_FRAMED):
        configure()
        draw()
        leave()


def engines(library: Library) -> str:
    """Which engines embed, search and answer, in one line."""
    used = library.engines
    return f"Embedding: {used.embedding} · Search: {used.search} · Answers: {used.answers}"
