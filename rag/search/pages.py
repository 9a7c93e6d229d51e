"""The pages of a published book: one file, and where in it each page stands.

pages.jsonl   a page in JSON on each line
pages.json    each chapter id with the place of its line, so that a reader opens one page alone
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import TypeAdapter

from rag.domain.book import Page
from rag.domain.errors import BookError

_PAGES, _PLACES = "pages.jsonl", "pages.json"
# Where each page's line begins, and how long it is.
_INDEX = TypeAdapter(dict[str, tuple[int, int]])


class EncodedPages(NamedTuple):
    """Pages as they are written: the lines, and the places of them."""

    lines: bytes
    places: bytes

    @property
    def size(self) -> int:
        """How many bytes both files take."""
        return len(self.lines) + len(self.places)


def encode_pages(pages: Sequence[Page]) -> EncodedPages:
    """The pages as the content of two files."""
    places: dict[str, tuple[int, int]] = {}
    lines: list[bytes] = []
    at = 0
    for page in pages:
        line = page.model_dump_json().encode() + b"\n"
        places[page.chapter_id] = (at, len(line))
        lines.append(line)
        at += len(line)
    return EncodedPages(b"".join(lines), _INDEX.dump_json(places))


def write_pages(folder: Path, pages: EncodedPages) -> None:
    """Put the pages into a version that is being written."""
    (folder / _PAGES).write_bytes(pages.lines)
    (folder / _PLACES).write_bytes(pages.places)


def read_page(folder: Path, chapter_id: str) -> Page | None:
    """One page, or None where there is none of this id; a ValueError if the files are damaged."""
    try:
        places = _INDEX.validate_json((folder / _PLACES).read_bytes())
    except FileNotFoundError as error:
        raise BookError(
            "This book was indexed by an earlier Lectern, which kept no pages to read. Run "
            "`python -m rag ingest PATH` once more: only the pages are added."
        ) from error
    # An id comes from a browser's address: it is looked up, and never part of a path.
    place = places.get(chapter_id)
    if place is None:
        return None
    start, length = place
    with (folder / _PAGES).open("rb") as lines:
        lines.seek(start)
        return Page.model_validate_json(lines.read(length))
