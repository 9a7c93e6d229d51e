"""A rerun of the chat page with 50 turns against a bare Streamlit chat with the same 50 turns.

Run: python -m benchmarks.chat_rerun HOME QUESTIONS.jsonl [ROUNDS]
HOME is copied; the 50 turns are asked into the copy. The pages are run in turn, so that whatever
else the machine does slows all of them alike, and in the same harness, Streamlit's own AppTest.
"""

import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from streamlit.testing.v1 import AppTest

from rag.build import Library
from rag.domain.events import Finished
from rag.evaluate import read_cases
from rag.settings import load_settings

ROOT = Path(__file__).parents[1]
TURNS = 50
LEARNER = "benchmark-learner-0123456789"
BARE = """
import json, os
from pathlib import Path
import streamlit as st

if "messages" not in st.session_state:
    st.session_state.messages = json.loads(Path(os.environ["BARE_MESSAGES"]).read_text())
for message in st.session_state.messages:
    with st.chat_message(message["role"]):
        st.markdown(message["content"])
st.chat_input("Ask")
"""

Rerun = Callable[[], float]


class Prepared(NamedTuple):
    """A home with a conversation of 50 turns, and the same as plain messages."""

    home: Path
    conversation: str
    messages: Path


def prepare(home: Path, questions: Path, folder: Path) -> Prepared:
    """Ask the questions in one conversation."""
    copy, messages = folder / "home", []
    shutil.copytree(home, copy)
    wanted = [c.question for c in read_cases(questions) if c.answerable and not c.history]
    with Library(load_settings(home=copy)) as library:
        state = library.tutor.start(owner=LEARNER)
        for question in wanted[:TURNS]:
            *_, last = library.tutor.ask(question, state)
            assert isinstance(last, Finished)
            messages.append({"role": "user", "content": question})
            messages.append({"role": "assistant", "content": last.turn.response.answer})
    file = folder / "messages.json"
    file.write_text(json.dumps(messages))
    assert len(messages) == 2 * TURNS
    return Prepared(copy, state.conversation.id, file)


def in_harness(prepared: Prepared) -> dict[str, Rerun]:
    """The pages in AppTest."""
    opened, whole = _chat(prepared), _chat(prepared)
    while [b for b in whole.main.button if b.key == "earlier"]:
        whole.main.button(key="earlier").click().run()
    bare = AppTest.from_string(BARE, default_timeout=60).run()
    assert len(opened.main.chat_message) == 20
    assert len(whole.main.chat_message) == len(bare.main.chat_message) == 2 * TURNS
    return {"as opened": _timed(opened), "all 50 turns": _timed(whole), "bare": _timed(bare)}


def _chat(prepared: Prepared) -> AppTest:
    page = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=60)
    page.session_state["learner"] = LEARNER
    page.query_params["conversation"] = prepared.conversation
    page.run()
    assert not page.exception
    return page


def _timed(page: AppTest) -> Rerun:
    def rerun() -> float:
        began = time.perf_counter()
        page.run()
        return (time.perf_counter() - began) * 1000

    return rerun


def compare(pages: Mapping[str, Rerun], rounds: int) -> None:
    """Run the pages in turn and print what a rerun of each costs."""
    taken: dict[str, list[float]] = {name: [] for name in pages}
    for number in range(rounds + 2):
        for name, rerun in pages.items():
            milliseconds = rerun()
            # The first two rounds fill caches.
            if number >= 2:
                taken[name].append(milliseconds)
    bare = statistics.median(taken["bare"])
    for name, times in taken.items():
        median = statistics.median(times)
        print(f"{name:14} {median:7.1f} ms   {median / bare:.2f} x bare")


def main(home: str, questions: str, rounds: str = "30") -> None:
    with tempfile.TemporaryDirectory() as folder:
        prepared = prepare(Path(home), Path(questions), Path(folder))
        os.environ["LECTERN_HOME"] = str(prepared.home)
        os.environ["BARE_MESSAGES"] = str(prepared.messages)
        compare(in_harness(prepared), int(rounds))


if __name__ == "__main__":
    main(*sys.argv[1:4])
