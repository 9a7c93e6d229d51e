"""Cleaned Markdown as a list of blocks, its headings with the anchors Docusaurus gives them."""

import re
from collections.abc import Callable
from typing import Literal

from rag.domain.base import Value
from rag.ingest.fences import fence_at
from rag.ingest.inline import plain_text
from rag.ingest.slugs import Slugger, split_heading_id

BlockKind = Literal["heading", "paragraph", "label", "list", "code", "table", "math", "quote"]

_ATX = re.compile(r" {0,3}(?P<marks>#{1,6})(?:[ \t]+(?P<title>.*?))?(?:[ \t]+#+)?[ \t]*")
_INNER_HEADING = re.compile(
    r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?#{1,6}[ \t]+(?P<title>.*?)(?:[ \t]+#+)?[ \t]*"
)
_UNDERLINE = re.compile(r" {0,3}(?P<mark>=+|-+)[ \t]*")
_RULE = re.compile(r" {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})")
_BULLET = re.compile(r" {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_INTERRUPTING_BULLET = re.compile(r" {0,3}(?:[-*+]|1[.)])[ \t]+\S")
_ANY_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)")
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
# A paragraph that is one bold line is a title of what follows: of a box, a tab, a listing.
_LABEL = re.compile(r"\*\*(?:[^*\n]|\*(?!\*))+\*\*:?")


class Block(Value):
    """One block of a page; of headings also level, plain title and anchor."""

    kind: BlockKind
    text: str
    level: int = 0
    title: str = ""
    anchor: str = ""


def read_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of cleaned Markdown, in order."""
    return tuple(_Reader(text.split("\n")).run())


class _Reader:
    """Walks down the lines and takes one block after the other."""

    def __init__(self, lines: list[str]) -> None:
        self.lines = lines
        self.at = 0
        self.slugger = Slugger()
        self.blocks: list[Block] = []

    def run(self) -> list[Block]:
        """Every block."""
        steps: tuple[Callable[[], bool], ...] = (
            self._nothing,
            self._fence,
            self._math,
            self._heading,
            self._table,
            self._quote,
            self._list,
        )
        while self.at < len(self.lines):
            if not any(step() for step in steps):
                self._paragraph()
        return self.blocks

    def _take(self, kind: BlockKind, end: int) -> bool:
        """A block from here up to a line."""
        lines = self.lines[self.at : end]
        indent = len(lines[0]) - len(lines[0].lstrip())
        moved = [line[min(indent, len(line) - len(line.lstrip())) :].rstrip() for line in lines]
        self.blocks.append(Block(kind=kind, text="\n".join(moved).strip("\n")))
        self.at = end
        return True

    def _nothing(self) -> bool:
        """Blank lines and rules between paragraphs carry no words."""
        line = self.lines[self.at]
        if line.strip() and not _RULE.fullmatch(line):
            return False
        self.at += 1
        return True

    def _fence(self) -> bool:
        fence = fence_at(self.lines, self.at)
        if fence is None or fence.lead.strip():
            return False
        return self._take("code", self.at + fence.taken)

    def _math(self) -> bool:
        end = self._math_end(self.at)
        return end is not None and self._take("math", end)

    def _math_end(self, start: int) -> int | None:
        """Where display math that begins on this line ends."""
        line = self.lines[start].strip()
        if not line.startswith("$$"):
            return None
        if line.count("$$") > 1:
            return start + 1 if line.endswith("$$") else None
        closing = (
            at + 1
            for at in range(start + 1, len(self.lines))
            if self.lines[at].rstrip().endswith("$$")
        )
        return next(closing, None)

    def _heading(self) -> bool:
        match = _ATX.fullmatch(self.lines[self.at])
        if match is None:
            return False
        self.at += 1
        self._add_heading(len(match["marks"]), match["title"] or "")
        return True

    def _add_heading(self, level: int, source: str) -> None:
        """Note a heading. Level one counts among duplicates but has no anchor on the page."""
        markdown, explicit = split_heading_id(source.strip())
        words = plain_text(markdown)
        anchor = explicit or self.slugger.slug(words)
        title = " ".join(words.split())
        if title:
            text = f"{'#' * level} {' '.join(markdown.split())}"
            self.blocks.append(
                Block(
                    kind="heading",
                    text=text,
                    level=level,
                    title=title,
                    anchor=anchor if level > 1 else "",
                )
            )

    def _table(self) -> bool:
        if not self._is_table(self.at):
            return False
        end = self.at + 2
        while end < len(self.lines) and self.lines[end].strip() and not self._interrupts(end):
            end += 1
        return self._take("table", end)

    def _is_table(self, at: int) -> bool:
        """Whether a header row with its delimiter row begins here."""
        if at + 1 >= len(self.lines) or "|" not in self.lines[at]:
            return False
        below = self.lines[at + 1]
        return "|" in below and _DELIMITERS.fullmatch(below) is not None

    def _quote(self) -> bool:
        if not self.lines[self.at].lstrip().startswith(">"):
            return False
        end = self.at + 1
        while end < len(self.lines) and self.lines[end].strip() and not self._interrupts(end):
            end += 1
        self._count_inner_headings(end)
        return self._take("quote", end)

    def _count_inner_headings(self, end: int) -> None:
        """Headings inside quotes and lists take anchors too, so later duplicates count on."""
        at = self.at
        while at < end:
            fence = fence_at(self.lines, at)
            match = None if fence else _INNER_HEADING.fullmatch(self.lines[at])
            if match:
                markdown, explicit = split_heading_id(match["title"])
                _ = explicit or self.slugger.slug(plain_text(markdown))
            at += fence.taken if fence else 1

    def _list(self) -> bool:
        if not _BULLET.match(self.lines[self.at]):
            return False
        end = self.at
        while end < len(self.lines):
            fence = fence_at(self.lines, end)
            if not self._belongs_to_list(end):
                break
            end += fence.taken if fence else 1
        end = min(end, len(self.lines))
        while not self.lines[end - 1].strip():
            end -= 1
        self._count_inner_headings(end)
        return self._take("list", end)

    def _belongs_to_list(self, at: int) -> bool:
        """Whether a line goes on with the list above it."""
        line = self.lines[at]
        if not line.strip() or _ANY_BULLET.match(line):
            return not _RULE.fullmatch(line)
        if len(line) - len(line.lstrip()) >= 2:
            return True
        return bool(self.lines[at - 1].strip()) and not self._interrupts(at)

    def _interrupts(self, at: int) -> bool:
        """Whether a line begins a block of its own even without a blank line before it."""
        line = self.lines[at]
        return (
            _ATX.fullmatch(line) is not None
            or _RULE.fullmatch(line) is not None
            or fence_at(self.lines, at) is not None
            or self._math_end(at) is not None
        )

    def _paragraph(self) -> None:
        """Lines up to a blank one, or a heading if they are underlined."""
        end = self.at + 1
        while end < len(self.lines) and self.lines[end].strip():
            underline = _UNDERLINE.fullmatch(self.lines[end])
            if underline:
                words = "\n".join(line.strip() for line in self.lines[self.at : end])
                self.at = end + 1
                return self._add_heading(1 if underline["mark"][0] == "=" else 2, words)
            if self._ends_paragraph(end):
                break
            end += 1
        text = "\n".join(line.strip() for line in self.lines[self.at : end])
        self._take("label" if _LABEL.fullmatch(text) else "paragraph", end)
        return None

    def _ends_paragraph(self, at: int) -> bool:
        line = self.lines[at]
        return (
            self._interrupts(at)
            or line.lstrip().startswith(">")
            or _INTERRUPTING_BULLET.match(line) is not None
            or self._is_table(at)
        )
