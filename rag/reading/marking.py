"""Where a quoted passage stands in a page, found by its words whatever the markup around them."""

import re
from collections.abc import Iterator
from math import ceil
from typing import NamedTuple

from rag.reading.pieces import Parsed
from rag.reading.streams import Stream, occurrences, stream_of

# The least share of a quote's words that must stand in the page together.
_ENOUGH = 0.6
# From so many letters on, a match that begins or ends within a word is no accident.
_UNMISTAKABLE = 12
_FENCE = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE
)
_NUMBER = re.compile(r"^([ \t>]*)\d{1,9}[.)](?=[ \t])", re.MULTILINE)
# Signs that belong to the words they touch, and are no markup.
_MARKUP = "*_`~|$\\#> \t\n"
_TOUCHING = rf"[^\w\s{re.escape(_MARKUP)}]*"


class Span(NamedTuple):
    """A stretch of letters in one of a page's streams."""

    stream: Stream
    start: int
    end: int


class Mark(NamedTuple):
    """A stretch of a run."""

    run: int
    start: int
    end: int


def marks(parsed: Parsed, quote: str, section: str = "") -> list[Mark]:
    """What to mark of each run for a quote; nothing where it does not stand in the page."""
    begin = parsed.start_of(section)
    spans = find(parsed, quote, begin)
    found = [mark for span in spans for mark in _in_runs(parsed, span)]
    return _with_signs(parsed, found, quote) if found else []


def find(parsed: Parsed, quote: str, begin: int = 0) -> list[Span]:
    """Where a quote stands, best at or after a run: as it is, or without what markup adds."""
    bare = _NUMBER.sub(r"\1", _FENCE.sub("", quote))
    streams = ((parsed.source, stream_of(quote)), (parsed.plain, stream_of(bare)))
    for there, sought in streams:
        if span := whole(there, sought.text, there.at_part(begin)):
            return [span]
    # A chunk repeats a table's header above later rows; on the page they stand apart.
    if parts := _in_two(parsed.plain, bare, parsed.plain.at_part(begin)):
        return parts
    for there, sought in streams:
        if span := _prefix(there, sought, there.at_part(begin)):
            return [span]
    return next(
        ([s] for t, sought in streams if (s := loose(t, sought.text, t.at_part(begin)))), []
    )


def whole(there: Stream, sought: str, begin: int = 0) -> Span | None:
    """Some letters where they are whole words: first at or after a place, else first."""
    size = len(sought)
    found = [at for at in occurrences(there.text, sought) if there.is_whole(at, at + size)]
    return _span(there, found, size, begin)


def loose(there: Stream, sought: str, begin: int = 0) -> Span | None:
    """Some letters, enough of them, wherever they are."""
    found = occurrences(there.text, sought) if len(sought) >= _UNMISTAKABLE else []
    return _span(there, found, len(sought), begin)


def _span(there: Stream, found: list[int], size: int, begin: int) -> Span | None:
    if not found:
        return None
    start = next((at for at in found if at >= begin), found[0])
    return Span(there, start, start + size)


def _in_two(there: Stream, quote: str, begin: int) -> list[Span]:
    """A quote whose first lines stand apart from the rest."""
    for cut in re.finditer(r"\n", quote):
        head, rest = stream_of(quote[: cut.start()]).text, stream_of(quote[cut.end() :]).text
        first = whole(there, head, begin) if head and rest else None
        second = whole(there, rest, first.end) if first else None
        if first and second and second.start >= first.end:
            return [first, second]
    return []


def _prefix(there: Stream, sought: Stream, begin: int) -> Span | None:
    """As many of the first words as stand together, if they are enough."""
    ends = sought.word_ends()
    low, high = ceil(_ENOUGH * len(ends)), len(ends) - 1
    best = None
    while low <= high and high:
        middle = (low + high) // 2
        span = whole(there, sought.text[: ends[middle - 1]], begin)
        best = span or best
        low, high = (middle + 1, high) if span else (low, middle - 1)
    return best


def _in_runs(parsed: Parsed, span: Span) -> Iterator[Mark]:
    """The stretch of each run that a span covers; what is not the book's is passed over."""
    there = span.stream
    first, last = there.parts[span.start], there.parts[span.end - 1]
    for number in range(first, last + 1):
        run = parsed.runs[number]
        if run.kind in ("ghost", "label") or not run.source:
            continue
        start = there.starts[span.start] if number == first else 0
        end = there.ends[span.end - 1] if number == last else len(run.source)
        yield Mark(number, 0, len(run.source)) if run.is_whole else Mark(number, start, end)


def _with_signs(parsed: Parsed, found: list[Mark], quote: str) -> list[Mark]:
    """The marks with the signs that the quote has at its ends: a bracket, a full stop."""
    bare = quote.strip(_MARKUP)
    opening, closing = re.match(_TOUCHING, bare), re.search(_TOUCHING + r"$", bare)
    first, text = found[0], parsed.runs[found[0].run].source
    start = first.start
    while opening and start and text[start - 1] in opening[0]:
        start -= 1
    found = [first._replace(start=start), *found[1:]]
    return [*found[:-1], *_onwards(parsed, found[-1], closing[0] if closing else "")]


def _onwards(parsed: Parsed, last: Mark, signs: str) -> Iterator[Mark]:
    """A mark that goes on over signs, in its run and in those after it in the block."""
    block = parsed.runs[last.run].block
    for number in range(last.run, len(parsed.runs)):
        run = parsed.runs[number]
        if run.block != block or (number > last.run and run.is_whole):
            return
        begin = last.start if number == last.run else 0
        end = last.end if number == last.run else 0
        while end < len(run.source) and run.source[end] in signs:
            end += 1
        if end > begin:
            yield Mark(number, begin, end)
        if end < len(run.source):
            return
