"""A small synthetic book of any size, as chunks and as entries of a store."""

import random
from collections.abc import Sequence
from hashlib import sha256
from uuid import NAMESPACE_URL, uuid5

from rag.domain.book import Chunk, Page
from rag.embed.base import Embedder, HashEmbedder
from rag.search.lexical import document_terms
from rag.search.store import Entry, Manifest
from tests.builders import make_chunk

_WORDS = tuple(
    f"{a}{b}" for a in ("ro", "ki", "ne", "ma", "ti", "ca") for b in ("bot", "node", "l")
)


def chunk_of(text: str, source_file: str = "a.md", position: int = 0) -> Chunk:
    """A chunk whose id says where it stands and what it says."""
    return make_chunk(
        chunk_id=str(uuid5(NAMESPACE_URL, f"{source_file}#{position}#{text}")),
        text=text,
        source_file=source_file,
        position=position,
        content_hash=sha256(text.encode()).hexdigest(),
        heading_path=(),
        anchors=(),
    )


def random_chunks(count: int, seed: int = 0) -> list[Chunk]:
    """Chunks in pages of ten; each has a word of its own, two seeds share none of those."""
    dice = random.Random(seed)
    return [
        chunk_of(
            f"unique{seed}x{n} " + " ".join(dice.choices(_WORDS, k=dice.randint(5, 60))),
            source_file=f"page-{n // 10:03}.md",
            position=n % 10,
        )
        for n in range(count)
    ]


def entries_of(chunks: Sequence[Chunk], embedder: Embedder | None = None) -> list[Entry]:
    """The chunks with their vectors and terms."""
    rows = (embedder or HashEmbedder()).embed_documents([c.search_text for c in chunks])
    return [
        Entry(chunk, row, document_terms(chunk.search_text))
        for chunk, row in zip(chunks, rows, strict=True)
    ]


def pages_of(chunks: Sequence[Chunk]) -> list[Page]:
    """The pages of these chunks, in letters of any length in UTF-8."""
    texts: dict[str, list[str]] = {}
    for chunk in chunks:
        texts.setdefault(chunk.source_file, []).append(chunk.text)
    return [
        Page(
            source_file=file,
            chapter_id=file.removesuffix(".md"),
            module="",
            title=file,
            route=f"/{file}",
            text="\n\n".join(each),
            reading=":::note Größe 大小 🤖\n\n" + "\n\n".join(each) + "\n\n:::",
            position=n,
        )
        for n, (file, each) in enumerate(texts.items())
    ]


def manifest_of(chunks: Sequence[Chunk], fingerprint: str = "one") -> Manifest:
    """What a book of these chunks says about itself."""
    return Manifest(
        title="A book",
        fingerprint=fingerprint,
        embedding_model=HashEmbedder.name,
        dimensions=HashEmbedder.dimensions,
        chunk_count=len(chunks),
    )
