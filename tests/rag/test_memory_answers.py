"""Answers as a chat page reads them, and how much work that is."""

import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from rag.domain.answered import Rating
from rag.domain.errors import StorageError
from rag.domain.states import TurnState
from rag.domain.turn import Turn
from rag.memory import Memory, rows
from tests.builders import (
    make_failure,
    make_greeting,
    make_refusal,
    make_retrieval,
    make_timeline,
    make_turn,
)
from tests.rag.memory_samples import ask, fill, raw


@pytest.mark.parametrize(
    "turn",
    [
        make_turn(),
        make_turn(response=make_refusal(), retrieval=make_retrieval(chunks=())),
        make_turn(response=make_failure(), retrieval=None, timeline=make_timeline(TurnState.ERROR)),
        make_turn(response=make_greeting(), retrieval=None),
    ],
    ids=["answered", "refused", "failed", "greeted"],
)
def test_an_answer_comes_back_equal(memory: Memory, turn: Turn) -> None:
    memory.save_turn(turn)
    (found,) = memory.answers(turn.conversation_id, 10)
    assert (found.turn_id, found.number) == (turn.id, turn.number)
    assert (found.question, found.response) == (turn.question, turn.response)
    assert (found.rating, found.comment) == (None, "")


def test_the_newest_come_oldest_first_and_the_earlier_page_by_page(memory: Memory) -> None:
    for number in range(1, 8):
        memory.save_turn(ask(f"{number}?", number))

    def numbers(*args: int) -> list[int]:
        return [answer.number for answer in memory.answers("c", *args)]

    assert numbers(3) == [5, 6, 7]
    assert numbers(3, 5) == [2, 3, 4]
    assert numbers(3, 2) == [1]
    assert numbers(3, 1) == []
    assert numbers(99) == [1, 2, 3, 4, 5, 6, 7]
    assert numbers(0) == []
    assert memory.answers("nobody", 3) == []


def test_an_answer_has_its_own_rating(memory: Memory) -> None:
    first, second = memory.save_turn(ask("One?")), memory.save_turn(ask("Two?", 2))
    memory.rate(second.id, "", Rating.DOWN, "Too long.")
    found = memory.answers("c", 10)
    assert [(a.turn_id, a.rating, a.comment) for a in found] == [
        (first.id, None, ""),
        (second.id, Rating.DOWN, "Too long."),
    ]


def test_the_number_is_the_rows(memory: Memory) -> None:
    memory.save_turn(ask("Here?", 1))
    memory.save_turn(ask("There?", 1))
    assert [a.number for a in memory.answers("c", 10)] == [1, 2]


def test_the_candidates_are_not_validated(memory: Memory) -> None:
    turn = memory.save_turn(ask("One?"))
    _rewrite(memory, lambda text: text.replace('"similarity":0.89', '"similarity":"high"'))
    assert memory.answers("c", 10)[0].response == turn.response
    with pytest.raises(StorageError):
        memory.turns("c")


def _rewrite(memory: Memory, change: Callable[[str], str]) -> None:
    """Change the bodies past our code."""
    with memory._transaction(writes=True) as connection:
        for turn_id, body in connection.exec_driver_sql("SELECT id, body FROM turns").all():
            text = change(zlib.decompress(body).decode())
            new = (zlib.compress(text.encode()), turn_id)
            connection.exec_driver_sql("UPDATE turns SET body = ? WHERE id = ?", new)


@pytest.mark.parametrize("body", ["x'00'", "x''", "substr(body, 1, 100)"])
def test_a_damaged_row_is_refused_in_words(memory: Memory, file: Path, body: str) -> None:
    memory.save_turn(ask("First?"))
    raw(file, f"UPDATE turns SET body = {body}")
    with pytest.raises(StorageError) as caught:
        memory.answers("c", 10)
    with pytest.raises(StorageError) as same:
        memory.turns("c")
    assert str(caught.value) == str(same.value)
    assert str(caught.value).startswith("Turn 1 of a conversation in ")


@pytest.mark.parametrize("json", ["[]", "{}", "7", "{", '{"question": 1, "response": 2}'])
def test_a_body_that_is_no_turn_is_refused_in_words(memory: Memory, json: str) -> None:
    memory.save_turn(ask("First?"))
    _rewrite(memory, lambda _: json)
    with pytest.raises(StorageError, match=r"Turn 1 of a conversation in .* is damaged"):
        memory.answers("c", 10)


def test_a_rating_nobody_can_give_is_refused_in_words(memory: Memory, file: Path) -> None:
    turn = memory.save_turn(ask("First?"))
    memory.rate(turn.id, "", Rating.UP)
    raw(file, "UPDATE feedback SET rating = 'sideways'")
    with pytest.raises(StorageError, match="is damaged"):
        memory.answers("c", 10)


# --- work done ---


def steps(memory: Memory, work: Callable[[], object]) -> int:
    """How many instructions SQLite's machine took for some work."""
    counted = 0

    def count() -> int:
        nonlocal counted
        counted += 1
        return 0

    connection = memory._opened().raw_connection()
    driver: Any = connection.driver_connection
    connection.close()  # back to the pool, whose next user it serves
    work()  # what is prepared at the first time is not counted
    driver.set_progress_handler(count, 1)
    work()
    driver.set_progress_handler(None, 1)
    return counted


def test_ten_answers_of_500_cost_what_ten_of_ten_cost(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory, conversations=1, turns=10, prefix="short")
    fill(memory, conversations=1, turns=500, prefix="long")
    few = steps(memory, lambda: memory.answers("short-0", 10))
    many = steps(memory, lambda: memory.answers("long-0", 10))
    assert few > 100, "the count must see the work"
    # Ten of ten also meet the end of the conversation.
    assert abs(many - few) < 10
    unpacked: list[int] = []

    def counting(body: bytes) -> bytes:
        unpacked.append(len(body))
        return zlib.decompress(body)

    monkeypatch.setattr(rows, "decompress", counting)
    assert [a.number for a in memory.answers("long-0", 10)] == list(range(491, 501))
    assert len(unpacked) == 10


def plans(memory: Memory, work: Callable[[], object]) -> str:
    """How SQLite goes about the queries of some work."""
    asked: list[tuple[str, Any]] = []

    def note(_: object, __: object, statement: str, parameters: object, *___: object) -> None:
        if statement.startswith("SELECT"):
            asked.append((statement, parameters))

    engine = memory._opened()
    sa.event.listen(engine, "before_cursor_execute", note)
    work()
    sa.event.remove(engine, "before_cursor_execute", note)
    assert asked
    with memory._transaction() as connection:
        return "\n".join(
            str(row.detail)
            for statement, parameters in asked
            for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
        )


@pytest.mark.parametrize(
    "work",
    [
        lambda memory: memory.answers("c-0", 10),
        lambda memory: memory.answers("c-0", 10, before=5),
        lambda memory: memory.questions("c-0"),
        lambda memory: memory.conversations("ada"),
        lambda memory: memory.conversations("ada", search="node"),
        lambda memory: memory.summary("c-0", "ada"),
    ],
    ids=["answers", "earlier answers", "questions", "list", "search", "summary"],
)
def test_no_table_is_scanned_and_nothing_sorted(
    memory: Memory, work: Callable[[Memory], object]
) -> None:
    fill(memory, conversations=3, turns=3)
    plan = plans(memory, lambda: work(memory))
    assert "SEARCH" in plan
    assert "SCAN" not in plan
    assert "TEMP B-TREE" not in plan


def test_turns_are_counted_in_the_index_alone(memory: Memory) -> None:
    fill(memory, conversations=3, turns=3)
    plan = plans(memory, lambda: memory.conversations("ada"))
    assert re.search(r"SEARCH turns USING COVERING INDEX", plan)


def test_a_list_of_2000_conversations_is_read_only_as_far_as_it_is_shown(memory: Memory) -> None:
    fill(memory, conversations=50, turns=2, owner="bob", prefix="few")
    fill(memory, conversations=2000, turns=2, owner="ada", prefix="many")
    few = steps(memory, lambda: memory.conversations("bob"))
    many = steps(memory, lambda: memory.conversations("ada"))
    assert few > 1000, "the count must see the work"
    assert many < few * 1.1
    assert len(memory.conversations("ada")) == 50
