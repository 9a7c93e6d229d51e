"""Embeddings kept by content, so that no text is embedded twice and an interrupted run resumes."""

import hashlib
import sqlite3
import threading
import zlib
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import numpy as np

from rag.embed.base import Embedder, Vector
from rag.home import primary_code, storage_errors

Key = bytes
_Answer = TypeVar("_Answer")
# The last one: the file has another table than ours.
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR}
_BUSY_SECONDS = 10.0
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)"
# SQLite's default limit of variables in one statement is 999 on older builds.
_AT_ONCE = 500


def vector_key(embedder: Embedder, text: str) -> Key:
    """The name of a text's vector: it changes with the text and with the model."""
    return hashlib.sha256(f"{embedder.name}:{embedder.dimensions}\0{text}".encode()).digest()


def _packed(vector: Vector) -> bytes:
    content = vector.astype("<f4").tobytes()
    # SQLite does not notice a flipped bit inside a row; a checksum does.
    return zlib.crc32(content).to_bytes(4, "little") + content


def _is_whole(blob: bytes) -> bool:
    return zlib.crc32(blob[4:]).to_bytes(4, "little") == blob[:4]


def _unpacked(blob: bytes) -> Vector:
    return np.frombuffer(blob, dtype="<f4", offset=4)


class VectorCache:
    """Vectors by key in one SQLite file. A damaged file is only a cache: it starts anew."""

    def __init__(self, path: Path) -> None:
        """Remember the file; it is opened at first use."""
        self._path = path
        self._lock = threading.Lock()
        self._connection: sqlite3.Connection | None = None

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Vector]:
        """The vectors that are known, by key."""
        wanted = list(keys)

        def read(db: sqlite3.Connection) -> dict[Key, Vector]:
            found: dict[Key, Vector] = {}
            for start in range(0, len(wanted), _AT_ONCE):
                some = wanted[start : start + _AT_ONCE]
                marks = ",".join("?" * len(some))
                rows = db.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", some)  # noqa: S608
                found.update((key, _unpacked(blob)) for key, blob in rows if _is_whole(blob))
            return found

        return self._run(read)

    def put_many(self, vectors: Mapping[Key, Vector]) -> None:
        """Keep vectors; once this returns they survive a kill."""
        rows = [(key, _packed(vector)) for key, vector in vectors.items()]

        def write(db: sqlite3.Connection) -> None:
            with db:
                db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

        self._run(write)

    def prune(self, keep: Collection[Key]) -> int:
        """Forget every vector but these; how many went."""

        def delete(db: sqlite3.Connection) -> int:
            with db:
                db.execute("CREATE TEMP TABLE IF NOT EXISTS kept (key BLOB PRIMARY KEY)")
                db.execute("DELETE FROM kept")
                db.executemany("INSERT OR IGNORE INTO kept VALUES (?)", [(key,) for key in keep])
                sql = "DELETE FROM vectors WHERE key NOT IN (SELECT key FROM kept)"
                return db.execute(sql).rowcount

        return self._run(delete)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._drop_connection()

    def _run(self, work: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        with self._lock, storage_errors(self._path):
            try:
                return work(self._open())
            except sqlite3.DatabaseError as error:
                if primary_code(error) not in _DAMAGED:
                    raise
            self._start_anew()
            return work(self._open())

    def _open(self) -> sqlite3.Connection:
        if self._connection is None:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            db = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
            try:
                db.execute("PRAGMA journal_mode = WAL")
                db.execute(_TABLE)
            except BaseException:
                db.close()
                raise
            self._connection = db
        return self._connection

    def _start_anew(self) -> None:
        self._drop_connection()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)

    def _drop_connection(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
