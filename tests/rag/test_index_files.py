"""The whole way into an index: files, chunks, vectors, search."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rag.embed.base import HashEmbedder
from rag.embed.cache import VectorCache
from rag.embed.local import bundled_embedder
from rag.index import Indexer
from rag.ingest.chunking import chunk_book
from rag.ingest.docusaurus import Book, read_book
from rag.search.lexical import document_terms
from rag.search.qdrant import EdgeStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EdgeStore]:
    store = EdgeStore(tmp_path / "index")
    yield store
    store.close()


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[VectorCache]:
    cache = VectorCache(tmp_path / "vectors.db")
    yield cache
    cache.close()


def write_book(folder: Path, **texts: str) -> Book:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / f"{name}.md").write_text(text)
    return read_book(folder)


def test_a_page_is_kept_for_its_reader(
    store: EdgeStore, cache: VectorCache, tmp_path: Path
) -> None:
    text = "# Nodes\n\n:::tip Mind\nSee [the docs](other.md).\n:::"
    book = write_book(tmp_path / "docs", nodes=text)
    Indexer(store, HashEmbedder(), cache).build(book, chunk_book(book.pages))
    page = store.page("nodes")
    assert page == book.pages[0]
    assert page.reading == "# Nodes\n\n:::tip Mind\n\nSee [the docs](other.md).\n\n:::"
    assert page.text == "# Nodes\n\n**Tip: Mind**\n\nSee the docs."


def test_what_was_skipped_is_reported(store: EdgeStore, cache: VectorCache, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    write_book(folder, good="# Nodes\n\nA node is a process.")
    (folder / "bad.md").write_bytes(b"# Caf\xe9\n\nnot UTF-8 \xff\xfe")
    book = read_book(folder)
    report = Indexer(store, HashEmbedder(), cache).build(book, chunk_book(book.pages))
    assert [skipped.file for skipped in report.skipped] == ["bad.md"]


def test_text_added_before_a_section_embeds_only_what_is_new(
    store: EdgeStore, cache: VectorCache, tmp_path: Path
) -> None:
    body = "\n\n".join(f"## Part {n}\n\n" + f"Sentence {n} says so. " * 60 for n in range(5))
    indexer = Indexer(store, HashEmbedder(), cache)
    book = write_book(tmp_path / "docs", page=f"# Title\n\n{body}")
    first = indexer.build(book, chunk_book(book.pages))
    new = "## New\n\n" + "Something new. " * 60
    book = write_book(tmp_path / "docs", page=f"# Title\n\n{new}\n\n{body}")
    second = indexer.build(book, chunk_book(book.pages))
    assert first.embedded >= 5
    assert (second.embedded, second.removed) == (second.chunks - first.chunks, 0)


@pytest.mark.model
def test_the_real_model_on_real_files(store: EdgeStore, cache: VectorCache, tmp_path: Path) -> None:
    embedder = bundled_embedder()
    indexer = Indexer(store, embedder, cache)
    folder = tmp_path / "docs"
    book = write_book(
        folder,
        nodes="# Nodes\n\nA node is a process that computes.\n\n## Topics\n\nNodes talk by topics.",
        urdf="# URDF\n\nURDF describes the links and joints of a robot in XML.",
    )
    first = indexer.build(book, chunk_book(book.pages, fits=embedder.fits))
    assert first.embedded == first.chunks >= 2
    question = "Which file format describes a robot's joints?"
    vector = embedder.embed_query(question)
    best = store.search(vector, document_terms(question), 5)[0]
    assert best.chunk.page_title == "URDF"
    by_hand = embedder.embed_documents([best.chunk.search_text])[0]
    # The int8 model's vector of a text varies a little with the batch it was embedded in.
    assert best.similarity == pytest.approx(float(np.dot(by_hand, vector)), abs=1e-4)
    book = write_book(folder, urdf="# URDF\n\nURDF describes links, joints and meshes in XML.")
    second = indexer.build(book, chunk_book(book.pages, fits=embedder.fits))
    assert (second.embedded, second.removed) == (1, 1)
    assert indexer.build(book, chunk_book(book.pages, fits=embedder.fits)).unchanged
