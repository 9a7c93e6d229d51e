"""The few things Streamlit has no element for: our own HTML, a copy button, the frame's script."""

from collections.abc import Callable
from html import escape
from pathlib import Path

import streamlit as st

_WEB = Path(__file__).parent / "web"


def _web(name: str) -> str:
    return (_WEB / name).read_text(encoding="utf-8")


_sheet = st.components.v2.component("lectern_sheet", js=_web("sheet.js"), isolate_styles=False)
_arrive = st.components.v2.component("lectern_arrive", js=_web("arrive.js"), isolate_styles=False)
# The frame is on every page once: it brings the style of all of them.
_frame = st.components.v2.component(
    "lectern_frame",
    js=_web("frame.js"),
    css=_web("frame.css") + _web("sheet.css"),
    isolate_styles=False,
)

Heard = Callable[[str], None]


def _nothing(_: str) -> None:
    """What happens where nobody listens."""


def sheet(
    html: str,
    key: str,
    *,
    arrive: str | None = None,
    visit: int = 0,
    on_went: Heard = _nothing,
    on_done: Heard = _nothing,
    on_asked: Heard | None = None,
) -> None:
    """HTML that we made of escaped text.

    A link with `data-go` is followed by `on_went`, a button with `data-do` is done by `on_done`,
    and text that a reader selects is asked about by `on_asked`. With `arrive`, the marked passage,
    or else the element of that id, comes into view; at every further `visit` once more.
    """
    _sheet(
        key=key,
        data={"html": html, "arrive": arrive, "visit": visit, "askable": on_asked is not None},
        on_went_change=lambda: on_went(_told(key, "went")),
        on_done_change=lambda: on_done(_told(key, "done")),
        on_asked_change=lambda: (on_asked or _nothing)(_told(key, "asked")),
    )


def copy_button(text: str) -> None:
    """A button that puts a text on the clipboard; the frame's script listens to all of them."""
    words = f'<button type="button" class="lectern-copy" data-copy="{escape(text)}">Copy</button>'
    st.html(words, width="content")


def arrive(key: str, at: str) -> None:
    """Bring the newest question into view, once for each `at`."""
    _arrive(key=f"arrive_{key}", data={"at": at})


def frame_script(learner: str, on_learner: Heard) -> None:
    """What runs beside every page: the learner's cookie, tooltips of citations, copying."""
    key = "frame_script"
    _frame(
        key=key,
        data={"learner": learner},
        on_learner_change=lambda: on_learner(_told(key, "learner")),
    )


def _told(key: str, name: str) -> str:
    """What the browser sent. It is a person's input: any text at all."""
    value = getattr(st.session_state[key], name, None)
    return value if isinstance(value, str) else ""
