"""A Book made from chunks, for tests that are not about reading files."""

from collections.abc import Sequence

from rag.domain.book import Chunk, Page
from rag.ingest.docusaurus import Book


def book_of(chunks: Sequence[Chunk], title: str = "A book") -> Book:
    """The book whose pages are the source files of these chunks."""
    files = dict.fromkeys(chunk.source_file for chunk in chunks)
    pages = tuple(
        Page(
            source_file=file,
            chapter_id=file.removesuffix(".md"),
            module="",
            title=file,
            route=f"/{file.removesuffix('.md')}",
            text="",
            position=n,
        )
        for n, file in enumerate(files)
    )
    return Book(title=title, pages=pages)
