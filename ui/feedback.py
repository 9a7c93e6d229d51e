"""What a learner thinks of an answer: a thumb, and words if they like. It is saved at once."""

import streamlit as st

from rag.domain.answered import Answered, Rating
from rag.domain.errors import LecternError
from rag.memory import MAX_COMMENT_CHARS, Memory
from ui import learner
from ui.markdown import literal, quiet
from ui.session import Chat

_RATINGS = [Rating.DOWN, Rating.UP]


def draw_thumbs(memory: Memory, chat: Chat, answered: Answered) -> None:
    """Thumbs up and down."""
    key = f"rating_{answered.turn_id}"
    given = None if answered.rating is None else _RATINGS.index(answered.rating)
    st.feedback(
        "thumbs", key=key, default=given, on_change=_rate, args=(memory, chat, answered, key)
    )


def draw_comment(memory: Memory, chat: Chat, answered: Answered) -> None:
    """A line for words, once there is a thumb."""
    if answered.rating is None:
        return
    key = f"comment_{answered.turn_id}"
    asks = "What was good about it?" if answered.rating is Rating.UP else "What was wrong with it?"
    st.text_input(
        f"{asks} (optional)",
        value=answered.comment,
        key=key,
        max_chars=MAX_COMMENT_CHARS,
        on_change=_comment,
        args=(memory, chat, answered, key),
    )
    if failed := chat.notices.get(f"feedback_{answered.turn_id}"):
        st.warning(literal(failed))
    else:
        st.markdown(quiet("Thank you. Your feedback is saved."))


def _rate(memory: Memory, chat: Chat, answered: Answered, key: str) -> None:
    chosen = st.session_state[key]
    rating = None if chosen is None else _RATINGS[chosen]
    _save(memory, chat, answered.model_copy(update={"rating": rating}))


def _comment(memory: Memory, chat: Chat, answered: Answered, key: str) -> None:
    _save(memory, chat, answered.model_copy(update={"comment": st.session_state[key].strip()}))


def _save(memory: Memory, chat: Chat, changed: Answered) -> None:
    """Save, and show on the page what was saved."""
    told = f"feedback_{changed.turn_id}"
    chat.notices.pop(told, None)
    try:
        memory.rate(changed.turn_id, learner.owner(), changed.rating, changed.comment)
    except LecternError as error:
        chat.notices[told] = f"Your feedback could not be saved. {error}"
    chat.replace(changed)
