"""What a page is made of on its way to HTML: our markup, the book's words, links and choices."""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Literal, NamedTuple

from rag.reading.streams import Part, Stream, stream

# The book's words: prose, a box's title, code, a formula, or what stands for a picture. Besides
# them a label of ours, and a ghost, which is in the book's source and shown by other means: the
# number of a list's item, the language of a fence.
Kind = Literal["prose", "title", "code", "formula", "picture", "label", "ghost"]


class Run(NamedTuple):
    """A stretch of text in one element, as the source has it and as a browser shows it."""

    kind: Kind
    source: str
    shown: str
    html: str
    block: int
    heading: int
    inside: tuple[tuple[int, int], ...]

    @property
    def is_whole(self) -> bool:
        """Whether it can only be marked as one: a formula."""
        return self.kind == "formula"


class Heading(NamedTuple):
    """A heading, and the first run of its section; top if it parts the page into sections."""

    level: int
    title: str
    anchor: str
    run: int
    top: bool


class Words(NamedTuple):
    """Where a run is shown."""

    run: int


class LinkStart(NamedTuple):
    """Where a link begins, and its target as the book has it."""

    target: str


class LinkEnd(NamedTuple):
    """Where a link ends."""


class Choice(NamedTuple):
    """Markup of one of several that show in turn: a tab of a set, or details open."""

    group: int
    member: int
    on: str
    off: str


Piece = str | Words | LinkStart | LinkEnd | Choice


class Parsed:
    """A page read once: what it is made of, and the streams of its letters."""

    def __init__(
        self, pieces: Iterable[Piece], runs: Iterable[Run], headings: Iterable[Heading]
    ) -> None:
        """Keep what was read."""
        self.pieces = tuple(pieces)
        self.runs = tuple(runs)
        self.headings = tuple(headings)

    @cached_property
    def source(self) -> Stream:
        """The letters of the page as the cleaned text has them."""
        return stream(Part(n, run.block, run.source) for n, run in enumerate(self.runs))

    @cached_property
    def plain(self) -> Stream:
        """The same without what only markup says."""
        shown = ((n, run) for n, run in enumerate(self.runs) if run.kind != "ghost")
        return stream(Part(n, run.block, run.source) for n, run in shown)

    @cached_property
    def shown(self) -> Stream:
        """The letters that a browser shows."""
        return stream(Part(n, run.block, run.shown) for n, run in enumerate(self.runs))

    @cached_property
    def words(self) -> str:
        """Every word that a browser shows, in lower case between spaces."""
        text, block = "", -1
        for run in self.runs:
            text += run.shown if run.block == block else "\n" + run.shown
            block = run.block
        return " " + " ".join(re.findall(r"[^\W_]+", text.casefold())) + " "

    def section_of(self, run: int) -> Heading | None:
        """The heading a run stands under."""
        number = self.runs[run].heading
        return self.headings[number] if number >= 0 else None

    def start_of(self, anchor: str) -> int:
        """The first run of a section; 0 where the page has no such section."""
        return next((h.run for h in self.headings if anchor and h.anchor == anchor), 0)
