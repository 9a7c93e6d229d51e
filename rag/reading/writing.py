"""Pieces as HTML, with a quoted passage marked."""

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from rag.domain.book import Page
from rag.reading.building import parse
from rag.reading.marking import Mark, marks
from rag.reading.pieces import Choice, LinkStart, Parsed, Piece, Run, Words

# Last of all a link is looked at once more: only these lead anywhere.
_HREF = re.compile(r"(?:https?://|/(?![/\\])|#)[^\s\"'<>\x00-\x1f\x7f]*", re.IGNORECASE)


class Section(NamedTuple):
    """A section of a page for its table of contents."""

    level: int
    title: str
    anchor: str


class Reading(NamedTuple):
    """A page as an HTML fragment; what is marked in it, and under which heading."""

    html: str
    sections: tuple[Section, ...]
    marked: str
    section: str


def nowhere(_target: str) -> str:
    """Follow no link."""
    return ""


def render(
    page: Page, *, quote: str = "", section: str = "", follow: Callable[[str], str] = nowhere
) -> Reading:
    """A page as HTML that is safe to show, with a quote marked where it stands."""
    parsed = parse(page)
    found = marks(parsed, quote, section) if quote else []
    heading = parsed.section_of(found[0].run) if found else None
    return Reading(
        html=_Writer(parsed, found, follow).write(),
        sections=tuple(
            Section(h.level, h.title, h.anchor)
            for h in parsed.headings
            if h.top and h.level <= 3 and h.anchor and h.title
        ),
        marked=_marked(parsed, found),
        section=heading.anchor if heading else "",
    )


def _marked(parsed: Parsed, found: Sequence[Mark]) -> str:
    """The words under the marks."""
    text, block = "", -1
    for mark in found:
        run = parsed.runs[mark.run]
        gap = " " if text and run.block != block else ""
        text, block = text + gap + run.source[mark.start : mark.end], run.block
    return text


class _Writer:
    """Writes each piece once."""

    def __init__(self, parsed: Parsed, found: Sequence[Mark], follow: Callable[[str], str]) -> None:
        self.parsed = parsed
        self.follow = follow
        self.marks = {mark.run: mark for mark in found}
        # A mark must be seen: its tab is chosen, its details are open.
        self.chosen = dict(pair for mark in found[::-1] for pair in parsed.runs[mark.run].inside)
        self.links: list[str] = []
        self.cited = False

    def write(self) -> str:
        """The page."""
        return "".join(self._piece(piece) for piece in self.parsed.pieces)

    def _piece(self, piece: Piece) -> str:
        if isinstance(piece, str):
            return piece
        if isinstance(piece, Words):
            return self._words(self.parsed.runs[piece.run], self.marks.get(piece.run))
        if isinstance(piece, Choice):
            return piece.on if self.chosen.get(piece.group, 1) == piece.member else piece.off
        if isinstance(piece, LinkStart):
            return self._link(piece.target)
        return self.links.pop()

    def _link(self, target: str) -> str:
        """A link where its target may be followed, else only its words."""
        href = self.follow(target)
        if not href or not _HREF.fullmatch(href):
            self.links.append("")
            return ""
        self.links.append("</a>")
        away = "" if href[0] in "/#" else ' target="_blank" rel="noopener noreferrer"'
        return f'<a href="{escape(href)}"{away}>'

    def _words(self, run: Run, mark: Mark | None) -> str:
        if mark is None:
            return run.html or escape(run.shown)
        opening = "<mark>" if self.cited else '<mark id="cited">'
        self.cited = True
        if run.is_whole:
            return f"{opening}{run.html}</mark>"
        before, after = run.shown[: mark.start], run.shown[mark.end :]
        inside = escape(run.shown[mark.start : mark.end])
        return f"{escape(before)}{opening}{inside}</mark>{escape(after)}"
