"""The embedded store: a book in a folder, searched by Qdrant's engine in this process."""

import errno
import shutil
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from rag.domain.book import Chunk, Page
from rag.embed.base import Vector
from rag.home import explained, storage_errors
from rag.search.pages import encode_pages, read_page, write_pages
from rag.search.shard import EngineError, Shard, space_needed, write_shard
from rag.search.store import Entry, Hit, Manifest, SparseTerms
from rag.search.versions import Versions

_MANIFEST, _SHARD = "manifest.json", "shard"


@dataclass
class _Open:
    """A version in use. It is closed when it has been replaced and its last reader is done."""

    folder: Path
    manifest: Manifest
    shard: Shard
    readers: int = 0
    replaced: bool = False


class EdgeStore:
    """One book in a folder. Any thread may search while another publishes."""

    name = "Qdrant, embedded"

    collection_name = "book"

    def __init__(self, folder: Path) -> None:
        """Remember the folder; it is opened at first use."""
        self._folder = folder
        self._versions = Versions(folder)
        self._lock = threading.Lock()
        self._publishing = threading.Lock()
        self._open: _Open | None = None
        self._lingering: list[_Open] = []

    def manifest(self) -> Manifest | None:
        """The published book, or None where there is none yet."""
        with self._reading() as version:
            return version.manifest if version else None

    def publish(self, manifest: Manifest, entries: Iterable[Entry], pages: Sequence[Page]) -> None:
        """Write a new version aside, then put it in the old one's place."""
        with self._publishing:
            folder = self._versions.begin()
            try:
                self._write(folder, manifest, list(entries), pages)
                fresh = self._load(folder)
                # Only now: the engine settles a new shard's files when it first loads them.
                self._versions.seal(folder)
                self._versions.publish(folder)
            except EngineError as error:
                raise explained(self._folder, error) from error
            finally:
                self._versions.discard(folder)
            self._replace(fresh)
            with self._lock:
                in_use = {version.folder for version in self._lingering}
            self._versions.sweep(in_use)

    def search(self, vector: Vector, terms: SparseTerms, limit: int) -> list[Hit]:
        """The best by similarity and the best by terms, each once, nearest first."""
        with self._reading() as version:
            if version is None or limit < 1:
                return []
            return version.shard.search(vector, terms, limit)

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk of one version, in reading order."""
        with self._reading() as version:
            if version is None:
                return iter(())
            found = version.shard.chunks()
        pages = {page.source_file: n for n, page in enumerate(version.manifest.pages)}
        return iter(
            sorted(found, key=lambda c: (pages.get(c.source_file, 0), c.source_file, c.position))
        )

    def get(self, chunk_ids: Sequence[str]) -> list[Chunk]:
        """The chunks of these ids that exist, in the order asked for."""
        points = [point for point in map(_point, chunk_ids) if point]
        with self._reading() as version:
            if version is None or not points:
                return []
            found = version.shard.get(points)
        return [found[point] for point in points if point in found]

    def page(self, chapter_id: str) -> Page | None:
        """One page for a reader, read from the disk."""
        with self._reading() as version:
            if version is None:
                return None
            try:
                with storage_errors(self._folder):
                    return read_page(version.folder, chapter_id)
            except ValueError as error:
                raise self._versions.damaged() from error

    def close(self) -> None:
        """Let go of the folder; the next use opens it again."""
        self._replace(None)

    @contextmanager
    def _reading(self) -> Iterator[_Open | None]:
        """The current version, kept open until the caller is done with it."""
        try:
            version = self._enter()
            try:
                yield version
            finally:
                self._leave(version)
        except EngineError as error:
            raise self._versions.damaged() from error

    def _enter(self) -> _Open | None:
        with self._lock:
            if self._open is None:
                folder = self._versions.current()
                self._open = self._load(folder) if folder else None
            if self._open:
                self._open.readers += 1
            return self._open

    def _leave(self, version: _Open | None) -> None:
        if version:
            with self._lock:
                version.readers -= 1
                self._close_if_done(version)

    def _replace(self, fresh: _Open | None) -> None:
        with self._lock:
            old, self._open = self._open, fresh
            if old:
                old.replaced = True
                self._lingering.append(old)
                self._close_if_done(old)

    def _close_if_done(self, version: _Open) -> None:
        if version.replaced and not version.readers:
            self._lingering.remove(version)
            version.shard.close()

    def _load(self, folder: Path) -> _Open:
        with storage_errors(self._folder):
            text = (folder / _MANIFEST).read_bytes()
        try:
            manifest = Manifest.model_validate_json(text)
        except ValueError as error:
            raise self._versions.damaged() from error
        shard = Shard.load(folder / _SHARD)
        if shard.count() != manifest.chunk_count:
            shard.close()
            raise self._versions.damaged()
        return _Open(folder, manifest, shard)

    def _write(
        self, folder: Path, manifest: Manifest, entries: Sequence[Entry], pages: Sequence[Page]
    ) -> None:
        encoded = encode_pages(pages)
        with storage_errors(self._folder):
            _check_room(folder, space_needed(manifest.dimensions, entries) + encoded.size)
            write_pages(folder, encoded)
            (folder / _SHARD).mkdir()
            (folder / _MANIFEST).write_text(manifest.model_dump_json(), encoding="utf-8")
        write_shard(folder / _SHARD, manifest.dimensions, entries)


def _check_room(folder: Path, needed: int) -> None:
    """Ask before writing: the engine writes through mapped memory, where a full disk is a crash."""
    if shutil.disk_usage(folder).free < needed:
        raise OSError(errno.ENOSPC, "not enough room for the search index")


def _point(chunk_id: str) -> UUID | None:
    try:
        return UUID(chunk_id)
    except ValueError:
        return None
