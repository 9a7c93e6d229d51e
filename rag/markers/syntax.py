"""How markers, links, definitions, tags and formulas are written; pure, on text seen so far.

Where a function takes `whole`, None means that more text could change its answer.
"""

import re
from typing import NamedTuple

MARKER = re.compile(r"\[(\d{1,3})\]")
# No prompt holds more passages (top_k), so a list with a higher number, or a 0, is an interval.
_MOST_PASSAGES = 20
_LIST = re.compile(r"\d{1,3}(?:\s*(?:[-–—,;&]|and)\s*\d{1,3})*")
_INSIDE = (
    r"\s*(?:(?:sources?|passages?|references?|refs?|citations?)[\s:.#]*)?\^?"
    rf"{_LIST.pattern}\s*(?:†[^\[\]【】\n]*)?"
)
_NUMBERS = re.compile(
    rf"\[\[{_INSIDE}\]\]|\[{_INSIDE}\]|\\\[{_INSIDE}\\\]|【{_INSIDE}】|［{_INSIDE}］", re.IGNORECASE
)
SOURCE = re.compile(r"\s*sources?\s*:\s*(.*?)\s*", re.IGNORECASE | re.DOTALL)
# What an answer that was cut off may end with.
HALF_MARKER = re.compile(r"\[{1,2}[\d\s,;^–-]*|\[\s*sources?\s*:[^\]]*", re.IGNORECASE)
_IN_LABEL = re.compile(r"\\.|(?P<ticks>`+)|(?P<open>\[)|(?P<close>\])", re.DOTALL)
_IN_TARGET = re.compile(r"\\.|(?P<open>\()|(?P<close>\))", re.DOTALL)
_TITLE = r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\))"
_DESTINATION = re.compile(rf"(<[^<>\n]*>|[^\s<>]*)(?:\s+{_TITLE})?")
_LABEL_OF_DEFINITION = re.compile(r"\[(?:[^\[\]\\]|\\.)+\]:")
_DEFINITION = re.compile(
    r"[ \t]*\n?[ \t]*(?:<[^<>\n]*>|[^\s<]\S*)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t\r]*(?=\n|\Z)"
)
_HALF_DEFINITION = re.compile(
    r"[ \t]*\n?[ \t]*(?:(?:<[^<>\n]*>?|[^\s<]\S*)(?:[ \t]+(?:[\"'(][^\n]*)?)?)?\r?"
)
_MORE_WORDS = re.compile(r"[ \t]*[^\s<]\S*[ \t]+\w")
_FORMULA = re.compile(r"\$(?=[^\s$])[^`$\n]*?[^\s\\`$]\$(?![A-Za-z0-9$])")
_DISPLAY = re.compile(r"\$\$[^`$]+\$\$")
# What no formula holds, and what would be a link, a tag or a marker if it is not read as one.
_NOT_IN_FORMULA = re.compile(r"`|\]\s*[(\[]|<[A-Za-z/!?]|://|\s\[\d{1,3}\]")
_CLOSES = {"\\[": "\\]", "\\(": "\\)"}
# `a <b and c> d` is no tag: attributes have values.
TAG = re.compile(
    r"<(?:!--.*?--|(?!!--|[A-Za-z][\w:.-]*\s+\w[^=>]*>)"
    r"[/!?]?[A-Za-z](?:[^<>\"'`]++|\"[^\"]*+\"|'[^']*+')*+)>"
)
AUTOLINK = re.compile(
    r"<((?:[a-z][a-z0-9+.-]*://|(?:mailto|javascript|vbscript|data|tel):)[^\s<>]*|[^\s<>@/]+@[^\s<>@]+)>",
    re.IGNORECASE,
)
_INLINE_TAGS = frozenset(
    "a abbr b bdi bdo cite code del em font i ins kbd mark q s small span strong sub sup u".split()
)
_OTHER_TAGS = frozenset(
    """applet article aside audio blockquote body br button canvas center dd details div dl dt embed
    fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html
    iframe img input label li main map marquee math meta nav noscript object ol optgroup option p
    picture pre script section select slot style summary svg table tbody td template textarea tfoot
    th thead tr track ul video wbr""".split()
)
# A tag of any name that fetches or runs something.
_LOADS = re.compile(r"[\s/](?:href|src|srcset|style|action|data|on\w+|\w+:href)\s*=", re.IGNORECASE)


class Numbers(NamedTuple):
    """A bracket that names passages: `[1]`, `[1, 3-5]`, `【1】`."""

    end: int
    numbers: list[int]


def read_numbers(text: str) -> Numbers | None:
    """The passages a bracket at the start of a text names; an interval names none."""
    match = _NUMBERS.match(text)
    listed = _LIST.search(match.group()) if match else None
    if match is None or listed is None:
        return None
    found: list[int] = []
    for part in re.split(r"[,;&]|and", listed.group()):
        ends = [int(n) for n in re.findall(r"\d+", part)]
        found.extend(range(ends[0], ends[-1] + 1) if ends[0] < ends[-1] else ends)
    if len(found) > 1 and not all(1 <= n <= _MOST_PASSAGES for n in found):
        return None
    return Numbers(match.end(), list(dict.fromkeys(found)))


def label_end(text: str, start: int, whole: bool) -> int | None:
    """Where the bracket that opens at `start` has closed; 0 if it does not."""
    depth, at = 0, start
    while sign := _IN_LABEL.search(text, at):
        at = sign.end()
        if ticks := sign["ticks"]:
            line_end = text.find("\n", at)
            code = re.compile(rf"(?<!`){ticks}(?!`)").search(text, at)
            if code and (line_end < 0 or code.end() <= line_end):
                at = code.end()
            elif line_end < 0 and not whole:
                return None
        depth += bool(sign["open"]) - bool(sign["close"])
        if depth == 0:
            return at
    return 0 if whole else None


class Target(NamedTuple):
    """What stands in parentheses behind a bracket; `address` is None where it is no link's."""

    end: int
    address: str | None


def read_target(text: str, start: int, whole: bool) -> Target | None:
    """The target that opens at `start`; its end is 0 if it does not close."""
    at = start
    if angle := re.compile(r"\(\s*<[^<>\n]*").match(text, start):
        if angle.end() == len(text) and not whole:
            return None
        at = angle.end() if text[angle.end() : angle.end() + 1] == ">" else at
    depth = int(at > start)
    while sign := _IN_TARGET.search(text, at):
        at = sign.end()
        depth += bool(sign["open"]) - bool(sign["close"])
        if depth == 0:
            inside = _DESTINATION.fullmatch(text[start + 1 : at - 1].strip())
            address = inside[1].strip("<>") if inside else None
            # `callbacks[i](msg)` is no link.
            is_link = address is not None and (not address or re.search(r"[:/.#?%&\\]", address))
            return Target(at, address if is_link else None)
    return Target(0, None) if whole else None


def definition_end(text: str, whole: bool) -> int | None:
    """Where a link definition at the start of a text ends; 0 if there is none.

    Below 0, minus the length of its label: no definition, unless more is taken out of its line.
    """
    label = _LABEL_OF_DEFINITION.match(text)
    if label is None:
        return 0
    found = _DEFINITION.match(text, label.end())
    if found and (whole or found.end() < len(text)):
        return found.end()
    if not whole and _HALF_DEFINITION.fullmatch(text, label.end()):
        return None
    return 0 if _MORE_WORDS.match(text, label.end()) else -label.end()


def formula_end(text: str, whole: bool, before: str) -> int | None:
    """Where a formula at the start of a text, as `$...$` or `$$...$$`, ends; 0 if it is none."""
    double = text.startswith("$$")
    if not double and re.match(r"[A-Za-z0-9$]", before):
        return 0
    opened = 2 if double else 1
    stop = re.compile(r"[`$]" if double else r"[`$\n]").search(text, opened)
    if not whole and (stop is None or stop.end() == len(text)):
        return None
    found = (_DISPLAY if double else _FORMULA).match(text)
    return found.end() if found and not _NOT_IN_FORMULA.search(found.group()) else 0


def escaped_formula_end(text: str, whole: bool) -> int | None:
    r"""Where a formula at the start of a text, as `\(...\)` or `\[...\]`, ends; 0 if none."""
    close = _CLOSES.get(text[:2])
    if close is None:
        return 0
    end = text.find(close, 2)
    if end < 0:
        return 0 if whole else None
    return 0 if _NOT_IN_FORMULA.search(text[:end]) else end + 2


class Fence(NamedTuple):
    """An open code block: its sign, how many of them end it, and whether it stands in a quote."""

    sign: str
    least: int
    quoted: bool

    def may_be_ended_by(self, line: str) -> bool:
        """Whether an unfinished line may still turn out to end the block."""
        return not self._inside(line).strip(self.sign)

    def is_ended_by(self, line: str) -> bool:
        """Whether a line closes the block."""
        return len(self._inside(line)) >= self.least and self.may_be_ended_by(line)

    def is_left_by(self, line: str) -> bool:
        """Whether a line lies outside the quote that the block stands in."""
        return self.quoted and not line.lstrip().startswith(">")

    def _inside(self, line: str) -> str:
        return line.lstrip(" \t>" if self.quoted else " \t").rstrip()


def code_span_end(line: str, whole: bool) -> int | None:
    """Where the code span at the start of a line ends; 0 if its ticks do not close."""
    run = len(line) - len(line.lstrip("`"))
    closed = re.compile(rf"(?<!`)`{{{run}}}(?!`)").search(line, run)
    if closed and (whole or closed.end() < len(line)):
        return closed.end()
    return 0 if whole else None


class TagKind(NamedTuple):
    """What to do with a tag: HTML goes, and parts words unless it is inline; others are text."""

    is_html: bool
    parts_words: bool


def kind_of_tag(tag: str) -> TagKind:
    """What a tag is. One that is not HTML's is part of a subject, such as `<note>`."""
    named = re.match(r"</?([A-Za-z][\w:.-]*)", tag)
    name = named[1].lower() if named else ""
    is_html = not name or name in _INLINE_TAGS or name in _OTHER_TAGS or _LOADS.search(tag)
    return TagKind(bool(is_html) or "`" in tag, name not in _INLINE_TAGS)
