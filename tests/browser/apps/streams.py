"""Streams the adversarial answers side by side as the chat page does, and draws each one whole."""

import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import streamlit as st

from rag.markers import MarkerStream
from tests.ui.streams import PASSAGES, STREAMS
from ui import answer
from ui.markdown import Link, safe_markdown


def moments(text: str, stream: MarkerStream) -> Iterator[str]:
    """The answer so far, each time its markers' reader lets more of it through."""
    chance = random.Random(text)
    at, shown = 0, ""
    while at < len(text):
        size = chance.randint(1, 3)
        if more := stream.feed(text[at : at + size]):
            shown += more
            yield shown
        at += size
    yield shown + stream.finish()


def draw_whole(number: int, text: str, cited: int) -> None:
    """An answer when it is known where its markers lead."""
    links = {
        n: Link(f"reader?page=p{n}&quote=a%20%28b%29", f'{n} "a" | [x](//evil.example) <b>')
        for n in range(1, cited + 1)
    }
    with st.container(key=f"whole_{number}"):
        st.markdown(safe_markdown(text, links), anchors=False)


def stream_all(pace: BinaryIO) -> None:
    """A piece of each answer in turn; the next ones come when the browser has shown these."""
    playing = {}
    for number, text in enumerate(STREAMS):
        with st.container(key=f"stream_{number}"):
            stream = MarkerStream(PASSAGES)
            playing[number] = (moments(text, stream), answer._Slots(st.empty(), st.empty()), stream)
    whole, rounds, shown_round = dict.fromkeys(playing, ""), 0, st.empty()
    while playing:
        for number, (coming, slots, stream) in list(playing.items()):
            if (shown := next(coming, None)) is None:
                draw_whole(number, whole[number], len(stream.cited))
                del playing[number]
            else:
                whole[number] = shown
                slots.write(shown)
        rounds += 1
        shown_round.text(f"round {rounds}" if playing else "drawn")
        pace.read(1)


with Path(os.environ["LECTERN_TEST_PACE"]).open("rb", buffering=0) as told:
    stream_all(told)
