"""Fenced code: where a block begins and ends, however it is nested."""

import re
from dataclasses import dataclass

_OPENING = re.compile(
    r"(?P<lead>[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)"
    r"(?P<mark>`{3,}|~{3,})(?P<info>[^\n]*)"
)
_LANGUAGE = re.compile(r"\s*([^\s{},=]+)(?![^\s{},]*=)")


@dataclass(frozen=True)
class Fence:
    """One fenced block: what stands before its fence, the fence, its info, the code."""

    lead: str
    mark: str
    info: str
    code: tuple[str, ...]
    taken: int

    @property
    def language(self) -> str:
        """The language named after the fence, or ""."""
        match = _LANGUAGE.match(self.info)
        return match[1] if match else ""

    def lines(self, lead: str | None = None) -> list[str]:
        """The block with a plain info string, closed even where the page forgot to."""
        before = self.lead if lead is None else lead
        below = re.sub(r"[-*+\d.)]", " ", before)
        return [f"{before}{self.mark}{self.language}", *self.code, f"{below}{self.mark}"]


def fence_at(lines: list[str], start: int) -> Fence | None:
    """The fenced block that opens on this line, if one does."""
    match = _OPENING.fullmatch(lines[start])
    if match is None or (match["mark"][0] == "`" and "`" in match["info"]):
        return None
    mark, quoted = match["mark"], ">" in match["lead"]
    deepest = len(match["lead"].expandtabs(4)) + 3
    closing = re.compile(rf"(?:[ \t]*>)*[ \t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*")
    end = start + 1
    while end < len(lines):
        line = lines[end]
        if closing.fullmatch(line) and len(line) - len(line.lstrip()) <= deepest:
            return Fence(
                match["lead"], mark, match["info"], tuple(lines[start + 1 : end]), end + 1 - start
            )
        if quoted and not line.lstrip().startswith(">"):
            break
        end += 1
    return Fence(match["lead"], mark, match["info"], tuple(lines[start + 1 : end]), end - start)


def fence_around(code: str, language: str = "") -> str:
    """Code in a fence longer than any inside it."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    mark = "`" * max(3, longest + 1)
    return f"{mark}{language}\n{code}\n{mark}"
