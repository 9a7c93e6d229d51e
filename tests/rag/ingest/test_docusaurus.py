"""A folder of Markdown becomes a book, and says what it left out."""

from pathlib import Path

import pytest

from rag.domain.errors import BookError
from rag.ingest.docusaurus import Book, read_book


def write(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


def files(book: Book) -> list[str]:
    return [page.source_file for page in book.pages]


def test_place_of_a_page(tmp_path: Path) -> None:
    book = read_book(
        write(
            tmp_path,
            {
                "module-1-ros2/_category_.json": '{"label": "Module 1: ROS 2", "position": 2}',
                "module-1-ros2/01-what-is-ros-2.md": "# What is ROS 2?\n\nWords.",
            },
        )
    )
    [page] = book.pages
    assert page.chapter_id == "module-1-ros2/what-is-ros-2"
    assert page.route == "/module-1-ros2/what-is-ros-2"
    assert (page.module, page.title) == ("Module 1: ROS 2", "What is ROS 2?")
    assert (page.source_file, page.position) == ("module-1-ros2/01-what-is-ros-2.md", 0)
    assert page.text == "# What is ROS 2?\n\nWords."


def test_front_matter_decides_id_slug_and_title(tmp_path: Path) -> None:
    head = "---\nid: given\nslug: /nice\ntitle: 'Front: title'\n---\n"
    [page] = read_book(write(tmp_path, {"a/1-b.md": head + "# H1"})).pages
    assert (page.chapter_id, page.route, page.title) == ("a/given", "/nice", "Front: title")


def test_titles_fall_back_to_the_names(tmp_path: Path) -> None:
    pages = read_book(write(tmp_path, {"02-my_first-page.md": "x", "01-a-b/index.md": "y"})).pages
    assert [page.title for page in pages] == ["A b", "My first page"]
    assert [page.module for page in pages] == ["A b", ""]


def test_pages_stand_in_reading_order(tmp_path: Path) -> None:
    book = write(
        tmp_path,
        {
            "z-last.md": "x",
            "intro.md": "---\nsidebar_position: 1\n---\nx",
            "beta/_category_.yml": "position: 2\nlabel: B",
            "beta/10-ten.md": "x",
            "beta/9-nine.md": "x",
            "beta/first.md": "---\nsidebar_position: 0.5\n---\nx",
            "beta/index.md": "x",
            "alpha/index.md": "---\nsidebar_position: 3\ntitle: Of the index\n---\nx",
            "alpha/sub/b.md": "x",
            "alpha/sub/a.md": "x",
            "04-gamma/a.md": "x",
        },
    )
    assert files(read_book(book)) == [
        "intro.md",
        *("beta/index.md", "beta/first.md", "beta/9-nine.md", "beta/10-ten.md"),
        *("alpha/index.md", "alpha/sub/a.md", "alpha/sub/b.md"),
        *("04-gamma/a.md", "z-last.md"),
    ]


def test_module_is_the_top_folders_label(tmp_path: Path) -> None:
    book = write(
        tmp_path,
        {
            "a/_category_.json": '{"label": "By category"}',
            "a/deep/x.md": "x",
            "b/index.md": "# By index",
            "b/x.md": "x",
            "c-d/x.md": "x",
        },
    )
    modules = {page.source_file: page.module for page in read_book(book).pages}
    assert modules["a/deep/x.md"] == "By category"
    assert modules["b/x.md"] == "By index"
    assert modules["c-d/x.md"] == "C d"


def test_what_is_skipped_is_named_with_its_reason(tmp_path: Path) -> None:
    book = read_book(
        write(
            tmp_path,
            {
                "good.md": "# Good",
                "latin.md": "# Füße".encode("latin-1"),
                "empty.md": " \n\n",
                "head-only.md": "---\ntitle: x\n---\n",
                "_partial.mdx": "part",
                "_parts/x.md": "part",
                "draft.md": "---\ndraft: true\n---\nx",
                "notes.txt": "no page",
            },
        )
    )
    assert files(book) == ["good.md"]
    reasons = {skipped.file: skipped.reason for skipped in book.skipped}
    assert reasons == {
        "latin.md": "It is not UTF-8 text; save it as UTF-8.",
        "empty.md": "It is empty.",
        "head-only.md": "It is empty.",
        "_partial.mdx": "Its name begins with _, which makes it part of other pages.",
        "_parts/x.md": "Its name begins with _, which makes it part of other pages.",
        "draft.md": "It is marked as a draft.",
    }


def test_front_matter_that_is_not_yaml_is_a_problem_not_a_loss(tmp_path: Path) -> None:
    book = read_book(write(tmp_path, {"a.md": "---\ntitle: Module 4: See\n---\nWords."}))
    assert (book.pages[0].title, book.pages[0].text) == ("Module 4: See", "Words.")
    assert [problem.file for problem in book.problems] == ["a.md"]


def test_a_broken_category_file_is_a_problem_not_a_loss(tmp_path: Path) -> None:
    book = read_book(write(tmp_path, {"a/_category_.json": "{oops", "a/b.md": "x"}))
    assert book.pages[0].module == "A"
    assert [problem.file for problem in book.problems] == ["a/_category_.json"]


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "a", "outside/secret.md": "s", "outside.md": "s"})
    (tmp_path / "docs/link.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "docs/folder").symlink_to(tmp_path / "outside")
    (tmp_path / "docs/loop").symlink_to(tmp_path / "docs")
    (tmp_path / "docs/gone.md").symlink_to(tmp_path / "docs/nowhere.md")
    book = read_book(tmp_path / "docs")
    assert files(book) == ["a.md"]
    reasons = {skipped.file: skipped.reason for skipped in book.skipped}
    assert "out of the book's folder" in reasons["link.md"]
    assert "cannot be read" in reasons["gone.md"]


def test_build_folders_and_hidden_ones_are_no_content(tmp_path: Path) -> None:
    book = write(
        tmp_path, {"a.md": "a", "node_modules/x/README.md": "x", ".git/x.md": "x", ".x.md": "x"}
    )
    assert files(read_book(book)) == ["a.md"]


def test_a_whole_site_is_read_from_its_docs(tmp_path: Path) -> None:
    site = write(
        tmp_path,
        {
            "docusaurus.config.js": "const config = {\n  title: 'My Robots',\n};",
            "docs/a.md": "a",
            "README.md": "not a page",
        },
    )
    book = read_book(site)
    assert (book.title, files(book)) == ("My Robots", ["a.md"])
    assert read_book(site / "docs").title == "My Robots"


def test_the_books_title_without_a_site(tmp_path: Path) -> None:
    write(tmp_path, {"my-book/docs/m/a.md": "# A"})
    assert read_book(tmp_path / "my-book/docs").title == "My book"
    write(tmp_path, {"my-book/docs/intro.md": "# Robots"})
    assert read_book(tmp_path / "my-book/docs").title == "Robots"


def test_no_two_pages_share_a_chapter_id(tmp_path: Path) -> None:
    book = read_book(write(tmp_path, {"01-a.md": "x", "02-a.md": "y", "a.md": "z", "a.mdx": "w"}))
    assert len({page.chapter_id for page in book.pages}) == 4


def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(BookError, match=r"There is no folder .*nowhere; check the path\."):
        read_book(tmp_path / "nowhere")


def test_a_file_instead_of_a_folder(tmp_path: Path) -> None:
    file = write(tmp_path, {"a.md": "a"}) / "a.md"
    with pytest.raises(BookError, match=r"a\.md is a file; point me at the folder"):
        read_book(file)


def test_a_folder_without_markdown(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "a"})
    with pytest.raises(
        BookError, match=r"There is no Markdown \(\.md or \.mdx\) in .*; point me at a Docusaurus"
    ):
        read_book(tmp_path)


def test_a_folder_of_which_nothing_can_be_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.md": "", "b.md": b"\xff"})
    with pytest.raises(BookError, match=r"No page of .* The first of 2: a\.md\. It is empty\."):
        read_book(tmp_path)
