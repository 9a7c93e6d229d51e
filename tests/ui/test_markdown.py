"""What an answer may and may not do on the page; tests/browser proves the same in Chromium."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ui.rendered import rendered
from ui.markdown import Link, closed, literal, quiet, safe_markdown, unmarked

JOINER = "\u2060"


def test_plain_formatting_is_left_alone() -> None:
    text = "**Bold** and *italic*, `code`:\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    assert safe_markdown(text) == text


def test_markers_stand_small_until_it_is_known_where_they_lead() -> None:
    shown = r"It rises :small[:blue[\[1\]]]:small[:blue[\[12\]]]."
    assert safe_markdown("It rises [1][12].") == shown


@pytest.mark.parametrize(
    "text",
    [
        "![x](http://evil/?d=1)",
        "[x](https://evil.example)",
        "[x](data:text/html,hi)",
        "[x](//evil.example)",
        "[x][ref]\n\n[ref]: https://evil.example",
        "[^1]\n\n[^1]: note",
        "[![x](http://evil)](http://evil)",
        "&#33;&#91;x&#93;(//evil)",
        "\\![x\\](//evil) ![y](//evil)",
    ],
)
def test_no_bracket_can_open_a_link_or_an_image(text: str) -> None:
    shown = safe_markdown(text)
    bare = shown.replace(":small[:blue[", "")
    assert not re.search(r"(?<!\\)(?:\\\\)*\[", bare)
    assert rendered(shown)[1:] == ([], [])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://evil.example/a?b.", "see `https://evil.example/a?b`."),
        ("see https\\://evil.example", "see `https://evil.example`"),
        ("see https&#58;//evil.example", "see `https://evil.example`"),
        ("see www&period;evil.example", "see `www.evil.example`"),
        ("<https://evil.example>", "\\<`https://evil.example`>"),
        ("write to a@b.example", "write to `a@b.example`"),
        ("the www.", "the `www.`"),
        ("www.[1]", "`www.`:small[:blue[\\[1\\]]]"),
        ("write to a\\_b@c.example", "write to a\\_`b@c.example`"),
        ("\\https://evil.example", "\\\\`https://evil.example`"),
    ],
)
def test_addresses_are_text(text: str, shown: str) -> None:
    assert safe_markdown(text) == shown


@pytest.mark.parametrize("text", ["<img src=x>", "&lt;img src=x&gt;", "<script>", "<!-- x -->"])
def test_html_is_text(text: str) -> None:
    assert not re.search(r"(?<!\\)<", safe_markdown(text))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (":material/home:", f":{JOINER}material/home:"),
        (":tada: :+1:", f":{JOINER}tada: :{JOINER}+1:"),
        (":streamlit:", f":{JOINER}streamlit:"),
        (":red[hot]", r"\:red\[hot\]"),
        (":::note", r"\:\:\:note"),
        ("std::vector", r"std\:\:vector"),
        ("at 10:30:45", "at 10:30:45"),
        ("1:100:2", f"1:{JOINER}100:2"),
        ("10~20 and 30~40", r"10\~20 and 30\~40"),
        ("R&D &copy; &amp;lt;", "R&amp;D © &amp;lt;"),
    ],
)
def test_streamlits_own_signs_show_as_they_stand(text: str, shown: str) -> None:
    assert safe_markdown(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("$x^2$ and \\(a_b\\)", "$x^2$ and $a_b$"),
        ("so $n$, too", "so $n$, too"),
        ("$$E = mc^2$$", "$$\nE = mc^2\n$$"),
        ("\\[\na + b\n\\]", "$$\na + b\n$$"),
        ("- $$\n  a\n  $$", "$$\na\n$$"),
        ("here $$a$$ inline", "here $$a$$ inline"),
        ("\\(a\\)\\(b\\)", f"$a${JOINER}$b$"),
    ],
)
def test_mathematics_renders(text: str, shown: str) -> None:
    assert safe_markdown(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "costs $5 and $10",
        "US$5–$10 a month",
        "$5 (or five and 5$)",
        "$HOME/$USER and $PATH",
        "from $20/$30 up",
        "$$ never closed",
        "\\[ never closed",
        "$\\href{//evil}{x}$",
        "$$\\includegraphics{//evil}$$",
    ],
)
def test_other_dollars_are_dollars(text: str) -> None:
    assert not re.search(r"(?<!\\)\$", safe_markdown(text))


def test_code_keeps_what_is_in_it() -> None:
    code = "```python\nx[0] = '$5'  # ![a](http://evil) :red[x]\n```"
    assert safe_markdown(code) == code
    assert safe_markdown("run `a[0] $x <b>`") == "run `a[0] $x <b>`"


def test_code_is_moved_to_the_left_margin_where_no_list_can_end_it() -> None:
    text = "1. ```bash\n   ls\n![x](//evil)\n   ```\nafter [x](//evil)"
    shown = "1.\n```bash\nls\n![x](//evil)\n```\nafter \\[x\\](//evil)"
    assert safe_markdown(text) == shown


def test_a_quoted_code_block_ends_with_its_quote() -> None:
    assert safe_markdown("> ```\n> a\n[x](//evil)") == "```text\na\n```\n\\[x\\](//evil)"


def test_a_fence_is_longer_than_any_in_it() -> None:
    assert safe_markdown("~~~\n```\n[x](//evil)\n~~~") == "````text\n```\n[x](//evil)\n````"


def test_an_open_fence_is_closed_while_the_answer_streams() -> None:
    assert safe_markdown("```py\nx = 1") == "```py\nx = 1\n```"


def test_a_diagram_is_shown_as_its_text() -> None:
    assert safe_markdown("```mermaid\nclick A href\n```") == "```text\nclick A href\n```"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("| `a | b` [y](//evil) |\n|-|-|", "| `a \\| b` \\[y\\](//evil) |\n|-|-|"),
        ("| `[y](//evil) || b` |\n|-|-|", "| `[y](//evil) \\|\\| b` |\n|-|-|"),
        ("| `a \\| b` `c \\\\| d` |\n|-|-|", "| `a \\| b` `c \\\\\\| d` |\n|-|-|"),
        ("| $a | b$ |\n|-|-|", "| $a \\vert  b$ |\n|-|-|"),
        ("`ls | wc`\n\n| a |\n|-|", "`ls | wc`\n\n| a |\n|-|"),
        ("`ls | wc`", "`ls | wc`"),
    ],
)
def test_no_table_cuts_a_span(text: str, shown: str) -> None:
    assert safe_markdown(text) == shown
    assert rendered(safe_markdown(text))[1:] == ([], [])


def test_spans_never_meet() -> None:
    shown = safe_markdown("www.x.example``a`[b](//evil)``")
    assert shown == f"`www.x.example`{JOINER}``a`[b](//evil)``"


def test_control_characters_go() -> None:
    assert safe_markdown("a\x00b\r\nc\x1bd") == "ab\ncd"


# What CommonMark reads first, from left to right: an escape, a code span, a formula.
READ_FIRST = re.compile(
    r":small\[:blue\[\\\[\d+\\\]\]\]"
    r"|\\[!-/:-@\[-`{-~]"
    r"|(?P<ticks>`++)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<dollars>\$++)[^$]+(?P=dollars)(?!\$)"
)


@settings(max_examples=1000)
@given(st.text(alphabet="ab1[]()!`$\\:<>&;|~*_-#. \n@/wht", max_size=60))
def test_whatever_comes_no_bracket_outside_code_is_live(text: str) -> None:
    prose = re.sub(r"^(`{3,})\w*\n.*?^\1$", "", safe_markdown(text), flags=re.M | re.S)
    prose = re.sub(r"^\$\$\n.*?\n\$\$$", "", prose, flags=re.M | re.S)
    assert not set("[]<`$") & set(READ_FIRST.sub("", prose))


@given(st.text(max_size=80))
def test_literal_escapes_every_sign(text: str) -> None:
    assert not re.search(r"[!-/:-@\[-`{-~]", re.sub(r"\\[!-/:-@\[-`{-~]", "", literal(text)))


def test_literal_breaks_addresses_and_icons_apart() -> None:
    shown = literal("https://a.example www.b.example c@d.example :tada:")
    for gap in (f"\\:{JOINER}\\/", f"www{JOINER}\\.", f"\\@{JOINER}d", f"\\:{JOINER}tada"):
        assert gap in shown


def test_quiet_text_is_literal() -> None:
    assert quiet("a *b*") == r":small[:gray[a \*b\*]]"


def test_unmarked_keeps_the_words() -> None:
    text = "**ROS 2** runs `ros2 run`, see [the docs](http://a) and a * b in snake_case"
    assert unmarked(text) == "ROS 2 runs ros2 run, see the docs and a * b in snake_case"


# Whatever a book calls its pages, and whatever it says.
TOLD = [
    "Bread › Dough — “It rises.”",
    "He said \"so\" and 'so'",
    "[1](//evil.example) ![x](//evil.example) ]( [ ]",
    "a | b || c \\| d \\\\",
    "ends with \\",
    "<b>bold</b> &amp; &quot; &#34; `code` $x$ :red[y] *z* https://evil.example",
    "two\nlines\n\nand\ta tab \x07",
    "(a (b) c",
    "",
]
ADDRESS = "reader?page=a%2Fb&section=c&quote=%22x%22%20%28y%29%20%7C"


@pytest.mark.parametrize("told", TOLD)
@pytest.mark.parametrize(
    "text",
    [
        "It rises [1].",
        "| a [1] | b |\n|---|---|\n| [1] | c |",
        "- [1]\n\n> [1]",
        "**x**[1]",
        "![1]",
    ],
)
def test_a_marker_leads_where_we_say_and_tells_what_we_say(text: str, told: str) -> None:
    page = rendered(safe_markdown(text, {1: Link(ADDRESS, told)}))
    said = " ".join(told.replace("\x07", "").split())
    assert page.links == [("[1]", ADDRESS, said)] * text.count("[1]")
    assert page.alive == []
    assert "evil" not in page.prose


def test_only_known_markers_are_links() -> None:
    shown = safe_markdown("a [1] `[1]` b [2] \\[1\\] &#91;1&#93; $x[1]$", {1: Link("r", "t")})
    assert shown == (
        'a :small[[\\[1\\]](r "t")] `[1]` b :small[:blue[\\[2\\]]] \\[1\\] \\[1\\] $x[1]$'
    )


def test_a_marker_behind_an_address_is_no_part_of_it() -> None:
    page = rendered(safe_markdown("see https://a.example/b[1][2].", {1: Link("r", "t")}))
    assert page.links == [("[1]", "r", "t")]
    assert page.markers == [1, 2]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("**ROS", "**ROS**"),
        ("**ROS 2 ", "**ROS 2**"),
        ("**ROS 2** is", "**ROS 2** is"),
        ("It is **", "It is "),
        ("**One**\n\n**Tw", "**One**\n\n**Tw**"),
        ("in `a**b", "in `a**b"),
        ("", ""),
    ],
)
def test_bold_is_never_seen_half_written(written: str, shown: str) -> None:
    assert closed(written) == shown
