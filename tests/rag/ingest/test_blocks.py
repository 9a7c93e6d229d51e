"""Cleaned Markdown becomes blocks; headings get Docusaurus' anchors."""

import pytest

from rag.ingest.clean import clean_markdown
from rag.ingest.inline import plain_text
from rag.ingest.markdown import Block, read_blocks


def blocks(markdown: str) -> tuple[Block, ...]:
    return read_blocks(clean_markdown(markdown))


def kinds(markdown: str) -> list[str]:
    return [block.kind for block in blocks(markdown)]


def anchors(markdown: str) -> list[str]:
    return [block.anchor for block in blocks(markdown) if block.kind == "heading"]


def test_a_page_of_every_kind() -> None:
    page = (
        "# T\nwords\n- item\n  - nested\n\n  more\n\n```py\nx\n```\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n"
        "$$\nx\n$$\n> quote\nlazy\n\n**Label**\n\n1) one\n2) two\n***\nend"
    )
    assert kinds(page) == [
        *("heading", "paragraph", "list", "code", "table", "math", "quote"),
        *("label", "list", "paragraph"),
    ]


def test_h1_counts_among_duplicates_but_has_no_anchor() -> None:
    assert anchors("# Setup\n\n## Setup\n\n### Setup\n\n# Setup") == ["", "setup-1", "setup-2", ""]


def test_explicit_ids_are_taken_as_they_are_and_count_for_nothing() -> None:
    page = "## A {#b}\n\n## B\n\n## B\n\n## C {/* #Ü_c */}"
    assert anchors(page) == ["b", "b", "b-1", "Ü_c"]


@pytest.mark.parametrize(
    ("heading", "title", "anchor"),
    [
        ("Using `rclpy.spin()`", "Using rclpy.spin()", "using-rclpyspin"),
        ("**`ROS_DOMAIN_ID`** and *x*", "ROS_DOMAIN_ID and x", "ros_domain_id-and-x"),
        ("See [the docs](http://x.y)", "See the docs", "see-the-docs"),
        ("A <b>bold</b> move", "A bold move", "a-bold-move"),
        ("![logo](l.png) Start", "logo Start", "logo-start"),
        ("Q&amp;A", "Q&A", "qa"),
        (r"snake\_case\*", "snake_case*", "snake_case"),
        ("my_var_name and __init__", "my_var_name and init", "my_var_name-and-init"),
        ("2 * 3 * 4", "2 * 3 * 4", "2--3--4"),
        ("~~old~~ new ##", "old new", "old-new"),
        ("Zero\u200bwidth 🚀", "Zerowidth 🚀", "zerowidth-"),
        ("`a*b` and `c*d`", "a*b and c*d", "ab-and-cd"),
        ("`Vector<int>`", "Vector<int>", "vectorint"),
        ("C#", "C#", "c"),
        ("The angle $\\theta_1$", "The angle $\\theta_1$", "the-angle-theta_1"),
    ],
)
def test_heading_titles_and_anchors(heading: str, title: str, anchor: str) -> None:
    [block] = blocks(f"## {heading}")
    assert (block.title, block.anchor, block.level) == (title, anchor, 2)


def test_headings_inside_boxes_tabs_quotes_and_lists_take_anchors_too() -> None:
    page = (
        ":::note\n## A\n:::\n\n<Tabs>\n<TabItem value='x'>\n\n## A\n\n</TabItem>\n</Tabs>\n\n"
        "> ## A\n\n- b\n\n  ## A\n\n## A"
    )
    assert anchors(page) == ["a", "a-1", "a-4"]


def test_hash_signs_in_code_are_no_headings() -> None:
    page = (
        "```sh\n# a\n```\n\n~~~\n# b\n~~~\n\n    # c\n\n````\n```\n# d\n```\n````\n\n#no\n\n# yes"
    )
    assert [block.text for block in blocks(page) if block.kind == "heading"] == ["# yes"]


def test_setext_headings() -> None:
    found = blocks("Title\n=====\n\nSub `x`\n---\n\ntext\n\n---\n\n- a\n---")
    assert [(b.kind, b.level, b.title) for b in found[:2]] == [
        ("heading", 1, "Title"),
        ("heading", 2, "Sub x"),
    ]
    assert [b.kind for b in found[2:]] == ["paragraph", "list"]


def test_nested_lists_and_their_code_are_one_block() -> None:
    page = "1. a\n   - b\n\n     ```sh\n     # c\n     ```\n\n   d\n2. e\n\nafter"
    first, second = blocks(page)
    assert (first.kind, second.text) == ("list", "after")
    assert "# c" in first.text


def test_code_indented_without_a_list_is_moved_back() -> None:
    assert blocks("  ```py\n  if x:\n      y\n  ```")[0].text == "```py\nif x:\n    y\n```"


def test_a_heading_without_words_is_no_block_but_counts() -> None:
    assert [b.anchor for b in blocks("##\n\n## a")] == ["a"]


def test_plain_text_reads_like_the_page() -> None:
    assert plain_text("**a** _b_ `c_d` e\\*f &lt;") == "a b c_d e*f <"
