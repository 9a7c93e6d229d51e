"""Versions of an index on disk: each written aside, sealed, and made current in one step.

index/CURRENT             the name of the published version
index/<version>/          its files, never written to again
index/<version>/seal.json a checksum of each of them
"""

import json
import os
import re
import shutil
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from uuid import uuid4

from rag.domain.errors import StorageError
from rag.home import storage_errors

_CURRENT = "CURRENT"
_SEAL = "seal.json"
_NAME = re.compile(r"[0-9a-f]{32}")
_BLOCK = 1 << 20


class Versions:
    """The versions in one folder, of which at most one is current."""

    def __init__(self, folder: Path) -> None:
        """Remember the folder; nothing is read yet."""
        self._folder = folder

    def damaged(self) -> StorageError:
        """The way out when a published version cannot be read."""
        return StorageError(
            f"The search index in {self._folder} is damaged. Run `python -m rag ingest PATH` "
            "again: it builds a new one in its place."
        )

    def current(self) -> Path | None:
        """The published version, its files verified, or None where nothing was published."""
        with storage_errors(self._folder):
            version = self._named()
            # The engine would read a damaged file as an emptier book, and say nothing.
            if version and not _seal_holds(version):
                raise self.damaged()
            return version

    def begin(self) -> Path:
        """An empty folder for a new version, which nobody sees yet."""
        with storage_errors(self._folder):
            version = self._folder / uuid4().hex
            version.mkdir(parents=True)
            return version

    def seal(self, version: Path) -> None:
        """Put every file of a finished version on the disk, and write down its checksum."""
        with storage_errors(self._folder):
            sums = {}
            for file in _files(version):
                sums[file.relative_to(version).as_posix()] = _checksum(file)
                _sync(file)
            _write(version / _SEAL, json.dumps(sums).encode())

    def publish(self, version: Path) -> None:
        """Make a sealed version the current one, in one step."""
        with storage_errors(self._folder):
            aside = self._folder / f"{_CURRENT}.new"
            _write(aside, version.name.encode())
            os.replace(aside, self._folder / _CURRENT)
            _sync(self._folder)

    def discard(self, version: Path) -> None:
        """Delete a version unless it is the current one."""
        with storage_errors(self._folder):
            if self._named() != version:
                # What cannot be deleted now is deleted by the next sweep.
                shutil.rmtree(version, ignore_errors=True)

    def sweep(self, keep: Collection[Path]) -> None:
        """Delete every version, finished or not, that is neither current nor to be kept."""
        with storage_errors(self._folder):
            for path in self._folder.iterdir():
                if path.is_dir() and path not in keep:
                    self.discard(path)

    def _named(self) -> Path | None:
        try:
            name = (self._folder / _CURRENT).read_bytes()
        except FileNotFoundError:
            return None
        return self._folder / name.decode(errors="replace").strip()


def _seal_holds(version: Path) -> bool:
    if not _NAME.fullmatch(version.name):
        return False
    try:
        sums = json.loads((version / _SEAL).read_bytes())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    try:
        return isinstance(sums, dict) and all(
            _checksum(version / name) == known for name, known in sums.items()
        )
    except FileNotFoundError:
        return False


def _files(version: Path) -> Iterator[Path]:
    return (path for path in sorted(version.rglob("*")) if path.is_file())


def _checksum(file: Path) -> int:
    total = 0
    with file.open("rb") as content:
        while block := content.read(_BLOCK):
            total = zlib.crc32(block, total)
    return total


def _write(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    _sync(file)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
