"""Who is here: a browser is known by a random name in its cookie, and has its own conversations."""

import re
import secrets

import streamlit as st

COOKIE = "lectern_learner"
_KEY = "learner"
# As long as nobody can guess another's, and nothing that could be anything but a name.
_NAME = re.compile(r"[A-Za-z0-9_-]{22,64}")


def owner() -> str:
    """This learner's name; a first visit gets a new one, which ui/web/frame.js keeps."""
    if _KEY not in st.session_state:
        known = str(st.context.cookies.get(COOKIE, ""))
        st.session_state[_KEY] = known if _NAME.fullmatch(known) else secrets.token_urlsafe(24)
    name: str = st.session_state[_KEY]
    return name


def adopt(name: str) -> None:
    """Take the name that another tab of this browser got a moment earlier."""
    if _NAME.fullmatch(name):
        st.session_state[_KEY] = name
