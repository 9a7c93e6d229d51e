"""Chat: a learner asks, the book answers."""

import streamlit as st

from rag.search.store import Manifest
from ui import answer, frame, resources, session
from ui.markdown import literal, quiet


def main() -> None:
    """Read the question, ask it, draw the conversation."""
    frame.enter()
    tutor = resources.tutor()
    chat = session.chat(tutor)
    question = read_input(chat)
    if chat.is_empty and question is None:
        draw_welcome(chat, tutor.book())
    for number, shown in enumerate(chat.shown, start=1):
        answer.draw_shown(shown, newest=number == len(chat.shown) and question is None)
    if question is not None:
        answer.ask(tutor, chat, question)
    elif chat.pending is not None:
        answer.draw_pending(chat, chat.pending)


def read_input(chat: session.Chat) -> str | None:
    """The question to ask now; else, above the input, what was wrong with the last one."""
    complaint = st.bottom.empty()
    if chat.draft is not None:
        st.session_state[session.INPUT_KEY], chat.draft = chat.draft, None
    prompt = "Ask a question about the book"
    question = chat.take(st.chat_input(prompt, key=session.INPUT_KEY, submit_mode="stop"))
    if question is None and chat.complaint:
        complaint.error(literal(chat.complaint))
    return question


def draw_welcome(chat: session.Chat, book: Manifest) -> None:
    """What the book is, and some questions to begin with."""
    st.title(literal(book.title), anchor=False)
    st.markdown(
        f"A book of {len(book.pages)} chapters. Ask in your own words; every answer shows its "
        "sources in the book."
    )
    st.markdown(quiet("You could begin with"))
    for number, question in enumerate(resources.starters()):
        st.button(literal(question), key=f"starter_{number}", on_click=chat.queue, args=(question,))


main()
