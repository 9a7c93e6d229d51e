"""Where a page's links lead."""

import pytest

from rag.domain.book import Page
from rag.reading import follow
from rag.search.store import PageEntry
from tests.rag.reading.samples import make_page


def entry(source_file: str, chapter_id: str, route: str) -> PageEntry:
    return PageEntry(
        source_file=source_file, chapter_id=chapter_id, module="", title="T", route=route
    )


PAGES = (
    entry("intro.md", "intro", "/"),
    entry("part/index.md", "part/index", "/part/"),
    entry("part/02-page.md", "part/page", "/part/page"),
    entry("part/03-next.mdx", "part/next", "/part/next"),
    entry("10-other/a b.md", "other/a b", "/other/a b"),
    entry("10-other/named.md", "other/named", "/custom/slug"),
)


def lead(target: str, page: Page | None = None) -> str:
    return follow(PAGES, page or make_page("x"))(target)


@pytest.mark.parametrize(
    ("target", "address"),
    [
        ("#a-b", "/reader?page=part/page&section=a-b"),
        ("#", "/reader?page=part/page"),
        ("./03-next.mdx#a", "/reader?page=part/next&section=a"),
        ("03-next.md", "/reader?page=part/next"),
        ("./next", "/reader?page=part/next"),
        ("next/", "/reader?page=part/next"),
        ("next?x=1#caf%C3%A9", "/reader?page=part/next&section=caf%C3%A9"),
        ("../10-other/a%20b.md", "/reader?page=other/a%20b"),
        ("../other/a b", "/reader?page=other/a%20b"),
        ("../part/", "/reader?page=part/index"),
        ("./", "/reader?page=part/index"),
        ("index.md", "/reader?page=part/index"),
        ("../intro.md", "/reader?page=intro"),
        ("/part/next#a", "/reader?page=part/next&section=a"),
        ("/docs/part/next#a", "/reader?page=part/next&section=a"),
        ("/site/docs/custom/slug/", "/reader?page=other/named"),
        ("/part/03-next.mdx", "/reader?page=part/next"),
        ("/docs/", "/reader?page=intro"),
        ("../custom/slug", "/reader?page=other/named"),
    ],
)
def test_links_within_the_book_lead_into_the_reader(target: str, address: str) -> None:
    assert lead(target) == address


def test_links_are_relative_to_their_page() -> None:
    index = make_page("x", source_file="part/index.md", chapter_id="part/index", route="/part/")
    assert lead("page", index) == "/reader?page=part/page"
    assert lead("#x", index) == "/reader?page=part/index&section=x"


@pytest.mark.parametrize("target", ["https://a.example/b?c=d&e#f", "http://a.example", "HTTPS://A"])
def test_the_web_stays_as_it_is(target: str) -> None:
    assert lead(target) == target


@pytest.mark.parametrize(
    "target",
    [
        *("javascript:alert(1)", "JavaScript:x", "data:text/html,x", "mailto:a@b.example"),
        *("file:///etc/passwd", "//host/x", "/\\host", "\\\\host", "vbscript:x", "ftp://x"),
        *("https://a b", 'https://a"b', "https://a'b", "https://a<b", "https://a\nb", "https://"),
        *("https://a\x01b", "//part/next", "../../../etc/passwd", "nowhere.md", "/blog/intro", " "),
        "java\tscript:x",
    ],
)
def test_everything_else_leads_nowhere(target: str) -> None:
    assert lead(target) == ""
