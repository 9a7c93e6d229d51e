"""Content indented inside JSX elements, moved back to where Markdown expects it."""

import re

from rag.ingest.fences import fence_at

_OPENING = re.compile(r"[ \t]*<(?P<name>[A-Za-z][\w.]*)\b[^<>]*(?<!/)>[ \t]*")
_CLOSING = re.compile(r"[ \t]*</(?P<name>[A-Za-z][\w.]*)\s*>[ \t]*")


class _Element:
    """An open element: how far its tag stands in, and how far its content is moved back."""

    def __init__(self, name: str, indent: int, outer: int) -> None:
        self.name = name
        self.indent = indent
        self.outer = outer
        self.shift: int | None = None


def dedent_children(lines: list[str]) -> list[str]:
    """The lines, with what stands inside an element as far in as its tag.

    MDX has no indented code: four spaces inside <Tabs><TabItem> are only tidiness.
    """
    closed = set(re.findall(r"</([A-Za-z][\w.]*)", "\n".join(lines)))
    opened: list[_Element] = []
    moved: list[str] = []
    at = 0
    while at < len(lines):
        fence = fence_at(lines, at)
        taken = fence.taken if fence else 1
        shift = _shift(lines[at], opened)
        moved += [_without(line, shift) for line in lines[at : at + taken]]
        if fence is None:
            _open(lines[at], shift, opened, closed)
        at += taken
    return moved


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _without(line: str, shift: int) -> str:
    """A line moved back, by no more than it is moved in."""
    return line[min(shift, _indent(line)) :]


def _shift(line: str, opened: list[_Element]) -> int:
    """How far a line is to be moved back; a closing tag goes with its opening one."""
    if not line.strip():
        return 0
    closing = _CLOSING.fullmatch(line)
    if closing and any(element.name == closing["name"] for element in opened):
        while (element := opened.pop()).name != closing["name"]:
            pass
        return element.outer
    if not opened:
        return 0
    inner = opened[-1]
    if inner.shift is None:
        inner.shift = inner.outer + max(0, _indent(line) - inner.indent)
    return inner.shift


def _open(line: str, shift: int, opened: list[_Element], closed: set[str]) -> None:
    """Remember an element whose opening tag has the line to itself and is closed somewhere."""
    match = _OPENING.fullmatch(line)
    if match and match["name"] in closed:
        opened.append(_Element(match["name"], _indent(line), shift))
