"""The `[n]` markers of an answer, read while it streams: renumbered, resolved, never half shown."""

import re
from collections.abc import Sequence

from rag.domain.retrieval import RetrievedChunk

MARKER = re.compile(r"\[(\d{1,3})\]")
_NUMBERS = re.compile(r"[\[【]\s*(\d{1,3}(?:\s*[-–,;]\s*\d{1,3})*)\s*[\]】]")
_LINK = re.compile(
    r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(\s*([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^()]*\)"
)
_CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_SPECIAL = re.compile(r"[ \t]*(?:!?\[|【)|`")
# A bracket that has not closed by then is text, not a marker.
_LONGEST = 600


class MarkerStream:
    """Takes an answer in pieces of any size and gives it back with every marker whole.

    Markers are renumbered in the order they first appear, so a reader sees [1], [2], [3].
    What points at no passage is dropped and counted. Links lose their target unless it is a
    passage's; images go. Code is passed through as it is.
    """

    def __init__(self, passages: Sequence[RetrievedChunk]) -> None:
        """Markers are resolved against the passages of the prompt, numbered from 1."""
        self._passages = passages
        self._buffer = ""
        self.cited: list[RetrievedChunk] = []
        self.dropped = 0

    def feed(self, piece: str) -> str:
        """What can be shown after one more piece."""
        self._buffer += piece
        return self._drain(final=False)

    def finish(self) -> str:
        """What was held back, now that nothing more comes."""
        return self._drain(final=True)

    def _drain(self, final: bool) -> str:
        shown = ""
        while special := _SPECIAL.search(self._buffer):
            shown += self._buffer[: special.start()]
            self._buffer = self._buffer[special.start() :]
            taken = self._take(final)
            if taken is None:
                return shown
            shown += taken
        # A space may belong to a marker that is still to come and may have to go with it.
        kept = "" if final else self._buffer[len(self._buffer.rstrip(" \t!")) :]
        shown += self._buffer[: len(self._buffer) - len(kept)]
        self._buffer = kept
        return shown

    def _take(self, final: bool) -> str | None:
        """The construct at the buffer's start, as it is shown; None where more must come."""
        if self._buffer.startswith("`"):
            return self._take_code(final)
        space = self._buffer[: len(self._buffer) - len(self._buffer.lstrip(" \t"))]
        rest = self._buffer[len(space) :]
        link = _LINK.match(rest)
        numbers = _NUMBERS.match(rest)
        if link:
            self._buffer = rest[link.end() :]
            return self._linked(space, link)
        if numbers and (final or not _may_become_link(rest[numbers.end() :])):
            self._buffer = rest[numbers.end() :]
            return self._numbered(space, numbers.group(1))
        if not final and len(rest) < _LONGEST and _is_open(rest):
            return None
        self._buffer = rest[1:]
        return space + rest[0]

    def _take_code(self, final: bool) -> str | None:
        code = _CODE.match(self._buffer)
        ticks = len(self._buffer) - len(self._buffer.lstrip("`"))
        if code and (final or code.end() < len(self._buffer)):
            self._buffer = self._buffer[code.end() :]
            return code.group()
        inline = ticks < 3 and "\n\n" in self._buffer
        if final or inline:
            text, self._buffer = self._buffer[:ticks], self._buffer[ticks:]
            return text
        return None

    def _numbered(self, space: str, numbers: str) -> str:
        shown = "".join(self._marker(n) for n in _expanded(numbers))
        return (space or "") + shown if shown else ""

    def _marker(self, number: int) -> str:
        if not 1 <= number <= len(self._passages):
            self.dropped += 1
            return ""
        return self._cite(self._passages[number - 1])

    def _cite(self, passage: RetrievedChunk) -> str:
        if passage not in self.cited:
            self.cited.append(passage)
        return f"[{self.cited.index(passage) + 1}]"

    def _linked(self, space: str, link: re.Match[str]) -> str:
        if link.group().startswith("!"):
            return space
        text, target = link.group(1), link.group(2)
        for passage in self._passages:
            if target and target == passage.chunk.url:
                return space + self._cite(passage)
        if text.isdigit():
            return self._numbered(space, text)
        if text.lower().startswith("source:"):
            self.dropped += 1
            return ""
        return space + text


def _expanded(numbers: str) -> list[int]:
    """`1, 3-5` as 1, 3, 4, 5."""
    found: list[int] = []
    for part in re.split(r"\s*[,;]\s*", numbers):
        ends = [int(n) for n in re.split(r"\s*[-–]\s*", part)]
        found.extend(range(ends[0], ends[-1] + 1) if len(ends) == 2 else ends)
    return found


def _may_become_link(after: str) -> bool:
    """Whether what follows a closed bracket could still make it a link."""
    return not after or (after.startswith("(") and ")" not in after and len(after) < _LONGEST)


def _is_open(rest: str) -> bool:
    """Whether a bracket, or the target behind it, has not closed yet."""
    body = rest.removeprefix("!")
    close = body.find("]" if body.startswith("[") else "】")
    if close < 0:
        return "\n\n" not in body
    return _may_become_link(body[close + 1 :]) or body.count("[") > body.count("]")
