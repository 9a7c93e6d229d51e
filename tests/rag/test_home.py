"""One process at a time has a library open; what a disk refuses is said in a sentence."""

import errno
import gc
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag.domain.errors import LibraryBusy, StorageError
from rag.home import Home, explained, storage_errors
from rag.search.qdrant import EdgeStore
from tests.rag.search.samples import entries_of, manifest_of, random_chunks

ROOT = Path(__file__).parents[2]
OPENS_A_LIBRARY = """
import sys
from pathlib import Path
from rag.domain.errors import LecternError
from rag.home import Home

try:
    with Home(Path(sys.argv[1])).open_lock():
        print("open", flush=True)
        sys.stdin.read()
except LecternError as error:
    print(f"{type(error).__name__}: {error}", flush=True)
"""


class Other:
    """Another process that tries to open a library, and holds it until it is told or killed."""

    def __init__(self, home: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", OPENS_A_LIBRARY, str(home)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self.process.stdout
        self.said = self.process.stdout.readline().strip()

    def stop(self, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "library")


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every file that would be opened for writing meets a full disk."""

    def refuse(*_: object, **__: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        yield


def test_a_home_names_its_parts_and_touches_nothing(home: Home) -> None:
    assert {home.index.parent, home.vectors.parent, home.database.parent} == {home.path}
    assert not home.path.exists()


def test_a_home_in_the_users_folder_is_found() -> None:
    assert Home(Path("~/books")).path == Path.home() / "books"


def test_opening_makes_the_folder_for_this_user_alone(home: Home) -> None:
    deep = Home(home.path / "a" / "b")
    with deep.open_lock():
        assert deep.path.is_dir()
        assert deep.path.stat().st_mode & 0o077 == 0


def test_a_second_process_gets_one_clear_sentence_and_the_first_works_on(home: Home) -> None:
    chunks = random_chunks(20)
    with home.open_lock():
        store = EdgeStore(home.index)
        store.publish(manifest_of(chunks), entries_of(chunks), [])
        second = Other(home.path)
        second.stop()
        assert second.said == (
            f"LibraryBusy: The library in {home.path} is open in another Lectern process. "
            "Close it, or choose another folder with --home (or LECTERN_HOME)."
        )
        others = random_chunks(10, seed=5)
        store.publish(manifest_of(others), entries_of(others), [])
        assert list(store.chunks()) == others
        store.close()
    third = Other(home.path)
    third.stop()
    assert third.said == "open"


@pytest.mark.parametrize("kill", [False, True], ids=["closed", "killed"])
def test_a_library_is_free_once_its_process_is_gone(home: Home, kill: bool) -> None:
    first = Other(home.path)
    assert first.said == "open"
    with pytest.raises(LibraryBusy, match="another Lectern process"):
        home.open_lock()
    first.stop(kill)
    home.open_lock().release()


def test_two_homes_stand_side_by_side(tmp_path: Path) -> None:
    with Home(tmp_path / "one").open_lock(), Home(tmp_path / "two").open_lock():
        pass


def test_a_lock_is_released_once_and_can_be_taken_again(home: Home) -> None:
    lock = home.open_lock()
    with pytest.raises(LibraryBusy):
        home.open_lock()
    lock.release()
    with home.open_lock() as again:
        lock.release()  # must not close what now has the first one's number
        with pytest.raises(LibraryBusy):
            home.open_lock()
        again.release()
    home.open_lock().release()


def test_a_forgotten_lock_goes_with_its_owner(home: Home) -> None:
    lock = home.open_lock()
    del lock
    gc.collect()
    home.open_lock().release()


def test_a_file_in_the_way_is_explained(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    for path in (file, file / "library"):
        with pytest.raises(StorageError, match="not a folder") as failure:
            Home(path).open_lock()
        assert str(path) in str(failure.value)
        assert "--home" in str(failure.value)


def test_a_folder_that_cannot_be_made_is_explained() -> None:
    with pytest.raises(StorageError, match="/proc/lectern"):
        Home(Path("/proc/lectern")).open_lock()


def test_a_full_disk_is_explained(home: Home, full_disk: None) -> None:
    with pytest.raises(StorageError, match=r"disk that holds .* is full"):
        home.open_lock()


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.EROFS, "read-only"),
        (errno.EACCES, "read-only"),
        (errno.EPERM, "read-only"),
        (errno.ENOSPC, "is full"),
        (errno.EDQUOT, "is full"),
        (errno.ENOTDIR, "not a folder"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_every_refusal_of_the_disk_is_one_sentence_for_a_person(code: int, words: str) -> None:
    with pytest.raises(StorageError, match=words) as failure, storage_errors(Path("/data/lib")):
        raise OSError(code, os.strerror(code))
    assert "/data/lib" in str(failure.value)
    assert "Errno" not in str(failure.value)
    assert isinstance(failure.value.__cause__, OSError)


def refused_by_sqlite(path: Path, how: str) -> None:
    """Let SQLite itself fail in the way asked for."""
    db = sqlite3.connect(path, timeout=0)
    other = sqlite3.connect(path, timeout=0)
    try:
        if how == "full":
            db.execute("CREATE TABLE t (x)")
            db.execute("PRAGMA max_page_count = 2")
            db.execute("INSERT INTO t VALUES (zeroblob(100000))")
        elif how == "busy":
            other.execute("BEGIN EXCLUSIVE")
            db.execute("CREATE TABLE t (x)")
        elif how == "read-only":
            db.execute("PRAGMA query_only = 1")
            db.execute("CREATE TABLE t (x)")
        else:
            path.write_bytes(b"nonsense" * 1000)
            db.execute("SELECT * FROM sqlite_master")
    finally:
        db.close()
        other.close()


@pytest.mark.parametrize(
    ("how", "words"),
    [("full", "is full"), ("busy", "in use"), ("read-only", "read-only"), ("damaged", "damaged")],
)
def test_every_refusal_of_sqlite_is_one_sentence_for_a_person(
    tmp_path: Path, how: str, words: str
) -> None:
    path = tmp_path / "lectern.db"
    with pytest.raises(StorageError, match=words) as failure, storage_errors(path):
        refused_by_sqlite(path, how)
    assert str(path) in str(failure.value)


def test_what_sqlite_cannot_open_is_explained(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="cannot write to"), storage_errors(tmp_path):
        sqlite3.connect(tmp_path)  # a folder


def test_other_errors_pass() -> None:
    with pytest.raises(KeyError), storage_errors(Path("x")):
        raise KeyError("ours")


def test_an_unknown_failure_keeps_its_detail() -> None:
    assert "(odd)" in str(explained(Path("x"), RuntimeError("odd")))
