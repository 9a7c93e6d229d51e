"""Every word of a book is in its chunks, and its chunks hold nothing else.

The page is read here a second time, by means as crude as they are independent of rag.ingest.
"""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.domain.book import Chunk, Page
from rag.ingest.chunking import chunk_book, chunk_page
from rag.ingest.clean import clean_markdown
from rag.ingest.docusaurus import read_book

ROOT = Path(__file__).parents[3]
BOOKS = {
    "bundled": ROOT / "textbook/docs",
    "ai-book": ROOT.parent / "shared/books/ai-book/docs",
}
FENCE = re.compile(r"^[ >]*(?:[-*+] |\d+\. )?(`{3,}|~{3,})(.*)$")


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


def spoken(tag: re.Match[str]) -> str:
    """What a tag says by its label or title."""
    said = re.findall(r'\b(?:label|title|alt)="([^"]*)"', tag[0])
    return " " + " ".join(said) + " "


def without_markup(prose: str) -> str:
    """Prose without comments, targets and tags, its code spans untouched."""
    parts = re.split(r"(`[^`\n]+`)", re.sub(r"<!--.*?-->", "", prose, flags=re.S))
    for at in range(0, len(parts), 2):
        part = re.sub(r"</?[A-Za-z][^<>]*>", spoken, parts[at])
        parts[at] = re.sub(r"\{#[^}]*\}", "", part)
    return re.sub(r"\]\([^()\s]*\)", "]", "".join(parts))


def crude_words(raw: str) -> list[str]:
    """The words of a file in order, read line by line."""
    body = re.sub(r"\A---\n.*?\n---\n", "", raw.replace("\ufeff", "").replace("\r", ""), flags=re.S)
    body = re.sub(r"\n<TestSection questions=\{\[.*?\n\]\}\s*/>", "\n", body, flags=re.S)
    fence, found, prose = "", list[str](), list[str]()
    for line in body.split("\n"):
        mark = FENCE.match(line)
        if not fence and mark:
            found += words(without_markup("\n".join(prose)))
            prose = []
            title = re.search(r'title="([^"]*)"', mark[2])
            found += words(title[1] if title else "") + words((mark[2].split() or [""])[0])
            fence = mark[1]
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif fence:
            found += words(line)
        elif not re.match(r"import .* from '|export ", line):
            prose.append(line)
    return found + words(without_markup("\n".join(prose)))


def told(chunks: list[Chunk]) -> list[str]:
    """The words of chunks in order, each under its headings."""
    return [w for chunk in chunks for w in words(" ".join((*chunk.heading_path, chunk.text)))]


def first_missing(wanted: list[str], given_words: list[str]) -> str:
    """The first word that does not follow in order, with those before it."""
    rest = iter(given_words)
    for at, word in enumerate(wanted):
        if not any(word == other for other in rest):
            return " ".join(wanted[max(0, at - 8) : at + 1])
    return ""


@pytest.fixture(scope="module", params=sorted(BOOKS))
def book(request: pytest.FixtureRequest) -> tuple[Path, dict[str, list[Chunk]]]:
    folder = BOOKS[request.param]
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    chunks: dict[str, list[Chunk]] = {}
    for page in read_book(folder).pages:
        chunks[page.source_file] = chunk_page(page)
    return folder, chunks


def test_every_word_of_the_book_is_in_its_chunks_in_order(
    book: tuple[Path, dict[str, list[Chunk]]],
) -> None:
    folder, chunks = book
    sources = sorted(f.relative_to(folder).as_posix() for f in folder.rglob("*.md*"))
    assert sorted(chunks) == sources
    for name in sources:
        wanted = crude_words((folder / name).read_text("utf-8"))
        assert first_missing(wanted, told(chunks[name])) == "", name


def test_every_line_of_every_chunk_is_in_the_book(
    book: tuple[Path, dict[str, list[Chunk]]],
) -> None:
    folder, chunks = book
    for name, of_page in chunks.items():
        page = " ".join(["", *crude_words((folder / name).read_text("utf-8")), ""])
        for chunk in of_page:
            for line in chunk.text.split("\n"):
                assert " ".join(["", *words(line), ""]).replace("  ", " ") in page, (name, line)


def test_the_books_chunks_are_small_and_told_apart(
    book: tuple[Path, dict[str, list[Chunk]]],
) -> None:
    chunks = [chunk for of_page in book[1].values() for chunk in of_page]
    assert max(chunk.token_count for chunk in chunks) <= 512
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    assert all(chunk.text.count("```") % 2 == 0 for chunk in chunks)
    for of_page in book[1].values():
        assert [chunk.position for chunk in of_page] == list(range(len(of_page)))


def test_reading_a_book_twice_gives_the_same_chunks(
    book: tuple[Path, dict[str, list[Chunk]]],
) -> None:
    again = chunk_book(read_book(book[0]).pages)
    assert again == [chunk for of_page in book[1].values() for chunk in of_page]


WORD = st.text("abcdefgxyz", min_size=1, max_size=9)
SENTENCE = st.lists(WORD, min_size=1, max_size=40).map(lambda ws: " ".join(ws) + ".")
PROSE = st.lists(SENTENCE, min_size=1, max_size=12).map(" ".join)
ITEMS = st.lists(SENTENCE, min_size=1, max_size=8)
PIECE = st.one_of(
    st.builds(
        lambda n, s: f"{'#' * n} {s}", st.integers(1, 6), st.lists(WORD, max_size=5).map(" ".join)
    ),
    PROSE,
    PROSE.map(lambda s: s + "\n\nWhich is:"),
    PROSE.map(lambda s: s * 20),
    ITEMS.map(lambda items: "\n".join(f"- {item}\n  - {item}" for item in items)),
    ITEMS.map(lambda items: "```py\n# " + "\n\n".join(items * 9) + "\n```"),
    ITEMS.map(lambda items: "- x\n\n  ~~~\n  " + "\n  ".join(items) + "\n  ~~~"),
    ITEMS.map(
        lambda items: "| a | b |\n|---|---|\n" + "\n".join(f"| {i} | x |" for i in items * 6)
    ),
    ITEMS.map(lambda items: "$$\n" + "\n".join(items) + "\n$$"),
    ITEMS.map(lambda items: "\n".join(f"> {item}" for item in items)),
    PROSE.map(lambda s: f":::note Mind\n{s}\n:::"),
    PROSE.map(lambda s: f"<Tabs>\n<TabItem label='Tab'>\n\n{s}\n\n</TabItem>\n</Tabs>"),
    WORD.map(lambda s: s + "\n==="),
)


def random_page(pieces: list[str]) -> Page:
    return Page(
        source_file="a.md",
        chapter_id="a",
        module="",
        title="Title",
        route="/a",
        text=clean_markdown("\n\n".join(pieces)),
        position=0,
    )


def simple_words(markdown: str) -> list[str]:
    """The words of a random page: only its tags and languages are not words."""
    text = re.sub(r"<TabItem label='(\w+)'>", r"\1", markdown)
    return words(re.sub(r"</?\w+>", "", text))


@settings(max_examples=60)
@given(pieces=st.lists(PIECE, min_size=1, max_size=14), limit=st.sampled_from([60, 200, 512]))
def test_of_any_page_nothing_is_lost_and_nothing_is_too_large(
    pieces: list[str], limit: int
) -> None:
    page = random_page(pieces)
    chunks = chunk_page(page, max_tokens=limit)
    assert first_missing(simple_words("\n\n".join(pieces)), told(chunks)) == ""
    known = set(simple_words("\n\n".join(pieces))) | {"title"}
    assert set(told(chunks)) <= known
    assert all(chunk.token_count <= limit for chunk in chunks)
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)
    assert chunks == chunk_page(page, max_tokens=limit)


@settings(max_examples=150)
@given(text=st.text("ab #*_-`~$<>[](){}|:\n\t\\!/.'\"1=", max_size=120))
def test_any_text_at_all_is_read_without_failing(text: str) -> None:
    page = random_page([text])
    for chunk in chunk_page(page):
        assert chunk.text.strip()
        assert chunk.token_count <= 512
    assert clean_markdown(page.text) is not None
