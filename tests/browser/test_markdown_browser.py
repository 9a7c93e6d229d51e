"""Chromium's verdict on ui/markdown.py: nothing in an answer comes alive, all of it shows."""

import json
import random
from collections.abc import Iterator

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.server import ROOT, streamlit_server

pytestmark = pytest.mark.browser

EVIL = "http://evil.example/"
# An answer, and what a reader sees of it.
SHOWN = [
    ("It rises [1], then falls [2].", "It rises [1], then falls [2]."),
    ("costs $5 and $10, not US$20", "costs $5 and $10, not US$20"),
    (
        ":material/home: :red[x] :tada: :streamlit:",
        ":\u2060material/home: :red[x] :\u2060tada: :\u2060streamlit:",
    ),
    ("std::vector at 10:30:45", "std::vector at 10:30:45"),
    (f"![a]({EVIL}) [b]({EVIL})", f"![a]({EVIL}) [b]({EVIL})"),
    ("[c](data:text/html,x) [d](//evil.example)", "[c](data:text/html,x) [d](//evil.example)"),
    ("<b>bold</b> &lt;i&gt; R&D", "<b>bold</b> <i> R&D"),
    ("go to www.evil.example or a@evil.example.", "go to www.evil.example or a@evil.example."),
    ("note [^1] and [ref]: x", "note [^1] and [ref]: x"),
    ("10~20 to 30~40", "10~20 to 30~40"),
    ("a \\alpha b \\* c", "a \\alpha b * c"),
]
FORMULAS = [
    "so $x^2$ holds",
    "so \\(a_b\\) holds",
    "$$E = mc^2$$",
    "\\[\na+b\n\\]",
    "- $$\n  a\n  $$",
]
# What becomes a block of its own: an answer, where it shows, and what is read there.
BLOCKS = [
    ("| a | b |\n|---|---|\n| $5 | $x$ to $10 [1] |", "td:first-child", "$5"),
    ("| a | b |\n|---|---|\n| costs $5 | and $10 [1] |", "td:last-child", "and $10 [1]"),
    (
        "So:\n\n```python\nprint('[1] costs $5', a[0])\n```",
        "pre code",
        "print('[1] costs $5', a[0])",
    ),
    ("Run `ros2 run $PKG [1]` now", "p > code", "ros2 run $PKG [1]"),
]
PARTS = [
    f"![x]({EVIL})", f"[x]({EVIL})", "[x](//evil.example)", f"<{EVIL}>", EVIL, "www.evil.example",
    "a@evil.example", f"<img src={EVIL}>", "`", "``", "```", "~~~", "$", "$$", "\\(", "\\)", "\\[",
    "\\]", "\\", "|", "\n", "\n\n", "\n|-|-|\n", "\n- ", "\n1. ", "\n> ", "\n    ", " ", "a", "[1]",
    ":", ":red[x]", ":tada:", "*", "_", "~", "&#58;", "&lbrack;", "&", "]", "(", ")", "[", "!",
    f"[r]: {EVIL}", "[r]", "\n:::note\n", "mermaid", "\n# ", "\\href{//evil.example}{x}",
]  # fmt: skip


def _random_answers(count: int) -> list[str]:
    chance = random.Random(2)
    return ["".join(chance.choices(PARTS, k=chance.randint(2, 14))) for _ in range(count)]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    known = [text for text, _ in SHOWN] + FORMULAS + [text for text, _, _ in BLOCKS]
    return known + _random_answers(400)


@pytest.fixture(scope="module")
def address(texts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("answers") / "texts.json"
    file.write_text(json.dumps(texts))
    script = ROOT / "tests" / "browser" / "apps" / "answers.py"
    with streamlit_server(script, {"LECTERN_TEST_TEXTS": str(file)}) as url:
        yield url


def _culprits(visit: Visit, selector: str, texts: list[str]) -> list[str]:
    """The texts whose answer holds such an element."""
    script = """selector => [...document.querySelectorAll(selector)].map(e =>
        [...e.closest('[class*=st-key-]').classList].find(c => c.startsWith('st-key-')))"""
    found = visit.page.evaluate(script, selector)
    return [f"{key}: {texts[int(key.rsplit('_', 1)[1])]!r}" for key in found]


def test_nothing_in_an_answer_comes_alive(visit: Visit, address: str, texts: list[str]) -> None:
    visit.page.goto(address)
    visit.page.get_by_text("drawn", exact=True).wait_for()
    visit.settled()
    inside = "[class*=st-key-] "
    for alive in ("a", "img", "iframe", "script", "svg.flowchart", "[data-testid=stMermaidChart]"):
        assert _culprits(visit, inside + alive, texts) == []
    assert _culprits(visit, inside + "span[role=img]", texts) == []


def test_an_answer_shows_what_it_says(visit: Visit, address: str) -> None:
    visit.page.goto(address)
    visit.page.get_by_text("drawn", exact=True).wait_for()
    visit.settled()
    for number, (_, shown) in enumerate(SHOWN):
        expect(visit.page.locator(f".st-key-answer_{number}")).to_have_text(shown)
    for number in range(len(SHOWN), len(SHOWN) + len(FORMULAS)):
        formula = visit.page.locator(f".st-key-answer_{number} .katex")
        expect(formula).to_have_count(1)
        expect(visit.page.locator(f".st-key-answer_{number} .katex-error")).to_have_count(0)
    for number, (_, where, shown) in enumerate(BLOCKS, start=len(SHOWN) + len(FORMULAS)):
        block = visit.page.locator(f".st-key-answer_{number} {where}")
        expect(block).to_have_text(shown)
        expect(block).to_be_visible()
