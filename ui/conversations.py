"""The learner's conversations in the sidebar: find, open, rename, export, delete, take it back."""

import json
from collections.abc import Callable
from html import escape
from urllib.parse import urljoin

import streamlit as st

from rag.build import Library
from rag.domain.answer import Citation
from rag.domain.errors import LecternError
from rag.exports import Exported, to_json, to_markdown
from rag.memory import MAX_TITLE_CHARS, ConversationSummary
from ui import components, learner, links, session
from ui.markdown import literal

# A list longer than this is searched, not read.
_LISTED = 30
_MANAGED = "managed_conversation"
_DELETED = "deleted_conversation"


def draw(library: Library) -> None:
    """Everything the sidebar says about conversations; a failure leaves the page usable."""
    with st.sidebar:
        st.button(
            "New conversation",
            key="new_conversation",
            on_click=session.new_conversation,
            width="stretch",
        )
        try:
            _draw_undo(library)
            _draw_list(library)
        except LecternError as error:
            st.warning(literal(str(error)))
    if managed := st.session_state.pop(_MANAGED, ""):
        _manage(library, managed)


def _draw_list(library: Library) -> None:
    owner = learner.owner()
    wanted = st.text_input(
        "Search your conversations",
        key="search_conversations",
        placeholder="Search your conversations",
        label_visibility="collapsed",
    )
    found = library.memory.conversations(owner, wanted.strip(), _LISTED)
    if not found:
        nothing = "No conversation has these words." if wanted.strip() else "No conversation yet."
        st.markdown(f":small[:gray[{nothing}]]")
        return
    chat = session.current()
    rows = "".join(_row(summary, chat.id if chat else "") for summary in found)
    html = f'<nav aria-label="Your conversations"><ul class="links">{rows}</ul></nav>'
    components.sheet(html, "conversations", on_went=_went, on_done=_managed)


def _row(summary: ConversationSummary, current: str) -> str:
    title, here = escape(summary.title), ' aria-current="true"' if summary.id == current else ""
    address = escape(f"?{session.ADDRESS}={summary.id}")
    return (
        f'<li><a data-go href="{address}"{here}>{title}</a><button type="button" '
        f'data-do="{escape(summary.id)}" aria-label="Manage “{title}”">⋯</button></li>'
    )


def _went(address: str) -> None:
    session.open_conversation(address.removeprefix(f"?{session.ADDRESS}="))


def _managed(conversation: str) -> None:
    st.session_state[_MANAGED] = conversation


@st.dialog("Conversation")
def _manage(library: Library, conversation: str) -> None:
    """Rename, export or delete one conversation."""
    summary = library.memory.summary(conversation, learner.owner())
    if summary is None:
        st.info("That conversation isn't here any more.")
        return
    title = st.text_input("Title", value=summary.title, max_chars=MAX_TITLE_CHARS, key="new_title")
    if st.button("Rename", key="rename"):
        try:
            library.memory.rename(conversation, learner.owner(), title)
        except LecternError as error:
            st.error(literal(str(error)))
        else:
            st.rerun()
    st.markdown("**Keep a copy**")
    with st.container(horizontal=True):
        _draw_export(library, summary, "Markdown", "md", _markdown)
        _draw_export(library, summary, "JSON", "json", _json)
    if st.button("Delete this conversation", key="delete", type="tertiary"):
        _delete(library, summary)
        st.rerun()


_Write = Callable[[Library, ConversationSummary, str], str]


def _draw_export(
    library: Library, summary: ConversationSummary, label: str, ending: str, write: _Write
) -> None:
    here = st.context.url or ""
    st.download_button(
        label,
        # Made when it is asked for, not at every run.
        data=lambda: write(library, summary, here),
        file_name=f"{_file_name(summary.title)}.{ending}",
        mime="text/markdown" if ending == "md" else "application/json",
        key=f"export_{ending}",
        on_click="ignore",
    )


def _file_name(title: str) -> str:
    kept = "".join(c if c.isalnum() else " " for c in title)
    return "-".join(kept.split())[:60] or "conversation"


def _markdown(library: Library, summary: ConversationSummary, here: str) -> str:
    answers = library.memory.answers(summary.id, summary.turn_count)

    def absolute(citation: Citation) -> str:
        return urljoin(here, links.address(library, citation))

    return to_markdown(summary.title, answers, absolute, library.tutor.book().title)


def _json(library: Library, summary: ConversationSummary, here: str) -> str:  # noqa: ARG001
    exported = Exported(
        id=summary.id,
        title=summary.title,
        book=library.tutor.book().title,
        started_at=summary.started_at,
        answers=tuple(library.memory.answers(summary.id, summary.turn_count)),
    )
    return json.dumps(to_json(exported), ensure_ascii=False, indent=2)


def _delete(library: Library, summary: ConversationSummary) -> None:
    """Delete, and leave the page if it shows what was deleted."""
    if not library.memory.delete(summary.id, learner.owner()):
        return
    st.session_state[_DELETED] = summary
    chat = session.current()
    if chat is not None and chat.id == summary.id:
        session.new_conversation()


def _draw_undo(library: Library) -> None:
    """What was deleted last can be taken back."""
    deleted: ConversationSummary | None = st.session_state.get(_DELETED)
    if deleted is None:
        return
    st.info(f"Deleted “{literal(deleted.title)}”.")
    st.button(
        "Undo", key="undo_delete", on_click=_undo, args=(library, deleted.id), width="stretch"
    )


def _undo(library: Library, conversation: str) -> None:
    st.session_state.pop(_DELETED, None)
    if library.memory.restore(conversation, learner.owner()):
        session.open_conversation(conversation)
