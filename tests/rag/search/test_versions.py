"""How the embedded store keeps its versions: damage is noticed, a full disk harms nothing."""

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from rag.domain.errors import BookError, StorageError
from rag.search import shard as shard_module
from rag.search.qdrant import EdgeStore
from rag.search.store import PageEntry
from tests.rag.search.samples import chunk_of, entries_of, manifest_of, pages_of, random_chunks

CHUNKS = random_chunks(40)
OTHERS = random_chunks(15, seed=9)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one published book, closed."""
    folder = tmp_path / "index"
    store = EdgeStore(folder)
    store.publish(manifest_of(CHUNKS), entries_of(CHUNKS), pages_of(CHUNKS))
    store.close()
    return folder


@pytest.fixture
def store(folder: Path) -> Iterator[EdgeStore]:
    store = EdgeStore(folder)
    yield store
    store.close()


def published(folder: Path) -> Path:
    return folder / (folder / "CURRENT").read_text()


def versions(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()]


def test_making_a_store_touches_nothing(tmp_path: Path) -> None:
    store = EdgeStore(tmp_path / "index")
    assert store.manifest() is None
    store.close()
    assert not (tmp_path / "index").exists()


def test_reading_and_searching_changes_no_file(folder: Path, store: EdgeStore) -> None:
    """The seal rests on this: a published version is never written to again."""

    def content() -> dict[Path, bytes]:
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = content()
    entry = entries_of(CHUNKS)[3]
    assert store.search(entry.vector, entry.terms, 5)[0].chunk == CHUNKS[3]
    assert len(list(store.chunks())) == 40
    assert store.page("page-003") == pages_of(CHUNKS)[3]
    store.close()
    assert content() == before


def test_reading_order_follows_the_table_of_contents(tmp_path: Path) -> None:
    chunks = [chunk_of("later", "a.md"), chunk_of("second", "z.md", 1), chunk_of("first", "z.md")]
    pages = tuple(
        PageEntry(source_file=file, chapter_id=file, module="", title=file, route="/")
        for file in ("z.md", "a.md")
    )
    store = EdgeStore(tmp_path)
    store.publish(manifest_of(chunks).model_copy(update={"pages": pages}), entries_of(chunks), [])
    assert [c.text for c in store.chunks()] == ["first", "second", "later"]
    store.close()


def test_a_publication_leaves_one_version_and_sweeps_leftovers(
    folder: Path, store: EdgeStore
) -> None:
    (folder / "0123").mkdir()
    shutil.copytree(published(folder), folder / "4567")
    store.publish(manifest_of(OTHERS), entries_of(OTHERS), [])
    assert versions(folder) == [published(folder)]


class Damage(NamedTuple):
    what: str
    apply: Callable[[bytes], bytes | None]


DAMAGES = [
    Damage("cut in half", lambda content: content[: len(content) // 2]),
    Damage("emptied", lambda _: b""),
    Damage("removed", lambda _: None),
    Damage(
        "first page overwritten", lambda content: os.urandom(4096)[: len(content)] + content[4096:]
    ),
    Damage("one bit flipped", lambda content: bytes([content[0] ^ 1]) + content[1:]),
]


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.what)
def test_damage_to_any_file_is_noticed(folder: Path, damage: Damage, tmp_path: Path) -> None:
    """Left alone, the engine reads many of these as a book with fewer chunks, or panics."""
    names = [path.relative_to(folder) for path in folder.rglob("*") if path.is_file()]
    assert len(names) > 15
    for name in names:
        if name.name == "CURRENT" and damage.what == "removed":
            continue  # that is a folder without a book
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        changed = damage.apply((copy / name).read_bytes())
        (copy / name).unlink()
        if changed is not None:
            (copy / name).write_bytes(changed)
        store = EdgeStore(copy)
        with pytest.raises(StorageError, match=r"damaged\. Run `python -m rag ingest PATH` again"):
            store.manifest()
        store.close()
        shutil.rmtree(copy)


@pytest.mark.parametrize("name", ["pages.json", "pages.jsonl"])
def test_pages_damaged_while_the_book_is_open_are_noticed(
    folder: Path, store: EdgeStore, name: str
) -> None:
    assert store.page("page-001")
    (published(folder) / name).write_text("[1]")
    with pytest.raises(StorageError, match="damaged"):
        store.page("page-001")


def test_a_book_of_an_earlier_lectern_says_how_to_get_its_pages(
    folder: Path, store: EdgeStore
) -> None:
    """Such a version has no pages, and its seal knows of none."""
    version = published(folder)
    seal = json.loads((version / "seal.json").read_text())
    for name in ("pages.json", "pages.jsonl"):
        (version / name).unlink()
        del seal[name]
    (version / "seal.json").write_text(json.dumps(seal))
    assert list(store.chunks()) == CHUNKS
    with pytest.raises(BookError, match=r"earlier Lectern.*`python -m rag ingest PATH` once more"):
        store.page("page-001")


@pytest.mark.parametrize(
    "chapter_id", ["", ".", "../manifest.json", "pages.json", "/etc/passwd", "a\0b", "a" * 5000]
)
def test_a_page_that_is_asked_for_is_never_a_path(store: EdgeStore, chapter_id: str) -> None:
    assert store.page(chapter_id) is None


def test_publishing_over_a_damaged_version_works(folder: Path, store: EdgeStore) -> None:
    (published(folder) / "manifest.json").write_text("{")
    with pytest.raises(StorageError, match="damaged"):
        store.manifest()
    store.publish(manifest_of(OTHERS), entries_of(OTHERS), [])
    assert list(store.chunks()) == OTHERS
    assert versions(folder) == [published(folder)]


@pytest.mark.parametrize("pointer", [b"", b"nowhere", b"../index", b"\xff\0\n", b"a" * 5000])
def test_a_pointer_to_nowhere_is_damage(folder: Path, store: EdgeStore, pointer: bytes) -> None:
    (folder / "CURRENT").write_bytes(pointer)
    with pytest.raises(StorageError, match="damaged"):
        store.manifest()


def test_an_engine_that_fails_while_reading_is_damage(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    class PanicException(BaseException):
        """What the engine's panics look like from Python."""

    def panics(*_: object) -> None:
        raise PanicException("index out of bounds")

    assert store.manifest()
    monkeypatch.setattr(shard_module.Shard, "_scores", panics)
    entry = entries_of(CHUNKS)[0]
    with pytest.raises(StorageError, match="damaged") as failure:
        store.search(entry.vector, entry.terms, 3)
    assert "panic" not in str(failure.value).lower()


def test_an_interrupt_while_reading_is_not_taken_for_damage(
    store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(shard_module.Shard, "_scores", interrupted)
    entry = entries_of(CHUNKS)[0]
    with pytest.raises(KeyboardInterrupt):
        store.search(entry.vector, entry.terms, 3)


def test_a_disk_without_room_is_refused_before_the_engine_writes(
    folder: Path, store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Left alone, the engine dies of SIGBUS there: it writes through mapped memory."""

    class Usage(NamedTuple):
        free: int

    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(free=1 << 20))
    with pytest.raises(StorageError, match="is full"):
        store.publish(manifest_of(OTHERS), entries_of(OTHERS), [])
    assert list(store.chunks()) == CHUNKS
    assert versions(folder) == [published(folder)]


def test_the_pages_need_room_too(store: EdgeStore, monkeypatch: pytest.MonkeyPatch) -> None:
    class Usage(NamedTuple):
        free: int

    entries, pages = entries_of(OTHERS), pages_of(OTHERS)
    room = shard_module.space_needed(64, entries)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(free=room + 2))
    store.publish(manifest_of(OTHERS), entries, [])
    with pytest.raises(StorageError, match="is full"):
        store.publish(manifest_of(OTHERS), entries, pages)


def test_more_room_is_asked_for_than_a_shard_takes(tmp_path: Path) -> None:
    chunks = random_chunks(2000)
    store = EdgeStore(tmp_path)
    store.publish(manifest_of(chunks), entries_of(chunks), [])
    taken = sum(path.stat().st_blocks * 512 for path in tmp_path.rglob("*"))
    assert taken < shard_module.space_needed(64, entries_of(chunks))
    store.close()


@pytest.mark.parametrize("step", ["mkdir", "replace", "fsync", "engine"])
@pytest.mark.parametrize(
    ("code", "sentence"), [(errno.ENOSPC, "is full"), (errno.EROFS, "read-only")]
)
def test_a_refusal_at_any_step_leaves_the_old_book(
    folder: Path,
    store: EdgeStore,
    monkeypatch: pytest.MonkeyPatch,
    step: str,
    code: int,
    sentence: str,
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(code, os.strerror(code))

    place: object = {"mkdir": Path, "engine": shard_module}.get(step, os)
    with monkeypatch.context() as patch:
        patch.setattr(place, "_config" if step == "engine" else step, refuse)
        with pytest.raises(StorageError) as failure:
            store.publish(manifest_of(OTHERS), entries_of(OTHERS), [])
    if step != "engine":
        assert sentence in str(failure.value)
    assert list(store.chunks()) == CHUNKS
    store.publish(manifest_of(OTHERS), entries_of(OTHERS), [])
    assert list(store.chunks()) == OTHERS
    assert versions(folder) == [published(folder)]


def test_a_failure_after_the_swap_keeps_the_new_book(
    folder: Path, store: EdgeStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The version that CURRENT names is never deleted, whatever happens next."""
    replace = os.replace

    def replace_then_fail(source: Path, target: Path) -> None:
        replace(source, target)
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace_then_fail)
        with pytest.raises(StorageError, match="Input/output error"):
            store.publish(manifest_of(OTHERS), entries_of(OTHERS), [])
    again = EdgeStore(folder)
    assert list(again.chunks()) == OTHERS
    again.close()


def test_a_folder_under_a_file_is_explained(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = EdgeStore(tmp_path / "file" / "index")
    for use in (store.manifest, lambda: store.publish(manifest_of([]), [], [])):
        with pytest.raises(StorageError, match="not a folder"):
            use()
