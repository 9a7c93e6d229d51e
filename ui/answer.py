"""Draws a question and its answer: step by step while it is made, and as a whole afterwards."""

import logging
import time
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from rag.build import Library
from rag.domain.answer import AgentResponse, AnswerSource, ResponseStatus
from rag.domain.answered import Answered
from rag.domain.errors import ErrorResponse, ErrorType, LecternError
from rag.domain.events import Event, Failed, Finished, Retrieved, StatusChanged, TextDelta
from rag.domain.states import TurnState
from rag.tutor import Tutor
from ui import feedback, links
from ui.components import arrive, copy_button
from ui.frame import ASSETS
from ui.markdown import closed, literal, quiet, safe_markdown
from ui.session import Asked, Chat, Unfinished
from ui.sources import draw_confidence, draw_sources

_log = logging.getLogger(__name__)

# Streamlit sends the whole text at each update: ten a second look smooth and cost little.
_UPDATE_SECONDS = 0.1
# About 70 characters of the body font.
_MEASURE = 600


class _Slots(NamedTuple):
    """Where an answer in the making goes: the steps so far, and its text."""

    step: DeltaGenerator
    text: DeltaGenerator

    def say(self, step: str) -> None:
        """Show what is being done."""
        self.step.markdown(quiet(step))

    def write(self, answer: str) -> None:
        """Show the answer so far."""
        self.text.markdown(safe_markdown(closed(answer)), width=_MEASURE, anchors=False)


def ask(tutor: Tutor, chat: Chat, asked: Asked) -> None:
    """Ask, drawing each step as it happens; the next run draws the whole answer."""
    pending = chat.begin(asked)
    _draw_question(asked.text, asked.passage.text if asked.passage else "")
    arrive("asking", str(id(pending)))
    with _tutor_says():
        slots = _Slots(st.container(key="step").empty(), st.empty())
        # Seen only once the script has been stopped: then nothing more can be drawn.
        with st.container(key="stopped"):
            _draw_stopped(chat, pending)
        if ended := _run(tutor, chat, pending, slots):
            chat.finish(ended)
    st.rerun()


def draw_answered(library: Library, chat: Chat, answered: Answered, newest: bool) -> None:
    """A finished turn with all that belongs to it."""
    _draw_question(answered.question.text, answered.question.passage)
    response, key = answered.response, answered.turn_id
    with _tutor_says():
        _draw_text(library, chat, answered)
        _draw_actions(library, chat, answered)
        if response.citations:
            count = len(response.citations)
            label = "1 source" if count == 1 else f"{count} sources"
            # Closed ones are not drawn at all: a long conversation stays quick.
            sources = st.expander(label, expanded=newest, key=f"sources_{key}", on_change="rerun")
            if sources.open:
                with sources:
                    draw_sources(library, answered, chat.id)
        if notice := chat.notices.get(key):
            st.warning(literal(notice))


def draw_unfinished(chat: Chat, unfinished: Unfinished, newest: bool) -> None:
    """A question that was stopped or failed, with what there is of its answer."""
    asked = unfinished.asked
    _draw_question(asked.text, asked.passage.text if asked.passage else "")
    with _tutor_says():
        if unfinished.partial:
            _Slots(st.empty(), st.empty()).write(unfinished.partial)
        if not newest:
            st.markdown(quiet(unfinished.sentence or "Stopped before the answer was finished."))
        elif unfinished.sentence:
            _draw_failure(chat, unfinished)
        else:
            _draw_stopped(chat, unfinished)


def _run(tutor: Tutor, chat: Chat, pending: Unfinished, slots: _Slots) -> Finished | None:
    """Follow the tutor to the end; None, with the reason in `pending`, where it failed."""
    text, passage = pending.asked
    try:
        # Closed also when the reader stops or leaves: the tutor is idle again at once.
        with closing(tutor.ask(text, chat.state, passage)) as events:
            return _follow(events, chat, pending, slots)
    except LecternError as error:
        _log.warning("%s: %s", type(error).__name__, error)
        pending.fail(str(error))
        return None


def _follow(
    events: Iterator[Event], chat: Chat, pending: Unfinished, slots: _Slots
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
        return f"{_found(len(event.retrieval.used))} › Writing…"
    return ""


def _found(passages: int) -> str:
    return "Found 1 passage" if passages == 1 else f"Found {passages} passages"


def _note_failure(chat: Chat, pending: Unfinished, error: ErrorResponse) -> None:
    """Keep the sentence; a question that must be changed goes back to where it was typed."""
    _log.warning("%s: %s", error.error_type, error.message)
    pending.fail(error.user_message, error)
    if error.error_type is ErrorType.INVALID_INPUT:
        chat.give_back(error.user_message)


def _tutor_says() -> DeltaGenerator:
    return st.chat_message("assistant", avatar=str(ASSETS / "favicon.png"))


def _draw_question(question: str, passage: str) -> None:
    with st.chat_message("user", avatar=str(ASSETS / "reader.png")):
        if passage:
            st.markdown(quiet(f"About a passage: “{shortened(passage)}”"))
        st.text(question)


def shortened(passage: str, longest: int = 160) -> str:
    """The beginning of a passage, in one line."""
    flat = " ".join(passage.split())
    return flat if len(flat) <= longest else flat[:longest].rsplit(" ", 1)[0] + " …"


def _draw_text(library: Library, chat: Chat, answered: Answered) -> None:
    """The answer, written once: a long conversation is drawn again at every click."""
    if answered.turn_id not in chat.written:
        chat.written[answered.turn_id] = answer_markdown(library, answered.response, chat.id)
    st.markdown(chat.written[answered.turn_id], width=_MEASURE, anchors=False)


def answer_markdown(library: Library, response: AgentResponse, conversation: str) -> str:
    """The answer, each marker a link; a refusal's nearest sections are links too."""
    if response.status is ResponseStatus.INSUFFICIENT_CONTEXT:
        return refusal_markdown(library, response, conversation)
    text = safe_markdown(response.answer, links.marker_links(library, response, conversation))
    if response.source is not AnswerSource.BOOK:
        return text
    return f"{quiet(_found(response.retrieval_count) + '.')}\n\n{text}"


def refusal_markdown(library: Library, response: AgentResponse, conversation: str) -> str:
    """A refusal whose lines that name a section lead there."""
    text = response.answer
    lines = []
    for citation in response.nearest:
        text = text.replace(f"\n- {citation.label}", "", 1)
        address = links.address(library, citation, conversation)
        lines.append(f"- [{literal(links.place(citation))}]({address})")
    return "\n".join([safe_markdown(text.rstrip()), "", *lines])


def _draw_actions(library: Library, chat: Chat, answered: Answered) -> None:
    """What a learner can do with an answer, in one row."""
    response, key = answered.response, answered.turn_id
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if response.grounded:
            level = response.confidence.level
            # The level is in the key, by which ui/web/frame.css gives it a badge's colour.
            why = st.popover(
                f"{level.capitalize()} confidence",
                type="tertiary",
                key=f"why_{level}_{key}",
                on_change="rerun",
            )
            if why.open:
                with why:
                    draw_confidence(response.confidence, f"factors_{key}")
        copy_button(response.answer)
        st.button(
            "Ask again",
            key=f"again_{key}",
            type="tertiary",
            on_click=_ask_again,
            args=(library, chat, answered),
        )
        if answered.question.passage and not response.grounded:
            words, asks = "Ask the whole book", (answered.question.text,)
            st.button(words, key=f"whole_{key}", type="tertiary", on_click=chat.queue, args=asks)
        feedback.draw_thumbs(library.memory, chat, answered)
    feedback.draw_comment(library.memory, chat, answered)


def _ask_again(library: Library, chat: Chat, answered: Answered) -> None:
    """The same question once more, about the same passage if it was about one."""
    passage = None
    if answered.question.passage and answered.response.citations:
        passage = links.cited_passage(library, answered)
    chat.queue(answered.question.text, passage)


def _draw_stopped(chat: Chat, unfinished: Unfinished) -> None:
    st.info("Stopped before the answer was finished.")
    _draw_try_again(chat, unfinished)


def _draw_failure(chat: Chat, unfinished: Unfinished) -> None:
    st.error(literal(unfinished.sentence))
    if unfinished.wait_seconds > 0:
        _count_down(chat, unfinished)
    else:
        _draw_try_again(chat, unfinished)


@st.fragment(run_every=1.0)
def _count_down(chat: Chat, unfinished: Unfinished) -> None:
    """The button wakes when the service may be asked again."""
    left = unfinished.wait_seconds
    if left <= 0:
        st.rerun()
    _draw_try_again(chat, unfinished, f"Try again in {left:.0f} s", disabled=True)


def _draw_try_again(
    chat: Chat, unfinished: Unfinished, label: str = "Try again", disabled: bool = False
) -> None:
    st.button(label, key="try_again", disabled=disabled, on_click=chat.queue, args=unfinished.asked)
