"""What a disk or a database file can refuse, in words."""

import os
import random
import sqlite3
from pathlib import Path

import pytest
import sqlalchemy as sa

from rag.domain.errors import StorageError
from rag.memory import SCHEMA_VERSION, Memory
from rag.memory import schema as module
from tests.builders import (
    make_turn,
)
from tests.rag.memory_samples import ask, raw


def test_a_newer_database_is_refused_in_words(memory: Memory, file: Path) -> None:
    memory.save_turn(ask("First?"))
    memory.close()
    raw(file, "UPDATE schema_version SET version = 99")
    with pytest.raises(StorageError, match=r"newer Lectern \(format 99.*Update Lectern"):
        memory.turns("c")
    raw(file, f"UPDATE schema_version SET version = {SCHEMA_VERSION}")
    assert memory.questions("c") == ["First?"]


def assert_refused(memory: Memory, file: Path, way_out: str) -> None:
    """Reading and writing both end in a sentence that names the file and the way out."""
    for attempt in (lambda: memory.turns("c"), lambda: memory.save_turn(ask("First?"))):
        with pytest.raises(StorageError) as caught:
            attempt()
        assert str(file) in str(caught.value)
        assert way_out in str(caught.value)
        assert str(caught.value).endswith(".")


def test_a_file_that_is_no_database_is_refused_in_words(memory: Memory, file: Path) -> None:
    file.write_text("This is a shopping list, and rather a long one. " * 50)
    assert_refused(memory, file, "Move it away")
    assert file.read_text().startswith("This is a shopping list"), "never overwrite what is there"


def test_another_programs_database_is_refused_in_words(memory: Memory, file: Path) -> None:
    raw(file, "CREATE TABLE recipes (name TEXT)")
    assert_refused(memory, file, "Move it away")


def test_another_programs_schema_version_is_not_taken_for_ours(memory: Memory, file: Path) -> None:
    raw(file, "CREATE TABLE schema_version (installed_rank INTEGER)")
    assert_refused(memory, file, "Move it away")


def test_a_truncated_database_is_refused_in_words(memory: Memory, file: Path) -> None:
    for number in range(1, 30):
        memory.save_turn(ask(f"Question {number}?", number))
    memory.close()
    file.write_bytes(file.read_bytes()[:5000])
    assert_refused(memory, file, "Move it away")


def test_an_overwritten_page_is_refused_in_words(memory: Memory, file: Path) -> None:
    memory.save_turn(ask("First?"))
    memory.close()
    content = bytearray(file.read_bytes())
    content[4096:] = random.Random(1).randbytes(len(content) - 4096)
    file.write_bytes(content)
    assert_refused(memory, file, "Move it away")


def test_an_empty_file_becomes_a_database(memory: Memory, file: Path) -> None:
    file.touch()
    memory.save_turn(ask("First?"))
    assert memory.questions("c") == ["First?"]


def test_moving_the_damaged_file_away_is_a_way_out(memory: Memory, file: Path) -> None:
    file.write_bytes(b"x" * 5000)
    with pytest.raises(StorageError):
        memory.turns("c")
    file.rename(file.with_suffix(".old"))
    memory.save_turn(ask("First?"))
    assert memory.questions("c") == ["First?"]


@pytest.mark.parametrize("body", ["x'00'", "x''", "substr(body, 1, 100)"])
def test_a_damaged_turn_is_refused_in_words(memory: Memory, file: Path, body: str) -> None:
    memory.save_turn(ask("First?"))
    raw(file, f"UPDATE turns SET body = {body}")
    with pytest.raises(StorageError, match=r"Turn 1 of a conversation in .* is damaged"):
        memory.turns("c")


def test_a_read_only_database_is_refused_in_words(memory: Memory, file: Path) -> None:
    memory.save_turn(ask("First?"))
    memory.close()
    closed = Memory(f"sqlite:///file:{file}?mode=ro&uri=true")
    with pytest.raises(StorageError, match=r"cannot write to .*lectern\.db: it is read-only"):
        closed.save_turn(ask("Second?", 2))
    closed.close()


def test_a_read_only_folder_is_refused_in_words(tmp_path: Path) -> None:
    # Root may write anywhere but here.
    folder = Path("/proc/self") if os.geteuid() == 0 else tmp_path
    tmp_path.chmod(0o500)
    try:
        memory = Memory(f"sqlite:///{folder / 'lectern.db'}")
        assert_refused(memory, folder / "lectern.db", "Make it writable")
    finally:
        tmp_path.chmod(0o700)


def test_a_file_in_the_folders_way_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("not a folder")
    memory = Memory(f"sqlite:///{tmp_path / 'home' / 'lectern.db'}")
    with pytest.raises(StorageError, match="home is not a folder"):
        memory.save_turn(ask("First?"))


def test_a_full_disk_is_refused_in_words_and_loses_nothing(memory: Memory, file: Path) -> None:
    memory.save_turn(ask("First?"))

    def shrink(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # as small as what is there

    sa.event.listen(memory._opened(), "connect", shrink)
    memory._opened().dispose()
    too_long = make_turn(
        2, conversation_id="c", config={"noise": random.Random(1).randbytes(9999).hex()}
    )
    with pytest.raises(StorageError, match=r"disk that holds .*lectern\.db is full"):
        memory.save_turn(too_long)
    assert memory.questions("c") == ["First?"]
    memory.close()  # and with it the limit
    memory.save_turn(too_long)
    assert [turn.number for turn in memory.turns("c")] == [1, 2]


def test_a_database_locked_for_too_long_is_refused_in_words(
    memory: Memory, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "BUSY_SECONDS", 0.05)
    memory.save_turn(ask("First?"))
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="in use by another program"):
        memory.save_turn(ask("Second?", 2))
    assert memory.questions("c") == ["First?"], "readers are not held up"
    other.close()
    memory.save_turn(ask("Second?", 2))
    assert [turn.number for turn in memory.turns("c")] == [1, 2]
