"""Chat: a learner asks, the book answers."""

from collections.abc import Sequence

import streamlit as st

from rag.build import Library
from rag.domain.answered import Answered
from rag.domain.errors import LecternError
from rag.search.store import Manifest
from ui import answer, components, conversations, frame, resources, session
from ui.markdown import literal, quiet


def main() -> None:
    """Read the question, ask it, draw the conversation."""
    frame.enter()
    library = resources.library()
    with resources.explained():
        chat = session.chat(library.tutor)
    conversations.draw(library)
    frame.draw_engines(library)
    asked = read_input(chat)
    if chat.is_empty and asked is None:
        draw_welcome(chat, library.tutor.book())
    draw_history(library, chat, waiting=asked is not None)
    if asked is not None:
        answer.ask(library.tutor, chat, asked)
    elif chat.pending is not None:
        answer.draw_unfinished(chat, chat.pending, newest=True)
    elif chat.entries:
        draw_suggestions(chat)
        components.arrive("answered", chat.answered[-1].turn_id if chat.answered else "")


def read_input(chat: session.Chat) -> session.Asked | None:
    """The question to ask now; else, above the input, what was wrong with the last one."""
    above = st.bottom.container()
    if chat.draft is not None:
        st.session_state[session.INPUT_KEY], chat.draft = chat.draft, None
    prompt = "Ask about this passage" if chat.passage else "Ask a question about the book"
    asked = chat.take(st.chat_input(prompt, key=session.INPUT_KEY, submit_mode="stop"))
    if asked is None:
        with above:
            draw_above_input(chat)
    return asked


def draw_above_input(chat: session.Chat) -> None:
    """What the next question will be about, and what was wrong with the last one."""
    if chat.passage is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            text = answer.shortened(chat.passage.text, 120)
            st.markdown(quiet(f"About a passage of “{chat.passage.heading}”: “{text}”"))
            st.button("Ask the whole book", key="drop_passage", on_click=drop_passage, args=(chat,))
    if chat.complaint:
        st.error(literal(chat.complaint))


def drop_passage(chat: session.Chat) -> None:
    """The next question is about the whole book again."""
    chat.passage = None


def draw_welcome(chat: session.Chat, book: Manifest) -> None:
    """What the book is, and some questions to begin with."""
    st.title(literal(book.title), anchor=False)
    size = f"A book of {len(book.pages)} chapters" if len(book.pages) > 1 else "A short book"
    parts = f" in {len(book.modules)} modules" if len(book.modules) > 1 else ""
    st.markdown(
        f"{size}{parts}. Ask in your own words; every sentence of an answer shows where it stands."
    )
    draw_questions(chat, "You could begin with", resources.starters(), "starter")


def draw_history(library: Library, chat: session.Chat, waiting: bool) -> None:
    """The newest turns; earlier ones come when they are asked for."""
    if chat.earlier:
        st.button("Show earlier questions", key="earlier", on_click=show_earlier, args=(library,))
    for number, entry in enumerate(chat.entries, start=1):
        newest = number == len(chat.entries) and not waiting and chat.pending is None
        if isinstance(entry, Answered):
            answer.draw_answered(library, chat, entry, newest)
        else:
            answer.draw_unfinished(chat, entry, newest=False)


def show_earlier(library: Library) -> None:
    """Bring more of the conversation, or say why not."""
    if (chat := session.current()) is None:
        return
    try:
        chat.show_earlier(library.tutor)
    except LecternError as error:
        chat.complaint = str(error)


def draw_suggestions(chat: session.Chat) -> None:
    """Questions to go on with, after the newest answer."""
    newest = chat.entries[-1]
    if not isinstance(newest, Answered):
        return
    if newest.turn_id not in chat.suggested:
        asked = [entry.question.text for entry in chat.answered]
        asked += [turn.standalone for turn in chat.state.turns]
        chat.suggested[newest.turn_id] = resources.follow_ups(newest.response, asked)
    offered = chat.suggested[newest.turn_id]
    if not offered:
        return
    refused = not newest.response.grounded
    words = "The book can answer" if refused else "You could go on with"
    draw_questions(chat, words, offered, "follow_up")


def draw_questions(chat: session.Chat, words: str, questions: Sequence[str], key: str) -> None:
    """Questions that are asked at a click."""
    with st.container(gap="xsmall"):
        st.markdown(quiet(words))
        for number, question in enumerate(questions):
            name = f"{key}_{number}"
            st.button(literal(question), key=name, on_click=chat.queue, args=(question,))


main()
