"""Text as the sequence of its letters, so that two spellings of one passage can be compared.

Markup, spaces and most punctuation are left out; each letter knows where it came from.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from html import unescape
from typing import NamedTuple

_ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


class Letter(NamedTuple):
    """A letter, digit or sign of a text, and the stretch it is written in."""

    sign: str
    start: int
    end: int


class Part(NamedTuple):
    """A text on its way into a stream: its number, its block, its words."""

    number: int
    block: int
    text: str


class Stream(NamedTuple):
    """The letters of some parts: for each its part, its stretch, and if it goes on with a word."""

    text: str
    parts: list[int]
    starts: list[int]
    ends: list[int]
    joined: list[bool]

    def at_part(self, number: int) -> int:
        """Where the first letter of a part, or of one after it, stands."""
        return bisect_left(self.parts, number)

    def is_whole(self, start: int, end: int) -> bool:
        """Whether a stretch begins and ends where words do."""
        begins = start >= len(self.joined) or not self.joined[start]
        return begins and (end >= len(self.joined) or not self.joined[end])

    def word_ends(self) -> list[int]:
        """Where each word ends."""
        inner = (at for at in range(1, len(self.text)) if not self.joined[at])
        return [*inner, len(self.text)] if self.text else []


def stream(parts: Iterable[Part]) -> Stream:
    """The letters of some parts, in order; a word may run over parts of one block."""
    made = Stream("", [], [], [], [])
    signs: list[str] = []
    base, block, last = 0, -1, -1
    for part in parts:
        if part.block != block:
            base, block = base + 1, part.block
        for sign, start, end in letters(part.text):
            touches = base + start == last and sign.isalnum() and signs[-1].isalnum()
            signs.append(sign)
            made.parts.append(part.number)
            made.starts.append(start)
            made.ends.append(end)
            made.joined.append(touches)
            last = base + end
        base += len(part.text)
    return made._replace(text="".join(signs))


def stream_of(text: str) -> Stream:
    """The letters of one text."""
    return stream([Part(0, 0, text)])


def letters(text: str) -> Iterator[Letter]:
    """What two spellings of a text share; `&eacute;` is the letter it stands for."""
    units = _ENTITY.finditer(text) if "&" in text else ()
    entities = {unit.start(): unit for unit in units if unescape(unit[0]) != unit[0]}
    at = 0
    while at < len(text):
        entity = entities.get(at)
        signs, end = (unescape(entity[0]), entity.end()) if entity else (text[at], at + 1)
        yield from (Letter(sign, at, end) for sign in signs if _counts(sign))
        at = end


def _counts(sign: str) -> bool:
    """Letters and digits count; so do signs no markup is made of, for texts of signs alone."""
    return sign.isalnum() or (sign > "~" and sign.isprintable() and not sign.isspace())


def occurrences(text: str, sought: str) -> list[int]:
    """Every place where some letters stand."""
    found: list[int] = []
    at = text.find(sought) if sought else -1
    while at >= 0:
        found.append(at)
        at = text.find(sought, at + 1)
    return found
