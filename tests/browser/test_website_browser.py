"""A book with a website of its own: a citation opens it there, at the very words."""

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Locator, Page, expect

from rag.build import Library
from rag.settings import load_settings
from tests.browser import person
from tests.browser.conftest import Visit
from tests.browser.server import APP, streamlit_server

pytestmark = pytest.mark.browser

PASSAGE = "Sourdough leavens bread with wild yeast, and it needs twelve hours (or more) to rise."
# So much stands before the passage that its heading alone would not bring it into view.
FILLER = "\n\n".join(f"Loaf number {n} was baked on a stone and left to cool." for n in range(60))
BOOK = {
    "bread.md": "# Bread\n\n## How long does sourdough rise?\n\n"
    f"{FILLER}\n\n{PASSAGE}\n\n## Crust\n\nA crust is brown, and wild yeast is not to blame.\n",
    "soup.md": "# Soup\n\n## What is stock?\n\nStock is water in which bones were boiled.\n",
}


class Site(NamedTuple):
    """The book's website and the app that reads the book."""

    address: str
    app: str


class _Pages(BaseHTTPRequestHandler):
    """Serves each page of the book under its route, as a static site does."""

    def __init__(self, pages: dict[str, str], *arguments: object) -> None:
        self.pages = pages
        super().__init__(*arguments)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        page = self.pages.get(self.path.removeprefix("/docs/").partition("?")[0], "")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(page.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def _html(markdown: str) -> str:
    """A page of the site, its headings with the ids that site generators give them."""

    def heading(match: re.Match[str]) -> str:
        slug = "-".join(re.findall(r"\w+", match[2].lower()))
        return f'<h{match[1]} id="{slug}">{match[2]}</h{match[1]}>'

    body = re.sub(r"<h(\d)>(.*?)</h\d>", heading, MarkdownIt().render(markdown))
    return f"<!doctype html><title>Book</title><main>{body}</main>{'<p>.</p>' * 80}"


@contextmanager
def _website() -> Iterator[str]:
    pages = {name.removesuffix(".md"): _html(text) for name, text in BOOK.items()}
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Pages, pages))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/docs"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("website")
    (folder / "book").mkdir()
    for name, text in BOOK.items():
        (folder / "book" / name).write_text(text)
    with _website() as address:
        with Library(load_settings(home=folder / "home")) as library:
            library.ingest(folder / "book", base_url=address)
        with streamlit_server(APP, {"LECTERN_HOME": str(folder / "home")}) as app:
            yield Site(address, app)


def _asked(visit: Visit, site: Site) -> Locator:
    person.open_app(visit.page, site.app)
    return person.ask(visit.page, "How long does sourdough need to rise?")


def _shows_the_passage(page: Page) -> None:
    expect(page.get_by_text(PASSAGE)).to_be_in_viewport()
    # Not by chance: the heading itself is far above.
    expect(page.locator("#how-long-does-sourdough-rise")).not_to_be_in_viewport()


def test_a_citation_goes_to_the_website_at_the_very_words(site: Site, visit: Visit) -> None:
    marker = person.citation(_asked(visit, site))
    parts = urlsplit(marker.get_attribute("href") or "")
    anchor, _, text = parts.fragment.partition(":~:text=")
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{site.address}/bread"
    assert anchor == "how-long-does-sourdough-rise"
    told = unquote(text)
    shown = BOOK["bread.md"].casefold()
    assert shown.count(told.casefold()) == 1
    assert told in PASSAGE
    opened = person.follow(marker)
    _shows_the_passage(opened)
    visit.page.goto("about:blank")
    visit.page.goto(parts.geturl())
    _shows_the_passage(visit.page)


def test_the_reader_stays_one_click_away(site: Site, visit: Visit) -> None:
    answer = _asked(visit, site)
    website = answer.get_by_role("link", name="Open on the book's website").first
    assert (website.get_attribute("href") or "").startswith(f"{site.address}/bread#")
    reader = person.follow(answer.get_by_role("link", name="Open in the reader").first)
    expect(reader.locator("#cited")).to_be_in_viewport()
    assert person.letters(reader.locator("#cited").inner_text()) in person.letters(PASSAGE)
    assert urlsplit(reader.url).netloc == urlsplit(site.app).netloc
