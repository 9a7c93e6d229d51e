"""A page for a reader: the words of the page's text, and the structure that the text flattens."""

import html
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.ingest.clean import clean_for_reading, clean_markdown
from rag.ingest.docusaurus import read_book
from rag.ingest.fences import fence_at

ROOT = Path(__file__).parents[3]
BOOKS = (ROOT / "textbook/docs", *sorted((ROOT.parent / "shared/books").glob("*/docs")))
BOX = re.compile(r"[ \t>]*(?:(?:[-*+]|\d+[.)])[ \t]+)?:::(?P<kind>[\w-]*)(?: (?P<title>.*))?")
TARGET = re.compile(r"\]\((?:<[^<>]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)")
SILENT = {"details", "tabs", "tab"}


def lines_outside_code(markdown: str) -> list[str]:
    """The lines where a line of colons is a box: all but code and formulas."""
    lines, kept, at = markdown.split("\n"), list[str](), 0
    while at < len(lines):
        fence = fence_at(lines, at)
        if fence is None and lines[at].strip() == "$$":
            closing = (
                n for n, line in enumerate(lines[at + 1 :], 1) if line.rstrip().endswith("$$")
            )
            at += next(closing, 0) + 1
            continue
        if fence is None:
            kept.append(lines[at])
        at += fence.taken if fence else 1
    return kept


def boxes(markdown: str) -> list[str]:
    """The lines of boxes, each without what stands before it."""
    found = filter(None, map(BOX.fullmatch, lines_outside_code(markdown)))
    return [match[0].lstrip(" \t>-") for match in found]


def is_balanced(markdown: str) -> bool:
    depth = 0
    for line in boxes(markdown):
        depth += -1 if line == ":::" else 1
        if depth < 0:
            return False
    return depth == 0


def words(markdown: str) -> list[str]:
    """The words a reader sees, box lines as labels, wherever links lead."""
    lines = []
    for line in markdown.split("\n"):
        match = BOX.fullmatch(line)
        said = (
            [match["kind"] if match["kind"] not in SILENT else "", match["title"]] if match else []
        )
        lines.append(" ".join(filter(None, said)) if match else line)
    text = re.sub(r"\[\^[^\]\s]+\]", "", TARGET.sub("", "\n".join(lines)))
    text = re.sub(r"[\\\[\]!]", "", text)
    return re.findall(r"[^\W_]+", html.unescape(text).lower())


@pytest.mark.parametrize("folder", BOOKS, ids=lambda folder: folder.parent.name)
def test_a_books_pages_read_as_their_text_does(folder: Path) -> None:
    book = read_book(folder)
    for page in book.pages:
        assert words(page.reading) == words(page.text), page.source_file
        assert is_balanced(page.reading), page.source_file


def test_the_bundled_book_keeps_its_boxes() -> None:
    kinds = {line.split()[0] for page in read_book(BOOKS[0]).pages for line in boxes(page.reading)}
    assert {":::", ":::note", ":::tip"} <= kinds


def read(markdown: str) -> list[str]:
    """The lines of a page for a reader, without the blank ones between them."""
    return [line for line in clean_for_reading(markdown).split("\n") if line.strip(" >")]


def test_an_admonition_keeps_its_kind_and_its_title() -> None:
    page = ":::Warning Mind the `gap` <b>in</b> [a](b)\nx\n:::\nafter"
    assert clean_for_reading(page) == (":::warning Mind the `gap` in [a](b)\n\nx\n\n:::\n\nafter")


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (":::note", ":::note"),
        (":::my-own kind", ":::my-own kind"),
        (":::tip[In *brackets*]{.c}", ":::tip In *brackets*"),
        (':::info{title="In braces"}', ":::info In braces"),
        (":::note <div>over</div> lines", ":::note over lines"),
        (":::::danger", ":::danger"),
    ],
)
def test_a_box_opens_with_three_colons_however_it_was_written(line: str, shown: str) -> None:
    assert read(f"{line}\nx\n::::::") == [shown, "x", ":::"]


def test_boxes_inside_boxes_close_by_their_number_of_colons() -> None:
    nested = "::::tip\n:::note\na\n:::\nb\n::::\nc"
    assert read(nested) == [":::tip", ":::note", "a", ":::", "b", ":::", "c"]
    forgotten = "::::tip\n:::note\na\n::::\nc"
    assert read(forgotten) == [":::tip", ":::note", "a", ":::", ":::", "c"]
    alike = ":::tip\n:::note\na\n:::\nb\n:::\nc"
    assert read(alike) == [":::tip", ":::note", "a", ":::", "b", ":::", "c"]


def test_a_box_never_closed_is_closed_and_a_closing_line_too_many_is_dropped() -> None:
    assert read(":::note\na\n\n:::tip\nb") == [":::note", "a", ":::tip", "b", ":::", ":::"]
    assert clean_for_reading("a\n:::\nb\n</details>\n</Tabs>") == "a\n\nb"
    assert read("::::note\na\n:::\nb\n::::\nc") == [":::note", "a", "b", ":::", "c"]


def test_details_are_a_box_headed_by_their_summary() -> None:
    page = "<details>\n<summary>Why `x` &amp; [y](z)?</summary>\n\nBecause.\n\n</details>\nafter"
    assert clean_for_reading(page) == (
        ":::details Why `x` &amp; [y](z)?\n\nBecause.\n\n:::\n\nafter"
    )
    assert read("<details><summary>S</summary>b</details> c") == [":::details S", "b", ":::", " c"]
    assert read("<details>\nb\n</details>") == [":::details", "b", ":::"]
    assert read("<details>\n<summary>b\n\nc") == [":::details", "b", "c", ":::"]


def test_tabs_are_a_box_of_boxes_with_their_labels() -> None:
    page = (
        '<Tabs groupId="os">\n  <TabItem value="l" label="On *Linux*">\n\n    one\n\n  </TabItem>\n'
        '  <TabItem value="mac">two</TabItem>\n</Tabs>\nafter'
    )
    assert clean_for_reading(page) == (
        ":::tabs\n\n:::tab On \\*Linux\\*\n\none\n\n:::\n\n:::tab mac\n\ntwo\n\n:::\n\n:::\n\nafter"
    )


def test_an_element_closes_what_was_left_open_inside_it_and_is_not_closed_from_inside() -> None:
    page = (
        ":::tip\n<Tabs>\n<TabItem label='A'>\n:::note\na\n</TabItem>\n<TabItem label='B'>\n"
        ":::\nb\n</Tabs>\nc\n:::\nd"
    )
    assert read(page) == [
        *(":::tip", ":::tabs", ":::tab A", ":::note", "a", ":::", ":::"),
        *(":::tab B", "b", ":::", ":::", "c", ":::", "d"),
    ]


def test_boxes_stay_in_their_list_item_and_in_their_quote() -> None:
    steps = (
        "1. step\n\n   <Tabs>\n     <TabItem label='A'>\n\n       ```sh\n       ls\n       ```\n\n"
        "     </TabItem>\n   </Tabs>\n   :::tip T\n   x\n   :::\n2. next"
    )
    assert read(steps) == [
        *("1. step", "   :::tabs", "   :::tab A", "   ```sh", "   ls", "   ```", "   :::"),
        *("   :::", "   :::tip T", "   x", "   :::", "2. next"),
    ]
    quote = "> a\n> :::note T\n> b\n> :::\n> <details>\n> <summary>S</summary>\n> c\n> </details>"
    assert clean_for_reading(quote).split("\n") == [
        *("> a", ">", "> :::note T", ">", "> b", ">", "> :::", ">"),
        *("> :::details S", ">", "> c", ">", "> :::", ">"),
    ]


def test_a_box_that_begins_a_list_item_stands_beside_the_bullet() -> None:
    """A blank line behind a bullet would end the item."""
    page = "- <details><summary>S</summary>\n\n  a\n\n  </details>\n- :::note\n  b\n  :::\n- c"
    assert clean_for_reading(page) == (
        "- :::details S\n\n  a\n\n  :::\n\n- :::note\n\n  b\n\n  :::\n\n- c"
    )


def test_outside_lists_an_indented_box_is_no_code() -> None:
    assert clean_for_reading("a\n    :::note\n    b\n    :::") == "a\n\n:::note\n\nb\n\n:::"
    assert clean_for_reading("a\n      <div>b</div>") == "a\n\nb"


def test_colons_in_code_and_formulas_are_no_boxes() -> None:
    page = "```md\n:::note\n:::\n```\n\n$$\n:::\n$$\n\n- a\n  ~~~\n  :::tip\n  ~~~"
    assert clean_for_reading(page) == page


@pytest.mark.parametrize(
    "prose",
    ["::: {.callout}", "- :::", "> - ::: 1", "<b>:::note</b>", "<b></b>~~~", "<i></i>```sh"],
)
def test_words_are_never_taken_for_a_box_or_for_code(prose: str) -> None:
    shown = clean_for_reading(prose)
    assert boxes(shown) == []
    assert len(lines_outside_code(shown)) == 1
    assert shown.replace("\\", "") == clean_markdown(prose)


def test_a_box_cannot_be_in_a_tables_row() -> None:
    page = "| a |\n|---|\n| <details><summary>S</summary>x</details> |"
    assert clean_for_reading(page) == clean_markdown(page)


def test_links_and_images_keep_where_they_lead() -> None:
    page = (
        'See [the *`x`* docs](./a_(b).md "Title"), ![a graph](<g h.png>), '
        "[![badge](b.svg)](http://c), [d][ref], [e][], [ref] and [^1] or a[0](1].\n\n"
        "[ref]: http://g\n[e]: <h> 'i'\n[ref]: http://second"
    )
    assert clean_for_reading(page) == (
        "See [the *`x`* docs](./a_(b).md), ![a graph](<g h.png>), "
        "[![badge](b.svg)](http://c), [d](http://g), [e](h), [ref](http://g) and [^1] or a[0](1]."
    )


def test_addresses_in_angle_brackets_become_links() -> None:
    assert clean_for_reading("<https://f.org/_a_(b> and <me@f.org>") == (
        r"[https://f.org/\_a\_(b](<https://f.org/_a_(b>) and [me@f.org](mailto:me@f.org)"
    )


def test_links_and_images_of_html_become_markdown() -> None:
    page = (
        "<a href='x y'>go <b>there</b></a>, <a id='z'>here</a>, <Link to=\"/l\"><Icon/> on</Link>, "
        "<img src='p.png' alt='An [i]'/>, <img src={require('./a.png')} alt='B'/>"
    )
    assert clean_for_reading(page) == (r"[go there](<x y>), here, [on](/l), ![An \[i\]](p.png), B")


def test_a_link_inside_a_link_leaves_its_words_and_a_link_without_words_nothing() -> None:
    assert clean_for_reading("[a [b](c) <d@e.f>](g)[](h)") == "[a b d@e.f](g)"


def test_a_target_cannot_break_out() -> None:
    page = "| [a][b] | c |\n|---|---|\n\n[d](<e) [b]\n\n[b]: x|y)<z>"
    assert clean_for_reading(page) == (
        "| [a](<x%7Cy)%3Cz%3E>) | c |\n|---|---|\n\n[d](%3Ce) [b](<x%7Cy)%3Cz%3E>)"
    )


def test_what_has_neither_box_nor_link_reads_as_its_text() -> None:
    page = (
        "## A {/* #y */}\n\nki\u00adne <Term>ma</Term><!-- c -->\n\nimport A from 'a';\n\n"
        "    code\n\n```py title='t.py'\nx\n```\n\n- a\n\n  b\n\n$$\nx<y>\n$$\n\n<pre># c</pre>"
    )
    assert clean_for_reading(page) == clean_markdown(page)


@pytest.mark.parametrize(
    "piece",
    ["[", "`", "<a ", "![`", "$", "<X {", "<a href='b'>", "<details>", ":::a\n", "- ", "- :", "> "],
)
def test_stray_marks_in_great_number_are_survived(piece: str) -> None:
    assert is_balanced(clean_for_reading(piece * 600))


PIECES = st.sampled_from(
    [
        *(":::note", ":::tip Foo bar", "::::warning[La [b](c)]{.x}", ":::", "::::", "word"),
        *("<details>", "<summary>Sum `c`</summary>", "</details>", "<Tabs>", "</Tabs>"),
        *("<TabItem value='v' label='Lab el'>", "</TabItem>", "- item", "1. one", "> quoted"),
        *("```py\n:::\n```", "$$\n:::\n$$", "[a](b)", "[a b][r]", "[r]: http://q", "![i](j)"),
        *("<https://z.org/a_b_>", "<a href='k'>an</a>", "<img src='s' alt='al_t_ x'/>", "<br/>"),
        *("<div>", "</div>", "<Card title='Ct'>", "</Card>", "<h2>H</h2>", "## Head {#id}"),
        *("<!-- c -->", "{/* c */}", "import A from 'a';", "`co<b>de`", "*em*", "a &amp; b"),
        *("- :::note It", "- <details><summary>S</summary>", "[<Icon/> w](v)", "| r | s |\n|-|-|"),
    ]
)
BREAKS = st.sampled_from(["\n", "\n\n", "\n  ", "\n    ", "\n> ", " "])


@settings(max_examples=200)
@given(parts=st.lists(st.tuples(BREAKS, PIECES), max_size=9))
def test_of_any_page_the_words_are_those_of_its_text_and_the_boxes_are_balanced(
    parts: list[tuple[str, str]],
) -> None:
    page = "".join(part for pair in parts for part in pair)
    shown = clean_for_reading(page)
    # Where a tag leaves no space in the text, a box or a link may leave one.
    assert "".join(words(shown)) == "".join(words(clean_markdown(page)))
    assert is_balanced(shown)


@settings(max_examples=150)
@given(text=st.text("ab #*_-`~$<>[](){}|:\n\t\\!/.'\"1=", max_size=120))
def test_any_text_at_all_is_read_without_failing(text: str) -> None:
    assert isinstance(clean_for_reading(text), str)
