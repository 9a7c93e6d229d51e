"""What is selected in the browser becomes the book's own text."""

import pytest

from rag.reading import passage
from rag.reading.passages import MAX_CHARS
from tests.rag.reading.samples import make_page

TEXT = """# Title

A **very *nice* day** with `two_parts of code` in it.

## First

So $a_1 + b$ is more than $\\theta$, they say.

1. Install the tool.
2. Run it twice.

| Name | Value |
|------|-------|
| mass | 2 kg  |

```python
x = 1
y = 2
```

### Inner

**Note: Warm**

The last words.
"""


@pytest.mark.parametrize(
    ("selected", "text"),
    [
        ("nice day\n  with", "**very *nice* day** with"),
        ("very nice", "very *nice*"),
        ("parts of", "`two_parts of code`"),
        ("So a1+b is more", "So $a_1 + b$ is more"),
        ("is more than θ, they", "is more than $\\theta$, they"),
        ("Install the tool.\nRun it twice.", "Install the tool.\n2. Run it twice."),
        ("1. Install the tool.\n\t2. Run it twice.", "Install the tool.\n2. Run it twice."),
        ("Name\tValue\nmass\t2 kg", "Name | Value |\n|------|-------|\n| mass | 2 kg"),
        ("x = 1\ny = 2", "x = 1\ny = 2"),
        ("y = 2\n\nInner", "```python\nx = 1\ny = 2\n```\n\n### Inner"),
        ("Note: Warm\nThe last\u00a0words.", "**Note: Warm**\n\nThe last words."),
        ("words", "words"),
    ],
)
def test_a_selection_is_the_text_behind_it(selected: str, text: str) -> None:
    found = passage(make_page(TEXT), selected)
    assert found is not None
    assert found.text == text
    assert found.text in TEXT


def test_reading_and_text_may_differ_in_markup() -> None:
    text = (
        "See the page.\n\n**Tip: Rest**\n\nSleep well at night.\n\n**One**\n\nSleep well at night."
    )
    reading = (
        "See [the page](p.md).\n\n:::tip Rest\n\nSleep well at night.\n\n:::\n\n"
        ":::tabs\n\n:::tab One\n\nSleep well at night.\n\n:::\n\n:::"
    )
    page = make_page(text, reading=reading)
    found = passage(page, "See the page. Tip: Rest Sleep well")
    assert found is not None
    assert found.text == "See the page.\n\n**Tip: Rest**\n\nSleep well"


@pytest.mark.parametrize(
    "selected",
    ["", "  \n", "it", "a 1", "Nowhere to be seen", "ery nice", "The last words. And more"],
)
def test_what_does_not_stand_there_is_no_passage(selected: str) -> None:
    assert passage(make_page(TEXT), selected) is None


def test_a_passage_knows_its_place() -> None:
    page = make_page(TEXT)
    found = passage(page, "The last words.")
    assert found is not None
    assert found.heading_path == ("Title", "First", "Inner")
    assert found.anchors == ("first", "inner")
    assert found.url == "/reader?page=part/page&section=inner"
    assert (found.source_file, found.position) == (page.source_file, 0)
    on_site = passage(page, "The last words.", "https://book.example/docs")
    assert on_site is not None
    assert on_site.url == "https://book.example/docs/part/page#inner"
    assert on_site.chunk_id == found.chunk_id
    other = passage(make_page(TEXT, source_file="other.md"), "The last words.")
    assert other is not None
    assert other.chunk_id != found.chunk_id


def test_a_long_passage_is_cut_at_a_word() -> None:
    text = " ".join(f"word{n}" for n in range(2000))
    found = passage(make_page(text), text)
    assert found is not None
    assert len(found.text) <= MAX_CHARS
    assert text.startswith(found.text + " ")


def test_a_cut_leaves_no_half_of_a_code_span() -> None:
    text = (
        "word " * 390
        + "`code that goes on for more than the fifty characters that are left`"
        + " end"
    )
    found = passage(make_page(text), text)
    assert found is not None
    assert found.text == ("word " * 390).strip()
