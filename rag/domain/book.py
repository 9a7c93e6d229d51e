"""A book as Lectern sees it: pages, and the chunks they are cut into."""

import re
from typing import Annotated
from urllib.parse import quote

from pydantic import AfterValidator, Field

from rag.domain.base import Count, NonBlank, Value

READER_PATH = "/reader"
# What may stand in an address as it is; a "%" is an author's own escape.
_ADDRESS_SAFE = "/%:@!$&'()*+,;=~-._"


def _is_address(url: str) -> str:
    # Whitespace, quotes and angle brackets are no part of an address: they end one.
    if not re.fullmatch(rf'(https?://[^\s/?#"<>]+|{READER_PATH}\?)[^\s"<>]*', url):
        raise ValueError("must be an http(s) address or a place in Lectern's reader")
    return url


Address = Annotated[str, AfterValidator(_is_address)]


def reader_address(page: str, anchor: str) -> str:
    """Where Lectern's own reader shows a section of a book that has no website."""
    section = f"&section={quote(anchor)}" if anchor else ""
    return f"{READER_PATH}?page={quote(page)}{section}"


def site_address(base_url: str, route: str, anchor: str) -> str:
    """Where a book's website shows a section."""
    section = "#" + quote(anchor, safe=_ADDRESS_SAFE) if anchor else ""
    return base_url.rstrip("/") + quote(route, safe=_ADDRESS_SAFE) + section


class Page(Value):
    """One page of a book: its Markdown, cleaned for search and for reading, and its place."""

    source_file: NonBlank
    chapter_id: NonBlank
    module: str
    title: NonBlank
    route: str
    text: str
    reading: str = ""
    position: Count


class Chunk(Value):
    """A piece of the book that can be read alone, with its place in it."""

    chunk_id: NonBlank
    text: NonBlank
    source_file: NonBlank
    chapter_id: NonBlank
    module: str
    page_title: NonBlank
    heading_path: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    url: Address
    position: Count
    token_count: Annotated[int, Field(gt=0)]
    content_hash: NonBlank
    page_number: Annotated[int, Field(ge=1)] | None = None

    @property
    def heading(self) -> str:
        """The innermost heading, or the page's title where there is none."""
        return self.heading_path[-1] if self.heading_path else self.page_title

    def at_section(self, title: str, anchor: str) -> "Chunk":
        """This chunk, cited at a section inside it."""
        on_site = not self.url.startswith(READER_PATH)
        page = self.url.partition("#")[0]
        url = site_address(page, "", anchor) if on_site else reader_address(self.chapter_id, anchor)
        path = (*self.heading_path, title)
        return self.model_copy(update={"url": url, "heading_path": path})

    @property
    def place(self) -> str:
        """Module, page and headings as one line for people."""
        headings = [h for h in self.heading_path if h != self.page_title]
        return " › ".join(part for part in (self.module, self.page_title, *headings) if part)

    @property
    def search_text(self) -> str:
        """What is embedded and indexed: the headings say what the text is about."""
        headings = [h for h in self.heading_path if h != self.page_title]
        return " › ".join((self.page_title, *headings)) + "\n\n" + self.text
