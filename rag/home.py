"""The folder where a library lives, who may use it, and what a disk's refusals mean."""

import errno
import fcntl
import os
import sqlite3
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import TracebackType

from rag.domain.errors import LibraryBusy, StorageError

_ELSEWHERE = "choose another folder with --home (or LECTERN_HOME)"
_REASONS = {
    errno.EROFS: "read-only",
    errno.EACCES: "read-only",
    errno.EPERM: "read-only",
    errno.ENOSPC: "full",
    errno.EDQUOT: "full",
    errno.ENOTDIR: "not a folder",
    errno.EEXIST: "not a folder",
}
_SQLITE_REASONS = {
    sqlite3.SQLITE_READONLY: "read-only",
    sqlite3.SQLITE_PERM: "read-only",
    sqlite3.SQLITE_CANTOPEN: "read-only",
    sqlite3.SQLITE_FULL: "full",
    sqlite3.SQLITE_CORRUPT: "damaged",
    sqlite3.SQLITE_NOTADB: "damaged",
    sqlite3.SQLITE_BUSY: "busy",
    sqlite3.SQLITE_LOCKED: "busy",
}
_SENTENCES = {
    "read-only": "Lectern cannot write to {place}: it is read-only, or belongs to another user. "
    f"Make it writable, or {_ELSEWHERE}.",
    "full": "The disk that holds {place} is full. Nothing already saved is lost: free some space "
    f"and try again, or {_ELSEWHERE}.",
    "not a folder": "{place} is not a folder that Lectern can use: a file stands in the way. Move "
    f"it, or {_ELSEWHERE}.",
    "damaged": "{place} is damaged and cannot be read. Move it away and try again: Lectern starts "
    "a new one in its place.",
    "busy": "{place} is in use by another program. Close it and try again.",
}


def primary_code(error: sqlite3.Error) -> int:
    """SQLite's own number for a failure, without the extended part; 0 where it gave none."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def explained(place: Path, error: BaseException) -> StorageError:
    """What a person can do about a failure of the disk or of a database file in `place`."""
    if isinstance(error, sqlite3.Error):
        reason = _SQLITE_REASONS.get(primary_code(error), "")
    else:
        reason = _REASONS.get(getattr(error, "errno", None) or 0, "")
    if not reason:
        detail = getattr(error, "strerror", None) or error
        return StorageError(f"Lectern cannot use {place} ({detail}). Check the disk and try again.")
    return StorageError(_SENTENCES[reason].format(place=place))


@contextmanager
def storage_errors(place: Path) -> Iterator[None]:
    """Turn what the disk or SQLite says about `place` into a sentence."""
    try:
        yield
    except OSError as error:
        raise explained(place, error) from error
    except sqlite3.DatabaseError as error:
        # Any other code is a mistake in our SQL, which nobody can act on.
        if primary_code(error) not in {*_SQLITE_REASONS, sqlite3.SQLITE_IOERR}:
            raise
        raise explained(place, error) from error


class HomeLock:
    """Held while a process has a library open. The kernel lets go when the process dies."""

    def __init__(self, descriptor: int) -> None:
        """Take over an open, locked file."""
        # A forgotten lock goes with its owner, so a cleared cache never locks itself out.
        self._release = weakref.finalize(self, partial(os.close, descriptor))

    def release(self) -> None:
        """Let another process in; a second call does nothing."""
        self._release()

    def __enter__(self) -> "HomeLock":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()


class Home:
    """The folder where one library lives. Nothing is touched until something is asked for."""

    def __init__(self, path: Path) -> None:
        """Remember where the library is, or will be."""
        self.path = path.expanduser()

    @property
    def index(self) -> Path:
        """The folder of the search index."""
        return self.path / "index"

    @property
    def vectors(self) -> Path:
        """The cache of embeddings."""
        return self.path / "vectors.db"

    @property
    def database(self) -> Path:
        """The database of conversations."""
        return self.path / "lectern.db"

    def create(self) -> None:
        """Make the folder where it is missing, for this user alone: conversations are private."""
        with storage_errors(self.path):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def open_lock(self) -> HomeLock:
        """Claim the library for this process, or say that another one has it."""
        self.create()
        with storage_errors(self.path):
            descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        lock = HomeLock(descriptor)
        try:
            with storage_errors(self.path):
                _claim(descriptor, self.path)
        except BaseException:
            lock.release()
            raise
        return lock


def _claim(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise LibraryBusy(
            f"The library in {path} is open in another Lectern process. Close it, or {_ELSEWHERE}."
        ) from error
