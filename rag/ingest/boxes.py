"""Boxes of a page for a reader: notes, details and tabs, each opened and closed.

The cleaner leaves a mark where a box opens or closes. When the page is done, the marks become
lines: `:::kind title`, and `:::` for the box opened last.
"""

import re
from typing import NamedTuple

# Cleaned text has no control characters, so nothing an author writes is taken for a mark.
_OPEN, _CLOSE = "\x01", "\x02"
_MARK = re.compile(
    rf"(?P<lead>[^{_OPEN}{_CLOSE}]*)(?P<mark>[{_OPEN}{_CLOSE}])(?P<colons>\d+) (?P<kind>[\w-]*) ?"
    r"(?P<title>.*)"
)
_BULLET = re.compile(r"(?:^|[ \t>])(?:[-*+]|\d{1,9}[.)])[ \t]")
_BULLET_MARKS = re.compile(r"[-*+\d.)]")
_FALSE_EDGE = re.compile(
    r"^(?P<lead>(?:[ \t>]|(?:[-*+]|\d{1,9}[.)])[ \t]++)*+)(?=:::|~~~|```[^`\n]*$)", re.MULTILINE
)


class _Box(NamedTuple):
    """A box that is open: what its closing line stands behind, its colons, its kind."""

    lead: str
    colons: int
    kind: str


def opening(kind: str, title: str = "", colons: int = 0) -> str:
    """The mark of a box that opens; a box of colons says how many, one of tags has none."""
    return f"{_OPEN}{colons} {kind} {title}"


def closing(kind: str = "", colons: int = 0) -> str:
    """The mark of a box that closes."""
    return f"{_CLOSE}{colons} {kind}"


def below(lead: str) -> str:
    """What the lines under one with this lead begin with: a bullet's room, without the bullet."""
    return _BULLET_MARKS.sub(" ", lead)


def escape_false_edges(prose: str) -> str:
    """Prose in which no line looks like one that opens or closes a box or a block of code."""
    return _FALSE_EDGE.sub(r"\g<lead>\\", prose)


def settle(text: str) -> str:
    """A page with its marks as lines: every box is closed, and nothing else is."""
    page = _Page()
    for line in text.split("\n"):
        mark = _MARK.fullmatch(line)
        if mark is None:
            page.put(line)
        elif mark["mark"] == _OPEN:
            page.open(_Box(mark["lead"], int(mark["colons"]), mark["kind"]), mark["title"])
        else:
            page.close(_Box(mark["lead"], int(mark["colons"]), mark["kind"]))
    page.close_from(0)
    return "\n".join(page.lines).strip("\n")


class _Page:
    """The lines written so far, and the boxes open at their end."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._opened: list[_Box] = []
        self._near_box = False

    def put(self, line: str) -> None:
        """A line of the page; around boxes one blank line is enough."""
        is_gap = _is_gap(line)
        if self._near_box and is_gap and self.lines and _is_gap(self.lines[-1]):
            return
        self.lines.append(line)
        self._near_box = self._near_box and is_gap

    def open(self, box: _Box, title: str) -> None:
        """A box opens."""
        self._opened.append(box._replace(lead=below(box.lead)))
        self._put_alone(box.lead, f":::{box.kind} {title}".rstrip())

    def close(self, closing: _Box) -> None:
        """What is closed here, with all that was left open inside it; it may be nothing."""
        if not _is_gap(closing.lead):
            self.lines.append(closing.lead.rstrip())
        lead = below(closing.lead)
        at = self._closed_by(closing)
        if at is None:
            self._put_gap(lead)
        else:
            self._opened[at] = self._opened[at]._replace(lead=lead)
            self.close_from(at)

    def close_from(self, at: int) -> None:
        """Close the boxes from this one on, the innermost first."""
        while len(self._opened) > at:
            self._put_alone(self._opened.pop().lead, ":::")

    def _closed_by(self, closing: _Box) -> int | None:
        """Which open box is meant: an element by its name, a box of colons by their number."""
        if not closing.colons:
            same = (n for n, box in enumerate(self._opened) if box.kind == closing.kind)
            return max((n for n in same if not self._opened[n].colons), default=None)
        candidates: list[int] = []
        for n in range(len(self._opened) - 1, -1, -1):
            # What stands inside an element is closed inside it.
            if not self._opened[n].colons:
                break
            if self._opened[n].colons <= closing.colons:
                candidates.append(n)
        exact = (n for n in candidates if self._opened[n].colons == closing.colons)
        return next(exact, candidates[0] if candidates else None)

    def _put_alone(self, lead: str, line: str) -> None:
        """A line between blank ones, unless a bullet before it begins its item."""
        if not _BULLET.search(lead):
            self._put_gap(lead)
        self.lines.append(lead + line)
        self._put_gap(below(lead))

    def _put_gap(self, lead: str) -> None:
        """One blank line."""
        while self.lines and _is_gap(self.lines[-1]):
            self.lines.pop()
        self.lines.append(lead.rstrip())
        self._near_box = True


def _is_gap(line: str) -> bool:
    return not line.strip(" \t>")
