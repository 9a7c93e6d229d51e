"""A library hands out what its store holds."""

from pathlib import Path

from rag.build import Library
from rag.ingest.docusaurus import read_book
from rag.settings import load_settings
from tests.conftest import BUNDLED_BOOK


def test_every_page_of_the_book_can_be_opened(library: Library) -> None:
    manifest = library.manifest()
    assert manifest
    opened = [library.page(entry.chapter_id) for entry in manifest.pages]
    assert opened == list(read_book(BUNDLED_BOOK).pages)
    assert library.page("no-such-page") is None


def test_an_empty_library_has_no_pages(tmp_path: Path) -> None:
    with Library(load_settings(home=tmp_path)) as library:
        assert library.page("any") is None
