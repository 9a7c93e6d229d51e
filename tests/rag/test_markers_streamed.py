"""Adversarial streams: however an answer is cut, nothing half-written or dangerous is seen."""

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag.markers import MarkerStream
from tests.builders import SITE
from tests.rag.test_markers import CASES, PASSAGES, URL2

TRICKS = [
    "[1]",
    "[9]",
    "[1,2]",
    "[1-3]",
    "[1][2]",
    "【1】",
    "`[1]`",
    "[[1]]",
    "[a [b] c]",
    f"[Page 2]({URL2})",
    f"[Page 2 - Part 2]({URL2})",
    f"[Source: Page 2]({URL2})",
    "[Title](http://evil)",
    "[Source: x](http://evil)",
    "![alt](http://evil/x.png)",
    "[x](javascript:alert(1))",
    "<img src=x onerror=alert(1)>",
    "<a href='http://evil'>t</a>",
    "[text][1]",
    "<http://evil>",
    "http://e.org",
    "[![a](b.png)](http://evil)",
    "$[0,1]$",
    "<robot>",
]
FRAMES = [
    "{}",
    "It walks {}.",
    "({}) and [2], {}.",
    "- {} item\n- next [3]",
    "> {}\n\n{}",
    "```\n{}\n```\n{}",
    "| {} | [2] |\n|---|---|",
    "[{}](http://evil) x",
    "**{}**[9]: [x {}",
]
STREAMS = [frame.replace("{}", trick) for frame, trick in product(FRAMES, TRICKS)]
STREAMS += ["[1]: http://evil\n[x]", *(written for written, *_ in CASES if len(written) < 150)]

# Nothing that is shown outside code may end like this: the rest of it is still to come.
HALF = re.compile(r"(?:\[[\d\s,–-]*|【\d*|\]\([^)\s]*|\[Source:[^\]]*|(?<!\\)<[a-z/][^<>`]*)$")
MARKUP = MarkdownIt("commonmark")


def moments(pieces: list[str]) -> tuple[list[str], MarkerStream]:
    """What is seen after each piece, and at the end."""
    stream = MarkerStream(PASSAGES)
    seen, shown = [], ""
    for piece in pieces:
        shown += stream.feed(piece)
        seen.append(shown)
    return [*seen, shown + stream.finish()], stream


def outcome(pieces: list[str]) -> tuple[str, list[str], int]:
    seen, stream = moments(pieces)
    return seen[-1], [p.chunk.chunk_id for p in stream.cited], stream.dropped


def without_code(shown: str) -> str:
    """Prose alone; an open block counts as code to its end."""
    prose = re.sub(r"(?ms)^[ >]*(`{3,}|~{3,})[^`\n]*\n.*?(?:^[ >]*\1\s*$|\Z)", "", shown)
    prose = re.sub(r"(`+)(?!`).+?(?<!`)\1(?!`)", "", prose)
    return re.sub(r"(?s)\$\$.+?\$\$|\$[^$\n]+\$|\\\(.+?\\\)|\\\[.+?\\\]", "", prose)


def live_markup(shown: str) -> list[str]:
    """The links, images and HTML that a Markdown renderer makes of a text."""
    tokens = MARKUP.parse(shown)
    inline = [child for token in tokens for child in token.children or []]
    bad = {"link_open", "image", "html_inline", "html_block"}
    return [f"{t.type} {t.attrs} {t.content}" for t in [*tokens, *inline] if t.type in bad]


def test_there_are_enough_streams() -> None:
    assert len(set(STREAMS)) >= 200


@pytest.mark.parametrize("text", STREAMS)
def test_a_stream_cut_anywhere_shows_the_same_and_nothing_by_halves(text: str) -> None:
    expected = outcome([text])
    assert live_markup(expected[0]) == []
    assert not re.search(r"[ \t][.]", expected[0])
    for at in range(1, len(text)):
        assert outcome([text[:at], text[at:]]) == expected
    seen, _ = moments(list(text))
    assert outcome(list(text)) == expected
    for shown in seen[:-1]:
        half = HALF.search(without_code(shown))
        # What looks half-written is so only if it does not stand in the end as it is seen.
        assert half is None or text_stays(shown, expected[0], half.group())


def text_stays(shown: str, final: str, half: str) -> bool:
    """Whether a loose end is plain text: the final text goes on from it without a marker."""
    after = final[len(shown) - len(half) :]
    return not re.match(r"\[\d{1,3}\]|【|\]\(|<", after)


@pytest.mark.parametrize("text", STREAMS)
def test_every_marker_that_is_shown_resolves(text: str) -> None:
    shown, cited, _ = outcome([text])
    numbers = [int(n) for n in re.findall(r"\[(\d{1,3})\]", without_code(shown))]
    assert set(numbers) <= set(range(1, len(cited) + 1))
    first = list(dict.fromkeys(numbers))
    assert first == sorted(first)


SIGNS = """[ ] ( ) [1] [9] 1 , ` ``` <b> < > <img_src=x> http://e ]( : ! $ \\ x word . 【 】 ~~~
' " = <!-- --> [x](http://e) Source:_""".split()
pieces = st.lists(
    st.sampled_from(
        [*(sign.replace("_", " ") for sign in SIGNS), " ", "\n", "\n\n", f"{SITE}/p1", "y" * 590]
    ),
    max_size=25,
)


@given(pieces)
@settings(max_examples=400)
def test_any_text_cut_anyhow_is_the_same_and_harmless(parts: list[str]) -> None:
    text = "".join(parts)
    expected = outcome([text])
    assert outcome(list(text)) == expected
    assert outcome(parts) == expected
    assert live_markup(expected[0]) == []


def test_text_without_markup_streams_at_once() -> None:
    seen, _ = moments(["The ", "robot", " walks"])
    assert seen[:3] == ["The", "The robot", "The robot walks"]


def test_code_streams_while_it_is_written() -> None:
    seen, _ = moments(["```py\n", "import os\n", "x = [1", "]\n", "```\n", "Done [1]."])
    assert seen[:4] == [
        "```py\n",
        "```py\nimport os\n",
        "```py\nimport os\nx = [1",
        "```py\nimport os\nx = [1]\n",
    ]


@pytest.mark.parametrize(
    "opened", ["[never", "`never", "$never", "<never", "\\(never", "![n", "[x]("]
)
def test_what_never_closes_stalls_the_stream_only_briefly(opened: str) -> None:
    text = opened + " word" * 400
    seen, _ = moments(list(text))
    assert max(at - len(shown) for at, shown in enumerate(seen[:-1], start=1)) <= 610
    assert len(seen[-1]) >= len(text) - len(opened)


@pytest.mark.parametrize("opened", ["[never", "`never", "<never", "\\(never", "![n"])
def test_a_paragraphs_end_closes_what_is_open(opened: str) -> None:
    stream = MarkerStream(PASSAGES)
    assert "after" in stream.feed(f"{opened}\n\nafter it")


@pytest.mark.parametrize(
    "unit",
    ["It walks [1], see [2]. ", "[x](http://e) ", "`a", "$5 ", "<b ", "[a]: ", "[x](http://e/("],
)
def test_ten_thousand_tokens_come_out_as_one_piece_would(unit: str) -> None:
    text = (unit * 40_000)[:40_000]
    assert outcome([text[at : at + 4] for at in range(0, len(text), 4)]) == outcome([text])
