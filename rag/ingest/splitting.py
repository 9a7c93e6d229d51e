"""One block that is too large, cut where it hurts least."""

import math
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.ingest.fences import fence_at
from rag.ingest.markdown import Block
from rag.tokens import CountTokens

# More characters than any chunk has: such a text is known to be too large uncounted, which
# matters because counting one endless word is slow.
_CHARACTERS_PER_TOKEN = 40
_SENTENCE_END = re.compile(r"[.!?…]+[\"'”’)\]*_]*\s+|[。！？]+")
_TOP_BULLET = re.compile(r"^(?:[-*+]|\d{1,9}[.)])[ \t]", re.MULTILINE)

Cutter = Callable[[str], list[str]]
Wrap = Callable[[str], str]


@dataclass(frozen=True)
class Room:
    """How large a piece may be, and how large it should be."""

    fits: Callable[[str], bool]
    count: CountTokens
    max_tokens: int
    target: int

    def holds(self, text: str) -> bool:
        """Whether a text may be one chunk."""
        if not text.strip():
            return True
        if len(text) > _CHARACTERS_PER_TOKEN * self.max_tokens:
            return False
        return self.count(text) <= self.max_tokens and self.fits(text)

    def share(self, text: str) -> int:
        """How large the next piece of a text should be for all to come out alike."""
        if len(text) > _CHARACTERS_PER_TOKEN * self.max_tokens:
            return self.target
        total = self.count(text)
        pieces = math.ceil(total / self.target)
        return math.ceil(total / pieces * 1.05)


def split_block(block: Block, room: Room) -> list[str]:
    """A block as pieces that fit, in order; most blocks are one piece."""
    if room.holds(block.text):
        return [block.text]
    if block.kind == "code":
        pieces = _split_code(block.text, room)
    elif block.kind == "table":
        pieces = _split_table(block.text, room)
    elif block.kind == "math":
        pieces = _split_math(block.text, room)
    elif block.kind in {"list", "quote"}:
        pieces = _split_list(block.text, room)
    else:
        pieces = _split_prose(block.text, room)
    return [piece for piece in pieces if piece.strip()]


def _same(text: str) -> str:
    return text


def _split_prose(text: str, room: Room) -> list[str]:
    """At sentence ends, else between words, else after a mark, else anywhere."""
    pieces = _cut(text, (_sentences, *_FINEST), _same, room)
    return [piece.strip() for piece in pieces]


def _split_code(text: str, room: Room) -> list[str]:
    """Between paragraphs of code, else between lines, each piece in the same fence."""
    opening, *code, closing = text.split("\n")

    def wrap(piece: str) -> str:
        return f"{opening}\n{piece.strip(chr(10))}\n{closing}"

    body = "\n".join(code)
    levels = (_paragraphs, _lines, *_FINEST)
    pieces = _cut(body, levels, wrap, room)
    return [wrap(piece) for piece in pieces if piece.strip()]


def _split_math(text: str, room: Room) -> list[str]:
    """Between lines, each piece between its own dollar signs."""

    def wrap(piece: str) -> str:
        return f"$$\n{piece.strip()}\n$$"

    body = text.strip().removeprefix("$$").removesuffix("$$")
    pieces = _cut(body, (_lines, *_FINEST), wrap, room)
    return [wrap(piece) for piece in pieces if piece.strip()]


def _split_table(text: str, room: Room) -> list[str]:
    """Between rows, each piece under the header; a row too large for that stands alone."""
    header_row, delimiters, *rows = text.split("\n")
    header = f"{header_row}\n{delimiters}\n"
    if not rows or not room.holds(header):
        return _split_prose(text, room)

    def wrap(piece: str) -> str:
        return header + piece.rstrip("\n")

    done: list[str] = []
    for piece in _cut("\n".join(rows), (_lines,), wrap, room):
        if room.holds(wrap(piece)):
            done.append(wrap(piece))
        else:
            # The header must come before the first row, even where that row has to be cut.
            done += _split_prose(piece if done else wrap(piece), room)
    return done


def _split_list(text: str, room: Room) -> list[str]:
    """Between items, else between lines; code inside an item is cut as code."""
    done: list[str] = []
    for piece in _cut(text, (_items, _line_groups), _same, room):
        moved = textwrap.dedent(piece).strip("\n")
        if room.holds(moved):
            done.append(moved)
        elif (fence := fence_at(moved.split("\n"), 0)) is not None:
            code = textwrap.dedent("\n".join(fence.code)).split("\n")
            opening = f"{fence.mark}{fence.language}"
            done += _split_code("\n".join([opening, *code, fence.mark]), room)
        else:
            done += _split_prose(moved, room)
    return done


def _cut(text: str, levels: Sequence[Cutter], wrap: Wrap, room: Room) -> list[str]:
    """A text as pieces that fit when wrapped, cut by the first level that can."""
    if room.holds(wrap(text)):
        return [text]
    for depth, cutter in enumerate(levels):
        parts = cutter(text)
        if len(parts) > 1:
            return _pack(parts, levels[depth + 1 :], wrap, room)
    return [text]


def _pack(parts: list[str], finer: Sequence[Cutter], wrap: Wrap, room: Room) -> list[str]:
    """Parts joined into pieces alike in size; a part too large for itself is cut finer."""
    pieces: list[str] = []
    at = 0
    while at < len(parts):
        taken = _how_many(parts, at, wrap, room)
        piece = "".join(parts[at : at + taken])
        fits = taken > 1 or room.holds(wrap(piece))
        pieces += [piece] if fits else _cut(piece, finer, wrap, room)
        at += taken
    return pieces


def _how_many(parts: list[str], at: int, wrap: Wrap, room: Room) -> int:
    """How many parts from here on make one piece, found by doubling and halving."""

    goal = room.share("".join(parts[at:]))

    def good(count: int) -> bool:
        piece = "".join(parts[at : at + count])
        return room.holds(wrap(piece)) and room.count(piece) <= goal

    left = len(parts) - at
    low, high = 1, 2
    while high <= left and good(high):
        low, high = high, high * 2
    high = min(high, left + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if good(middle) else (low, middle)
    return low


def _at(text: str, ends: list[int]) -> list[str]:
    """A text cut at positions, nothing between them lost."""
    bounds = [0, *ends, len(text)]
    return [text[a:b] for a, b in pairwise(bounds) if a < b]


def _sentences(text: str) -> list[str]:
    return _at(text, [match.end() for match in _SENTENCE_END.finditer(text)])


def _words(text: str) -> list[str]:
    return _at(text, [match.end() for match in re.finditer(r"\s+", text)])


def _marks(text: str) -> list[str]:
    return _at(text, [match.end() for match in re.finditer(r"\W+", text)])


def _lines(text: str) -> list[str]:
    return _at(text, [match.end() for match in re.finditer(r"\n", text)])


def _paragraphs(text: str) -> list[str]:
    return _at(text, [match.end() for match in re.finditer(r"\n(?:[ \t]*\n)+", text)])


def _items(text: str) -> list[str]:
    return _at(text, [match.start() for match in _TOP_BULLET.finditer(text)])


def _line_groups(text: str) -> list[str]:
    """Lines, but the lines of a fenced block together."""
    lines = text.split("\n")
    groups: list[str] = []
    at = 0
    while at < len(lines):
        fence = fence_at(lines, at)
        taken = fence.taken if fence else 1
        groups.append("\n".join(lines[at : at + taken]) + "\n")
        at += taken
    return groups


# Where nothing better can be cut: between words, after a mark, and last anywhere.
_FINEST: tuple[Cutter, ...] = (_words, _marks, list)
