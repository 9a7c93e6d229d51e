"""What stands around every page: its title and icon, the way to the others, the engines in use."""

from pathlib import Path

import streamlit as st

from rag.build import Library
from ui import components, learner, resources
from ui.markdown import quiet

ASSETS = Path(__file__).parent.parent / "assets"
_FRAMED = "framed"
PAGES = {"pages/chat.py": "Chat", "pages/reader.py": "Reader"}


def configure() -> None:
    """The browser tab and the layout."""
    st.set_page_config(page_title="Lectern", page_icon=ASSETS / "favicon.png", layout="centered")


def draw() -> None:
    """What every page has, once the library is open."""
    components.frame_script(learner.owner(), learner.adopt)
    resources.library()
    st.session_state[_FRAMED] = True
    st.logo(str(ASSETS / "favicon.png"), size="large")


def navigate() -> None:
    """The pages as links of our own: on a phone Streamlit hides its own behind an arrow."""
    with st.container(key="phone_navigation", horizontal=True, gap="small"):
        for page, title in PAGES.items():
            st.page_link(page, label=title)


def leave() -> None:
    """The frame is drawn anew on every run."""
    st.session_state.pop(_FRAMED, None)


def enter() -> None:
    """First line of every page: Streamlit may run its file alone, without streamlit_app.py."""
    if not st.session_state.get(_FRAMED):
        configure()
        draw()
        leave()


def draw_engines(library: Library) -> None:
    """Which book this is, and which engines embed, search and answer, in one quiet line."""
    used = library.engines
    st.sidebar.markdown(
        f"**{quiet(library.tutor.book().title)}**  \n"
        + quiet(f"Embedding: {used.embedding} · Search: {used.search} · Answers: {used.answers}")
    )
