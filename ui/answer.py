"""Draws an answer: step by step while it is made, and as a whole afterwards."""

import logging
import time
from collections.abc import Iterator
from contextlib import closing
from typing import Final, Literal, NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rag.domain.answer import AnswerSource, Confidence, ResponseStatus
from rag.domain.errors import ErrorResponse, ErrorType, LecternError
from rag.domain.events import Event, Failed, Finished, Retrieved, StatusChanged, TextDelta
from rag.domain.states import TurnState
from rag.tutor import Tutor
from ui.frame import ASSETS
from ui.markdown import literal, quiet, safe_markdown
from ui.session import Chat, Pending, Shown
from ui.sources import draw_nearest, draw_sources

_log = logging.getLogger(__name__)

# Streamlit sends the whole text at each update: ten a second look smooth and cost little.
_UPDATE_SECONDS = 0.1
# About 70 characters of the body font.
_MEASURE = 600
_COLOURS: Final[dict[str, Literal["green", "orange", "gray"]]] = {
    "high": "green",
    "medium": "orange",
    "low": "gray",
}


class _Slots(NamedTuple):
    """Where an answer goes: the step it is at, and its text."""

    step: DeltaGenerator
    text: DeltaGenerator

    def say(self, step: str) -> None:
        """Show what is being done, or was done."""
        self.step.markdown(quiet(step))

    def write(self, answer: str) -> None:
        """Show the answer so far."""
        self.text.markdown(safe_markdown(answer), width=_MEASURE, anchors=False)


def ask(tutor: Tutor, chat: Chat, question: str) -> None:
    """Ask, drawing each step as it happens and the whole answer at the end."""
    pending = chat.begin(question)
    _draw_question(question)
    with _tutor_says():
        slots = _Slots(st.empty(), st.empty())
        ended = _run(tutor, chat, pending, slots)
        if chat.draft is not None:
            # The text goes back into the input, which only the next run can fill.
            st.rerun()
        if ended is not None:
            _draw_response(chat.finish(ended), slots, newest=True)
        else:
            _draw_unfinished(chat, pending, slots)


def draw_shown(shown: Shown, newest: bool) -> None:
    """A finished turn."""
    _draw_question(shown.question)
    with _tutor_says():
        _draw_response(shown, _Slots(st.empty(), st.empty()), newest)


def draw_pending(chat: Chat, pending: Pending) -> None:
    """A question that was stopped or failed, with what there is of its answer."""
    _draw_question(pending.question)
    with _tutor_says():
        _draw_unfinished(chat, pending, _Slots(st.empty(), st.empty()))


def _run(tutor: Tutor, chat: Chat, pending: Pending, slots: _Slots) -> Finished | None:
    """Follow the tutor to the end; None, with the reason in `pending`, where it failed."""
    try:
        # Closed also when the reader stops or leaves: the tutor is idle again at once.
        with closing(tutor.ask(pending.question, chat.state)) as events:
            return _follow(events, chat, pending, slots)
    except LecternError as error:
        _log.warning("%s: %s", type(error).__name__, error)
        pending.sentence = str(error)
        return None


def _follow(
    events: Iterator[Event], chat: Chat, pending: Pending, slots: _Slots
) -> Finished | None:
    """Draw the events until the last one, keeping what was written for whoever stops it."""
    drawn_at = 0.0
    for event in events:
        if isinstance(event, Finished):
            return event
        if isinstance(event, Failed):
            _note_failure(chat, pending, event.error)
        elif isinstance(event, TextDelta):
            pending.partial += event.text
            if time.monotonic() - drawn_at >= _UPDATE_SECONDS:
                slots.write(pending.partial)
                drawn_at = time.monotonic()
        elif step := _step(event):
            slots.say(step)
    return None


def _step(event: Event) -> str:
    """What a learner is told about an event, if anything."""
    if isinstance(event, StatusChanged) and event.state is TurnState.RETRIEVING:
        return "Searching the book…"
    if isinstance(event, Retrieved) and event.retrieval.used:
        return f"{_found(len(event.retrieval.used))}. Writing…"
    return ""


def _found(passages: int) -> str:
    return "Found 1 passage" if passages == 1 else f"Found {passages} passages"


def _note_failure(chat: Chat, pending: Pending, error: ErrorResponse) -> None:
    """Keep the sentence; a question that must be changed goes back to where it was typed."""
    _log.warning("%s: %s", error.error_type, error.message)
    pending.sentence = error.user_message
    if error.error_type is ErrorType.INVALID_INPUT:
        chat.give_back(pending.question, error.user_message)


def _tutor_says() -> DeltaGenerator:
    return st.chat_message("assistant", avatar=str(ASSETS / "favicon.png"))


def _draw_question(question: str) -> None:
    with st.chat_message("user", avatar=str(ASSETS / "reader.png")):
        st.text(question)


def _draw_response(shown: Shown, slots: _Slots, newest: bool) -> None:
    """The answer with all that belongs to it."""
    response = shown.response
    slots.write(response.answer)
    if response.source is not AnswerSource.BOOK:
        slots.step.empty()
    elif response.status is ResponseStatus.INSUFFICIENT_CONTEXT:
        slots.say("Searched the book, found no passage that answers this.")
        if response.nearest:
            draw_nearest(response.nearest)
    else:
        slots.say(f"{_found(response.retrieval_count)}.")
        _draw_confidence(response.confidence)
        draw_sources(response.citations, expanded=newest)
    if shown.notice:
        st.warning(literal(shown.notice))


def _draw_confidence(confidence: Confidence) -> None:
    level = confidence.level
    st.badge(
        f"{level.capitalize()} confidence",
        color=_COLOURS[level],
        help=f"{confidence.overall:.2f} of 1: how well the passages match the question and carry "
        "the answer.",
    )


def _draw_unfinished(chat: Chat, pending: Pending, slots: _Slots) -> None:
    slots.step.empty()
    if pending.partial:
        slots.write(pending.partial)
    if pending.sentence:
        st.error(literal(pending.sentence))
    else:
        st.info("Stopped before the answer was finished.")
    st.button("Try again", key="try_again", on_click=chat.queue, args=(pending.question,))
