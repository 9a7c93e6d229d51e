"""Text fragments: words that stand once on a page."""

from urllib.parse import unquote

import pytest

from rag.reading import text_fragment
from tests.rag.reading.samples import make_page

PAGE = """# Title

Every day the sun comes up over the hills in the east, and every day it sets again.

Every day the sun comes up over the hills in the east, and we are glad.

1. One short item.
2. Another short item.

Take $x_1$ apples - or **two**, they say & eat.

```python
alpha = beta
gamma = delta
```

:::note Be careful now

Inside.

:::

![a red cat](c.png) alone
"""


def fragment(quote: str) -> str:
    found = text_fragment(make_page(PAGE), quote)
    assert found == "" or found.startswith(":~:text=")
    return unquote(found.removeprefix(":~:text="))


@pytest.mark.parametrize(
    ("quote", "words"),
    [
        ("over the hills in the east, and every day it", "over the hills in the east, and every"),
        ("Every day the sun comes up over the hills in the east, and we", None),
        ("1. One short item.\n2. Another short item.", "One short item"),
        ("Take $x_1$ apples - or **two**, they say & eat.", "apples - or two, they say & eat"),
        ("alpha = beta\ngamma = delta", "alpha = beta"),
        ("Be careful now", ""),
        ("a red cat", ""),
        ("Every day the sun", ""),
        ("Nowhere to be seen", ""),
    ],
)
def test_a_fragment_is_words_that_stand_once(quote: str, words: str | None) -> None:
    expected = "the hills in the east, and we" if words is None else words
    assert fragment(quote).endswith(expected)
    assert bool(fragment(quote)) == bool(expected)


def test_prose_is_chosen_before_code() -> None:
    page = make_page("- See:\n\n  ```\n  some code here\n  ```\n\n- more of these words")
    quote = "some code here\n  ```\n\n- more of these words"
    assert text_fragment(page, quote) == ":~:text=more%20of%20these%20words"


def test_what_the_directive_is_made_of_is_encoded() -> None:
    page = make_page("A well-known, old & good idea is here.")
    assert text_fragment(page, "A well-known, old & good idea is here.") == (
        ":~:text=A%20well%2Dknown%2C%20old%20%26%20good%20idea%20is%20here"
    )


def test_case_and_signs_make_no_words_different() -> None:
    page = make_page("The Big Bang.\n\nthe big, bang")
    assert text_fragment(page, "The Big Bang.") == ""


def test_the_title_counts() -> None:
    page = make_page("Growing tomatoes well", title="Growing Tomatoes Well")
    assert text_fragment(page, "Growing tomatoes well") == ""


def test_half_a_word_is_no_word() -> None:
    page = make_page("Some very long extra**ordinary** things happen.")
    assert text_fragment(page, "Some very long extra") == ":~:text=Some%20very%20long"
