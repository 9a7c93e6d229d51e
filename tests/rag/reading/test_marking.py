"""A quote is marked where it stands, whatever the markup on either side."""

import pytest

from rag.reading import render
from rag.text import words
from tests.rag.reading.samples import Judge, make_page

PAGE = """# Title

Before all. A **very *nice* day** with `two_parts` and [a link](far.md) in it.

## First

The same words here. Then:

1. Install it.
2. Run **it** twice.
   - and rest

```python title
x = 1  # one
y = f"{x} two"
```

| Name | Value |
|------|-------|
| mass | 2 kg  |
| time | 3 s   |

## Second

The same words here. With $a_1 + b$ in the midst &amp; caf&eacute;.

:::warning Hot

Keep away.

:::
"""


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("A **very *nice* day** with", "A very nice day with"),
        ("nice* day** with `two_parts` and a link in", "nice day with two_parts and a link in"),
        (
            "1. Install it.\n2. Run **it** twice.\n   - and rest",
            "Install it. Run it twice. and rest",
        ),
        ("2. Run **it** twice.", "Run it twice."),
        ("Run it twice", "Run it twice"),
        ("```python\nx = 1  # one", "x = 1  # one"),
        ('x = 1  # one\ny = f"{x} two"\n```', 'x = 1  # one\ny = f"{x} two"'),
        ("| Name | Value |\n|------|-------|\n| mass | 2 kg  |", "Name Value mass 2 kg"),
        ("| time | 3 s   |", "time 3 s"),
        ("in the midst &amp; caf&eacute;.", "in the midst & café."),
        ("**Warning: Hot**\n\nKeep away.", "Warning: Hot Keep away."),
    ],
)
def test_a_quote_is_found_by_its_words(quote: str, expected: str) -> None:
    reading = render(make_page(PAGE), quote=quote)
    judge = Judge(reading.html)
    assert judge.balanced
    assert words(reading.marked) == words(expected)
    assert judge.all("id").count("cited") == 1
    assert "".join(judge.marked.split()) == "".join(expected.split())


def test_marks_close_and_open_around_markup() -> None:
    html = render(make_page("One **two three** four."), quote="two three** four").html
    assert html == (
        '<p>One <strong><mark id="cited">two three</mark></strong><mark> four</mark>.</p>'
    )


def test_the_signs_at_its_ends_are_marked_with_a_quote() -> None:
    assert render(make_page('He said (so "it" was).'), quote='(so "it" was).').html == (
        '<p>He said <mark id="cited">(so &quot;it&quot; was).</mark></p>'
    )


def test_a_formula_is_marked_whole() -> None:
    reading = render(make_page(PAGE), quote="words here. With $a_1 +", section="second")
    assert '<math display="inline" data-tex="a_1 + b">' in reading.html
    assert reading.html.count("<mark") == 2
    assert "</math></mark>" in reading.html
    assert reading.marked == "words here. With a_1 + b"


@pytest.mark.parametrize(
    ("section", "found"), [("", "first"), ("first", "first"), ("second", "second"), ("no", "first")]
)
def test_of_several_places_the_one_in_the_section_is_marked(section: str, found: str) -> None:
    reading = render(make_page(PAGE), quote="The same words here.", section=section)
    assert reading.section == found
    assert reading.html.count("<mark") == 1


def test_what_stands_before_the_section_is_found_too() -> None:
    reading = render(make_page(PAGE), quote="Before all.", section="second")
    assert (reading.marked, reading.section) == ("Before all.", "")


def test_a_heading_in_a_quote_parts_no_section() -> None:
    page = make_page("## Top\n\n> ## Inner\n>\n> said here")
    assert render(page, quote="said here").section == "top"


def test_a_quote_that_ends_within_a_word_is_marked_up_to_it() -> None:
    reading = render(make_page("The quick brown fox jumps over it."), quote="The quick brown fo")
    assert reading.marked == "The quick brown"


def test_a_quote_of_which_most_stands_there_is_marked_so_far() -> None:
    page = make_page("one two three four five six")
    assert render(page, quote="one two three four FIVE").marked == "one two three four"
    assert render(page, quote="one two THREE FOUR FIVE").marked == ""


def test_rows_that_a_chunk_has_under_a_repeated_header() -> None:
    rows = "\n".join(f"| row {n} | value {n} |" for n in range(9))
    page = make_page(f"| Name | Of |\n|---|---|\n{rows}")
    reading = render(page, quote="| Name | Of |\n|---|---|\n| row 7 | value 7 |")
    assert words(reading.marked) == words("Name Of row 7 value 7")


def test_code_that_a_chunk_has_under_a_repeated_fence() -> None:
    page = make_page("```python\na = 1\n\nb = 2\n```")
    assert render(page, quote="```python\nb = 2\n```").marked == "b = 2"


@pytest.mark.parametrize("quote", ["Nowhere to be seen.", "**", "  \n", "ame word", "|---|"])
def test_what_does_not_stand_there_is_not_marked(quote: str) -> None:
    reading = render(make_page(PAGE), quote=quote)
    assert (reading.marked, reading.section) == ("", "")
    assert "<mark" not in reading.html


def test_words_without_spaces_are_found() -> None:
    reading = render(
        make_page("机器人会走路。它也会说话并且能够看见周围的世界。"),
        quote="它也会说话并且能够看见周围的",
    )
    assert reading.marked == "它也会说话并且能够看见周围的"


def test_a_picture_can_be_marked() -> None:
    html = render(make_page("See ![a red cat](c.png) here."), quote="See a red cat here.").html
    assert "Image: <mark>a red cat</mark></span>" in html
