"""Threads, processes and sudden death."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from rag.domain.base import new_id
from rag.domain.turn import Turn
from rag.memory import Memory
from tests.rag.memory_samples import ask, raw

ROOT = Path(__file__).parents[2]


def test_eight_threads_save_25_turns_each(memory: Memory) -> None:
    start = threading.Barrier(8)

    def work(name: int) -> list[Turn]:
        start.wait()
        saved = []
        for number in range(1, 26):
            saved.append(memory.save_turn(ask(f"{name}: {number}?", number, f"c{name}"), "all"))
            assert len(memory.turns(f"c{name}", limit=3)) == min(number, 3)
        return saved

    with ThreadPoolExecutor(8) as pool:
        for name, saved in enumerate(pool.map(work, range(8))):
            assert memory.turns(f"c{name}") == saved
    assert [s.turn_count for s in memory.conversations("all")] == [25] * 8


def test_eight_threads_share_one_conversation(memory: Memory) -> None:
    start = threading.Barrier(8)

    def work(name: int) -> None:
        start.wait()
        for n in range(25):
            memory.save_turn(ask(f"{name}: {n}?"))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    turns = memory.turns("c")
    assert [t.number for t in turns] == list(range(1, 201))
    assert len({t.question.text for t in turns}) == 200


def test_a_connection_is_used_by_another_thread_than_it_was_made_in(memory: Memory) -> None:
    memory.save_turn(ask("First?"))
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(memory.questions, "c").result() == ["First?"]


# Waits for a file's name, then saves turns and reports each one, until it is killed.
WRITER = """
import sys
from rag.memory import Memory
from tests.builders import make_question, make_turn

print("ready", flush=True)
memory, count = Memory(f"sqlite:///{sys.stdin.readline().strip()}"), int(sys.argv[1])
for n in range(count):
    turn = memory.save_turn(make_turn(1, make_question(f"{n}?" * 300), conversation_id="c"))
    print(turn.id, flush=True)
memory.close()
"""


class Writer:
    """A process of its own that saves turns."""

    def __init__(self, count: int) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(count)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, file: Path) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        self.process.stdin.write(f"{file}\n")
        self.process.stdin.flush()

    def reported(self) -> list[str]:
        """The turns it said were saved; a last line cut short was not said."""
        out, _ = self.process.communicate(timeout=60)
        return [line for line in out.split("\n")[:-1] if line]

    def kill(self) -> list[str]:
        os.kill(self.process.pid, signal.SIGKILL)
        return self.reported()


Start = Callable[[int, int], list[Writer]]


@pytest.fixture
def writers() -> Iterator[Start]:
    """Starts so many writers of so many turns; none outlives its test."""
    started: list[Writer] = []

    def start(many: int, count: int) -> list[Writer]:
        fresh = [Writer(count) for _ in range(many)]
        started.extend(fresh)
        return fresh

    yield start
    for writer in started:
        with writer.process:
            writer.process.kill()


def assert_whole(file: Path, reported: list[str]) -> None:
    """Every reported turn is there, once and readable."""
    memory = Memory(f"sqlite:///{file}")
    turns = memory.turns("c")
    memory.save_turn(ask(f"Still open {new_id()}?"))
    memory.close()
    assert set(reported) <= {t.id for t in turns}
    assert len({t.id for t in turns}) == len({t.number for t in turns}) == len(turns)
    assert raw(file, "PRAGMA integrity_check") == [("ok",)]
    assert raw(file, "PRAGMA foreign_key_check") == []


def test_several_processes_save_at_once(file: Path, writers: Start) -> None:
    started = writers(3, 40)
    for writer in started:
        writer.begin(file)
    reported = [turn for writer in started for turn in writer.reported()]
    assert [w.process.returncode for w in started] == [0, 0, 0]
    assert len(reported) == 120
    assert_whole(file, reported)


def test_kill_9_loses_no_reported_turn_and_halves_none(tmp_path: Path, writers: Start) -> None:
    chance = random.Random(20251212)
    reported: list[str] = []
    for _ in range(4):
        for number, writer in enumerate(writers(6, 100_000)):
            # Half of them die while the file is being made, half while it grows.
            fresh = number % 2 == 0
            file = tmp_path / (f"{new_id()}.db" if fresh else "shared.db")
            writer.begin(file)
            time.sleep(chance.uniform(0, 0.06 if fresh else 0.25))
            saved = writer.kill()
            if not fresh:
                reported = saved = reported + saved
            assert_whole(file, saved)
    assert len(reported) > 20, "the writers must have been killed while they wrote"
