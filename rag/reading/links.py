"""Where the links of a page lead: to other pages in the reader, to the web, or nowhere."""

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from urllib.parse import unquote

from rag.domain.book import Page, reader_address
from rag.ingest.slugs import is_index, strip_path_prefixes
from rag.search.store import PageEntry

_WEB = re.compile(r"https?://[^\s\"'<>\x00-\x1f\x7f-\x9f]+", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|[/\\]{2}")
_ENDING = re.compile(r"\.mdx?$", re.IGNORECASE)
# The part of a site that Docusaurus keeps a book under, unless told otherwise.
_DOCS = "docs"


class Links:
    """The pages of a book under every name that a link may call them by."""

    def __init__(self, pages: Sequence[PageEntry]) -> None:
        """Take the pages in reading order: of two with one name the first is meant."""
        self._chapters: dict[str, str] = {}
        for name in (_file_name, _plain_name, _route_name):
            for page in pages:
                self._chapters.setdefault(name(page), page.chapter_id)

    def follow(self, page: Page, target: str) -> str:
        """The address a link of a page leads to, or ""."""
        if _WEB.fullmatch(target):
            return target
        if _SCHEME.match(target):
            return ""
        path, _, anchor = target.partition("#")
        path = unquote(path.partition("?")[0])
        chapter = self._find(page, path) if path else page.chapter_id
        return reader_address(chapter, unquote(anchor)) if chapter else ""

    def _find(self, page: Page, path: str) -> str:
        """The chapter a path means, or ""."""
        names = (name for place in _places(page, path) for name in _names(place))
        return next((self._chapters[name] for name in names if name in self._chapters), "")


def follow(pages: Sequence[PageEntry], page: Page) -> Callable[[str], str]:
    """How the links of a page are followed in a book of these pages."""
    links = Links(pages)

    def follow_target(target: str) -> str:
        return links.follow(page, target)

    return follow_target


def _file_name(page: PageEntry) -> str:
    return page.source_file


def _plain_name(page: PageEntry) -> str:
    return _plain(page.source_file)


def _route_name(page: PageEntry) -> str:
    return page.route.strip("/")


def _plain(path: str) -> str:
    """A file without ending and numbers; one that stands for its folder as that folder."""
    folder, name = posixpath.split(_ENDING.sub("", path))
    plain = strip_path_prefixes(_ENDING.sub("", path).strip("/"))
    return posixpath.dirname(plain) if folder and is_index(folder, name) else plain


def _places(page: Page, path: str) -> Iterator[str]:
    """What a path may mean, below the folder of the book: by files, by routes, from the top."""
    if path.startswith("/"):
        yield path.strip("/")
        _, found, below = f"{path}/".partition(f"/{_DOCS}/")
        if found:
            yield below.strip("/")
        return
    yield _joined(posixpath.dirname(page.source_file), path)
    yield _joined(posixpath.dirname(page.route.lstrip("/")), path)
    yield _joined("", path)


def _joined(folder: str, path: str) -> str:
    """A path from a folder on; one that leads out of the book is no page's name."""
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined


def _names(place: str) -> Iterator[str]:
    """The names a place may have been put down by."""
    yield place
    yield _plain(place)
