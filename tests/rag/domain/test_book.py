"""Rules of a chunk and its place in the book."""

import pytest
from pydantic import ValidationError

from rag.domain.book import Page, reader_address
from tests.builders import make_chunk


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_chunk_text_cannot_be_empty(text: str) -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        make_chunk(text=text)


def test_chunk_id_cannot_be_empty() -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        make_chunk(chunk_id="")


@pytest.mark.parametrize("name", ["page_title", "chapter_id", "content_hash", "source_file"])
def test_a_chunk_knows_its_place(name: str) -> None:
    with pytest.raises(ValidationError, match="must not be empty"):
        make_chunk(1, **{name: " "})


@pytest.mark.parametrize("count", [0, -1])
def test_chunk_token_count_must_be_positive(count: int) -> None:
    with pytest.raises(ValidationError, match="greater than 0"):
        make_chunk(token_count=count)


def test_chunk_position_is_not_negative() -> None:
    assert make_chunk(position=0).position == 0
    with pytest.raises(ValidationError):
        make_chunk(position=-1)


def test_page_number_is_optional_and_starts_at_1() -> None:
    assert make_chunk().page_number is None
    assert make_chunk(page_number=42).page_number == 42
    with pytest.raises(ValidationError):
        make_chunk(page_number=0)


@pytest.mark.parametrize(
    "url",
    [
        "https://book.example/docs/intro",
        "http://localhost:3000/docs/intro#setup",
        "https://book.example/docs/größe?tab=a#b",
        "/reader?page=intro&section=setup",
    ],
)
def test_chunk_url_is_http_or_the_reader(url: str) -> None:
    assert make_chunk(url=url).url == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "intro",
        "/docs/intro",
        "ftp://book.example/intro",
        "javascript:alert(1)",
        "https://",
        "https:///docs",
        "https://book.example/two words",
        "https://book.example/a\nb",
        'https://book.example/"onclick="x',
        "https://book.example/<script>",
        "/reader?page=two words",
        "x https://book.example/",
    ],
)
def test_chunk_url_must_be_valid(url: str) -> None:
    with pytest.raises(ValidationError, match="http"):
        make_chunk(url=url)


def test_a_book_without_a_website_is_cited_in_the_reader() -> None:
    address = reader_address("module 1/ch (1)", "größe")
    assert address == "/reader?page=module%201/ch%20%281%29&section=gr%C3%B6%C3%9Fe"
    assert make_chunk(url=address).url == address
    assert reader_address("intro", "") == "/reader?page=intro"


def test_the_heading_is_the_innermost_one_or_the_page_title() -> None:
    assert make_chunk(heading_path=("ROS 2 Basics", "Nodes")).heading == "Nodes"
    assert make_chunk(heading_path=()).heading == "ROS 2 Basics"


def test_a_place_reads_module_page_headings() -> None:
    assert make_chunk().place == "Module 1 Ros2 › ROS 2 Basics › What is ROS 2?"
    assert make_chunk(module="", heading_path=()).place == "ROS 2 Basics"


def test_search_text_is_headings_and_text() -> None:
    chunk = make_chunk(text="Nodes talk.", heading_path=("ROS 2 Basics", "Nodes"))
    assert chunk.search_text == "ROS 2 Basics › Nodes\n\nNodes talk."


def test_a_page_has_a_title_and_may_be_empty() -> None:
    page = Page(
        source_file="a.md", chapter_id="a", module="", title="A", route="a", text="", position=0
    )
    assert (page.text, page.reading) == ("", "")
    with pytest.raises(ValidationError, match="must not be empty"):
        Page(source_file="a.md", chapter_id="a", module="", title="", route="", text="", position=0)
