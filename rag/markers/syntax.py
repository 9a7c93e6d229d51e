"""How markers, links, definitions, tags and formulas are written; pure, on text seen so far.

Where a function takes `whole`, None means that more text could change its answer.
"""

import re
from typing import NamedTuple

from rag.text import is_price

MARKER = re.compile(r"\[(\d{1,3})\]")
# No prompt holds more passages (top_k), so a list with a higher number, or a 0, is an interval.
_MOST_PASSAGES = 20
_LIST = re.compile(r"\d{1,3}(?:\s*(?:[-–—,;&]|and)\s*\d{1,3})*")
# Between brackets nobody sees these, so they count as spaces. Not the word joiner: by it a quoting
# answer tells the book's own brackets from its markers.
_GAP = "[\\s\u00ad\u200b-\u200d\ufeff]*"
_INSIDE = (
    rf"{_GAP}(?:(?:sources?|passages?|references?|refs?|citations?)[\s:.#]*)?\^?"
    rf"{_LIST.pattern}{_GAP}(?:†[^\[\]【】\n]*)?"
)
_OPENINGS = ("&#91;", "&#x5b;", "&lbrack;", "&lsqb;")
_OPENING, _CLOSING = f"(?:{'|'.join(_OPENINGS)})", "&(?:#93|#x5d|rbrack|rsqb);"
_NUMBERS = re.compile(
    rf"\[\[{_INSIDE}\]\]|\\?\[{_INSIDE}\\?\]|【{_INSIDE}】|［{_INSIDE}］"
    rf"|{_OPENING}{_INSIDE}{_CLOSING}",
    re.IGNORECASE,
)
_BRACKET = re.compile(rf"{_OPENING}|{_CLOSING}", re.IGNORECASE)
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
_NOT_IN_FORMULA = re.compile(
    r"`|\]\s*[(\[]|<[A-Za-z/!?]|://|\s\[\d{1,3}\]|\\(?:href|url|includegraphics|html)",
    re.IGNORECASE,
)
_CLOSES = {"\\[": "\\]", "\\(": "\\)"}
_IMAGE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)")
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
    listed = _LIST.search(_BRACKET.sub("", match.group())) if match else None
    if match is None or listed is None:
        return None
    found: list[int] = []
    for part in re.split(r"[,;&]|and", listed.group()):
        ends = [int(n) for n in re.findall(r"\d+", part)]
        found.extend(range(ends[0], ends[-1] + 1) if ends[0] < ends[-1] else ends)
    if len(found) > 1 and not all(1 <= n <= _MOST_PASSAGES for n in found):
        return None
    return Numbers(match.end(), list(dict.fromkeys(found)))


def read_written_numbers(label: str) -> Numbers | None:
    """The passages a bracket names once tags, pictures, emphasis and inner brackets are out."""
    inside = re.sub(r"[*_~]", "", _IMAGE.sub("", TAG.sub("", label[1:-1])))
    bare = read_numbers(f"[{_NUMBERS.sub('', inside)}]")
    if bare is None:
        return None
    inner = [n for m in _NUMBERS.finditer(inside) for n in _numbers_of(m.group())]
    return Numbers(len(label), list(dict.fromkeys([*bare.numbers, *inner])))


def _numbers_of(bracket: str) -> list[int]:
    found = read_numbers(bracket)
    return found.numbers if found else []


def opens_bracket(text: str) -> bool | None:
    """Whether an entity that stands for `[` comes next; None if it still may."""
    begun = text.lower()
    if begun.startswith(_OPENINGS):
        return True
    return None if any(opening.startswith(begun) for opening in _OPENINGS) else False


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


class Formula(NamedTuple):
    """Where a formula ends, 0 where there is none, and whether it must not be taken for one."""

    end: int
    looks_like_one: bool = False


def read_formula(text: str, whole: bool, before: str, alone: bool) -> Formula | None:
    """The formula at the start of a text, as `$...$` or, best on its own lines, `$$...$$`."""
    double = text.startswith("$$")
    if not double and re.match(r"[A-Za-z0-9$]", before):
        # What stood between two dollars may have gone.
        return Formula(0, before == "$")
    opened = 2 if double else 1
    stop = re.compile(r"[`$]" if double else r"[`$\n]").search(text, opened)
    if not whole and (stop is None or stop.end() == len(text)):
        return None
    found = (_DISPLAY if double else _FORMULA).match(text)
    if found is None:
        return Formula(0, double)
    if _NOT_IN_FORMULA.search(found.group()) or is_price(found.group().strip("$ ")):
        return Formula(0, True)
    if double and "\n" in found.group():
        ends = _ends_line(text, found.end(), alone, whole)
        return None if ends is None else Formula(found.end() if ends else 0, not ends)
    return Formula(found.end())


def _ends_line(text: str, end: int, alone: bool, whole: bool) -> bool | None:
    """Whether what began a line also ends one: only then it is shown as a formula."""
    rest, newline, _ = text[end:].partition("\n")
    if not alone or rest.strip():
        return False
    return True if newline or whole else None


def escaped_formula_end(text: str, whole: bool, alone: bool) -> int | None:
    r"""Where a formula ends, `\(...\)` in a line or `\[...\]` on lines of its own; 0 if none."""
    close = _CLOSES.get(text[:2])
    if close is None:
        return 0
    if close == "\\]" and not alone:
        # It may still be a marker.
        return 0 if whole or "]" in text else None
    end = text.find(close, 2)
    if end < 0:
        ended = whole or (close == "\\)" and "\n" in text)
        return 0 if ended else None
    if _NOT_IN_FORMULA.search(text[:end]) or "$" in text[:end]:
        return 0
    if close == "\\)":
        return 0 if "\n" in text[:end] else end + 2
    ends = _ends_line(text, end + 2, alone, whole)
    return None if ends is None else (end + 2) * ends


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
