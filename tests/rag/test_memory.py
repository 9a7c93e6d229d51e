"""Conversations and turns in real SQLite files."""

import sqlite3
from datetime import UTC, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from pydantic import ValidationError

from rag.domain.retrieval import Fate
from rag.domain.states import TurnState
from rag.domain.turn import Turn
from rag.memory import SCHEMA_VERSION, Memory
from rag.memory import store as module
from tests.builders import (
    NOON,
    make_failure,
    make_greeting,
    make_question,
    make_refusal,
    make_retrieval,
    make_timeline,
    make_turn,
)
from tests.rag.memory_samples import ask, raw

# --- saving and reading back ---


def test_constructing_touches_nothing(tmp_path: Path) -> None:
    Memory(f"sqlite:///{tmp_path / 'new' / 'lectern.db'}").close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "turn",
    [
        make_turn(),
        make_turn(retrieval=make_retrieval(*Fate)),
        make_turn(response=make_refusal(), retrieval=make_retrieval(chunks=())),
        make_turn(response=make_failure(), retrieval=None, timeline=make_timeline(TurnState.ERROR)),
        make_turn(response=make_greeting(), retrieval=None),
        make_turn(question=make_question("Was heißt „größer“? 机器人 🤖")),
    ],
    ids=["answered", "every fate", "refused", "failed", "greeted", "unicode"],
)
def test_a_turn_comes_back_equal(memory: Memory, turn: Turn) -> None:
    assert memory.save_turn(turn) == turn
    assert memory.turns(turn.conversation_id) == [turn]


def test_turns_survive_closing_and_reopening(memory: Memory, file: Path) -> None:
    saved = [memory.save_turn(ask(f"Question {n}?", n)) for n in range(1, 4)]
    memory.close()
    again = Memory(f"sqlite:///{file}")
    assert again.turns("c") == saved
    again.close()


def test_a_closed_memory_opens_again_when_it_is_used(memory: Memory) -> None:
    memory.save_turn(ask("First?"))
    memory.close()
    memory.close()
    assert memory.questions("c") == ["First?"]


def test_the_newest_turns_come_oldest_first(memory: Memory) -> None:
    for number in (2, 1, 3):
        memory.save_turn(ask(f"Question {number}?", number))
    assert [t.number for t in memory.turns("c")] == [1, 2, 3]
    assert [t.number for t in memory.turns("c", limit=2)] == [2, 3]
    assert [t.number for t in memory.turns("c", limit=9)] == [1, 2, 3]
    assert memory.turns("c", limit=0) == []


def test_an_unknown_conversation_is_empty(memory: Memory) -> None:
    assert memory.turns("nobody") == []
    assert memory.questions("nobody") == []
    assert memory.conversations("nobody") == []


def test_questions_are_read_without_the_bodies(memory: Memory, file: Path) -> None:
    memory.save_turn(ask("What is ROS 2?"))
    memory.save_turn(ask("How do I install it?", 2))
    raw(file, "UPDATE turns SET body = x'00'")
    assert memory.questions("c") == ["What is ROS 2?", "How do I install it?"]


def test_a_number_that_is_taken_gives_way_to_the_one_after_the_last(memory: Memory) -> None:
    memory.save_turn(ask("First?"))
    memory.save_turn(ask("Second?", 2))
    memory.save_turn(ask("Elsewhere?", 7, conversation="d"))
    assert memory.save_turn(ask("Third?", 1)).number == 3
    assert memory.save_turn(ask("Elsewhere again?", 7, conversation="d")).number == 8


def test_saving_a_turn_again_changes_nothing(memory: Memory) -> None:
    turn = ask("First?")
    memory.save_turn(turn)
    memory.save_turn(turn)
    assert memory.turns("c") == [turn]


def test_a_number_taken_by_another_tab_gives_way_to_the_next(memory: Memory) -> None:
    here, there = ask("Here?", 1), ask("There?", 1)
    memory.save_turn(here)
    stored = memory.save_turn(there)
    assert stored == there.model_copy(update={"number": 2})
    assert memory.turns("c") == [here, stored]


def test_a_turn_that_cannot_be_saved_leaves_no_conversation(
    memory: Memory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.questions("c")

    def fail(turn: Turn) -> dict[str, object]:
        raise RuntimeError("the plug was pulled")

    monkeypatch.setattr(module, "row_of", fail)
    with pytest.raises(RuntimeError, match="plug"):
        memory.save_turn(ask("First?"))
    assert raw(file, "SELECT id FROM conversations") == []


def test_a_file_name_may_hold_any_character(tmp_path: Path) -> None:
    file = tmp_path / "what? 100% größe #1.db"
    memory = Memory(sa.URL.create("sqlite", database=str(file)))
    memory.save_turn(ask("First?"))
    memory.close()
    assert file.exists()


# --- conversations ---


def test_the_first_question_titles_the_conversation(memory: Memory) -> None:
    memory.save_turn(ask("What is\n  ROS 2?"), "ada")
    memory.save_turn(ask("How do I install it?", 2), "ada")
    (summary,) = memory.conversations("ada")
    assert (summary.id, summary.title, summary.turn_count) == ("c", "What is ROS 2?", 2)


def test_a_long_title_is_cut_at_a_word(memory: Memory) -> None:
    memory.save_turn(ask("How does a humanoid robot keep its balance " * 3), "ada")
    (summary,) = memory.conversations("ada")
    assert summary.title == "How does a humanoid robot keep its balance How does a…"
    assert len(summary.title) <= 60


def test_conversations_are_listed_newest_first_and_only_the_owners(memory: Memory) -> None:
    for hours, (conversation, owner) in enumerate([("a", "ada"), ("b", "bob"), ("c", "ada")]):
        moment = NOON + timedelta(hours=hours)
        memory.save_turn(make_turn(conversation_id=conversation, timestamp=moment), owner)
    assert [s.id for s in memory.conversations("ada")] == ["c", "a"]
    memory.save_turn(make_turn(2, conversation_id="a", timestamp=NOON + timedelta(days=1)), "ada")
    assert [s.id for s in memory.conversations("ada")] == ["a", "c"]
    assert [s.id for s in memory.conversations("bob")] == ["b"]


def test_a_summary_has_its_moments_in_utc(memory: Memory) -> None:
    later = NOON + timedelta(minutes=5, microseconds=7)
    memory.save_turn(make_turn(conversation_id="c", timestamp=NOON))
    memory.save_turn(make_turn(2, conversation_id="c", timestamp=later))
    (summary,) = memory.conversations("")
    assert (summary.started_at, summary.updated_at) == (NOON, later)
    assert summary.updated_at.tzinfo is UTC


def test_a_summary_is_frozen(memory: Memory) -> None:
    memory.save_turn(ask("First?"))
    with pytest.raises(ValidationError, match="frozen"):
        setattr(memory.conversations("")[0], "title", "x")  # noqa: B010


# --- the database ---


def test_the_database_is_in_wal_mode_with_foreign_keys(memory: Memory, file: Path) -> None:
    memory.save_turn(ask("First?"))
    assert raw(file, "PRAGMA journal_mode") == [("wal",)]
    with memory._transaction() as connection:
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 15_000
        # 2 is FULL: what was reported saved survives a power cut too.
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


def test_the_schema_has_a_version(memory: Memory, file: Path) -> None:
    memory.questions("c")
    assert raw(file, "SELECT version FROM schema_version") == [(SCHEMA_VERSION,)]


def test_lists_have_their_columns_and_bodies_are_compressed(memory: Memory, file: Path) -> None:
    turn = ask("What is ROS 2?")
    memory.save_turn(turn)
    columns = "number, question, status, confidence, length(body)"
    ((number, question, status, confidence, size),) = raw(file, f"SELECT {columns} FROM turns")
    assert (number, question, status) == (1, "What is ROS 2?", "success")
    assert confidence == turn.response.confidence.overall
    assert isinstance(size, int)
    assert size < len(turn.model_dump_json()) / 2


def test_the_database_refuses_a_second_turn_of_one_number(memory: Memory, file: Path) -> None:
    memory.save_turn(ask("First?"))
    with pytest.raises(sqlite3.IntegrityError):
        raw(
            file,
            "INSERT INTO turns SELECT 'x', conversation_id, number, question, status, confidence,"
            " created_at, body FROM turns",
        )
