"""Whatever a page holds, its HTML is well formed and holds only what we put there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.reading import follow, passage, render, text_fragment
from tests.rag.reading.samples import Judge, make_page

ATTRIBUTES = {
    *("id", "class", "role", "href", "target", "rel", "type", "start", "scope", "style", "hidden"),
    *("open", "tabindex", "data-tex", "display", "aria-label", "aria-controls"),
    *("aria-labelledby", "aria-selected"),
}
# What latex2mathml makes of TeX; none of it runs or loads anything.
MATH = {
    *("mathvariant", "stretchy", "fence", "form", "accent", "accentunder", "width", "height"),
    *("depth", "linethickness", "displaystyle", "scriptlevel", "columnalign", "rowspacing"),
    *("columnspacing", "columnlines", "rowlines", "movablelimits", "largeop", "lspace", "rspace"),
    *("minsize", "maxsize", "mathsize", "symmetric", "separator", "notation", "voffset", "frame"),
    "linebreak",
}
FORBIDDEN = {"script", "img", "iframe", "object", "embed", "style", "svg", "form", "input", "link"}
ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '[x](javascript:alert(1)) [y](<java\tscript:x>) [z](data:text/html,x "onclick=x")',
    '![x" onerror="alert(1)](javascript:x)',
    '## A "onclick=x" <b> {#x" onclick="y}',
    ':::note" onclick="x\n\n:::',
    ':::tip "><script>\n\n:::tabs\n\n:::tab "><img src=x>\n\n:::details <svg onload=x>\n',
    '```"onclick=x\n</code></pre><script>\n```',
    "```html\n<script>alert(1)</script>\n```",
    '$\\text{"><img src=x onerror=y>}$ $$\\href{javascript:x}{y}$$ $\\style{x" onclick="y}{z}$',
    '$\\color{"onclick="x}{y}$ $\\unicode{60}script\\unicode{62}$ $&lt;script&gt;$',
    "| a | b |\n|---|:-:|\n| <td onclick=x> | ::: |\n",
    "<https://a.example/\"onclick='x'> <javascript:alert(1)>",
    "- :::note\n> :::\n  - ```\n:::\n1. $$\n",
    "&lt;script&gt;alert(1)&lt;/script&gt; &#60;img&#62;",
    "[a]: javascript:x\n\n[a]",
    "\x00 \ufffe \u202e <\x00script>",
    "**[a](b** c) `<b>` *[_x](y)_*",
    "[" * 2000,
    "> " * 500 + "x",
    "*a " * 2000,
    "$" * 1001,
    "\n".join(":::note" for _ in range(300)),
]


def check(markdown: str, quote: str = "") -> None:
    page = make_page(markdown or "x")
    reading = render(page, quote=quote, follow=follow([], page))
    judge = Judge(reading.html)
    assert judge.balanced
    assert not set(judge.tags) & FORBIDDEN
    assert {name for name, _ in judge.attributes} <= ATTRIBUTES | MATH
    assert all(href.startswith(("https://", "http://", "/reader?")) for href in judge.all("href"))
    assert len(judge.all("id")) == len(set(judge.all("id")))
    assert bool(reading.marked) == ("mark" in judge.tags)


@pytest.mark.parametrize("markdown", ATTACKS, ids=range(len(ATTACKS)))
def test_attacks_are_words(markdown: str) -> None:
    check(markdown, quote=markdown[:200])


MARKUP = st.sampled_from(
    [
        *("# ", "## ", "- ", "1. ", "> ", "    ", "\n", "\n\n", "```", "~~~", "`", "*", "**", "_"),
        *("~~", "[", "](", ")", "![", "<", ">", "&amp;", "&", "$", "$$", "|", "|---|", ":::note"),
        *(
            ":::",
            ":::tabs",
            ":::tab A",
            ":::details",
            "\\",
            "{#a}",
            "---",
            "javascript:",
            "https://",
        ),
        *(
            "<script>",
            "word",
            "two words",
            " ",
            "  \n",
            '"',
            "'",
            "mermaid",
            "python",
            "\\frac",
            "{",
        ),
    ]
)
PAGES = st.one_of(st.text(), st.lists(st.one_of(MARKUP, st.text(max_size=3))).map("".join))


@given(PAGES, st.text(max_size=30))
def test_any_page_is_well_formed(markdown: str, quote: str) -> None:
    check(markdown, quote=quote)


@given(PAGES, st.integers(0, 50), st.integers(1, 60))
def test_any_part_of_a_page_can_be_sought(markdown: str, start: int, size: int) -> None:
    quote = markdown[start : start + size]
    check(markdown, quote=quote)
    page = make_page(markdown or "x")
    found = passage(page, quote)
    assert found is None or found.text in page.text
    assert text_fragment(page, quote).startswith(":~:text=") or not text_fragment(page, quote)
