"""The end of an address that makes a browser show some words of a page of a website."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple
from urllib.parse import quote as percent_encoded

from rag.domain.book import Page
from rag.reading.building import parse
from rag.reading.marking import Mark, marks
from rag.reading.pieces import Parsed

# How many words to try, the best first: enough to be alone on the page, few enough to read.
_FIRST_SIZES = (8, 9, 10, 11, 12, 7, 6, 5, 4)
_LAST_SIZES = (3, 2, 1)
_LEAST_LETTERS = 4
# Stands for what a website may show in other words, such as a formula.
_WALL = "\0"


class _Word(NamedTuple):
    """A word of a block, without the signs around it."""

    start: int
    end: int


class _Stretch(NamedTuple):
    """Words of one block that follow each other, all of them in the quote."""

    text: str
    words: list[_Word]
    code: bool


def text_fragment(page: Page, quote: str, section: str = "") -> str:
    """`:~:text=…` for words of a quote that stand once on its page; "" if there are none."""
    parsed = parse(page)
    stretches = sorted(
        _stretches(parsed, marks(parsed, quote, section)), key=lambda stretch: stretch.code
    )
    title = " ".join(re.findall(r"[^\W_]+", page.title.casefold()))
    there = f"{parsed.words}{title} "
    chosen = (
        words
        for sizes in (_FIRST_SIZES, (), _LAST_SIZES)
        for stretch in stretches
        for words in _choices(stretch, sizes or range(13, len(stretch.words) + 1))
        if _is_alone(words, there)
    )
    words = next(chosen, "")
    # A dash or a comma would be read as part of the directive.
    return ":~:text=" + percent_encoded(words, safe="").replace("-", "%2D") if words else ""


def _stretches(parsed: Parsed, found: list[Mark]) -> Iterator[_Stretch]:
    """The words of a quote, block by block, parted where a website may show something else."""
    for _, group in groupby(found, key=lambda mark: parsed.runs[mark.run].block):
        inside = list(group)
        text, starts = _block_text(parsed, inside[0].run)
        begin = starts[inside[0].run] + inside[0].start
        end = starts[inside[-1].run] + inside[-1].end
        code = parsed.runs[inside[0].run].kind == "code"
        words: list[_Word] = []
        for match in re.finditer(r"\n|\S+", text):
            word = _word(match)
            if word and begin <= word.start and word.end <= end:
                words.append(word)
            elif _WALL in match[0] or word or (code and match[0] == "\n"):
                yield _Stretch(text, words, code)
                words = []
        yield _Stretch(text, words, code)


def _block_text(parsed: Parsed, number: int) -> tuple[str, dict[int, int]]:
    """The block of a run as a browser shows it, and where in it each run begins."""
    runs, block = parsed.runs, parsed.runs[number].block
    while number and runs[number - 1].block == block:
        number -= 1
    text, starts = "", {}
    while number < len(runs) and runs[number].block == block:
        starts[number] = len(text)
        plain = runs[number].kind in ("prose", "code")
        text += runs[number].shown if plain else _WALL * len(runs[number].source)
        number += 1
    return text, starts


def _word(match: re.Match[str]) -> _Word | None:
    """A word without the signs around it."""
    bare = re.search(r"\w(?:.*\w)?", match[0])
    if bare is None or _WALL in match[0]:
        return None
    return _Word(match.start() + bare.start(), match.start() + bare.end())


def _choices(stretch: _Stretch, sizes: "tuple[int, ...] | range") -> Iterator[str]:
    """Words in a row, as they stand in the text."""
    for size in sizes:
        for first in range(len(stretch.words) - size + 1):
            start, end = stretch.words[first].start, stretch.words[first + size - 1].end
            yield " ".join(stretch.text[start:end].split())


def _is_alone(words: str, there: str) -> bool:
    """Whether words stand on the page once, whatever their case and the signs between them."""
    sought = re.findall(r"[^\W_]+", words.casefold())
    if sum(map(len, sought)) < _LEAST_LETTERS:
        return False
    # Even as a part of longer words they must not come again: who is to say what is one word?
    return there.count(" ".join(sought)) == 1
