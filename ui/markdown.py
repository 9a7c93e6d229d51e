"""Text of the book or of a model, made harmless for Streamlit's Markdown.

Whatever is not plain formatting is written so that it shows as it stands: no image, link, raw
HTML, icon or colour comes out of an answer. Only a marker becomes a link, to where we say. Code
and mathematics are written anew (code and display mathematics always at the left margin), so that
what this module takes for code is what the browser takes for code.
"""

import html
import re
from collections.abc import Mapping
from functools import partial
from itertools import groupby
from typing import NamedTuple

from rag.text import is_price

_WORD_JOINER = "\u2060"
_PREFIX = r"(?P<prefix>[ \t]*(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+)*)"
_FENCE = re.compile(_PREFIX + r"(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_DISPLAY = re.compile(_PREFIX + r"(?P<open>\$\$|\\\[)(?P<rest>.*)")
_CLOSE = {"$$": "$$", "\\[": "\\]"}
_LONGEST_FORMULA = 40

# Left to right, the first that fits. An escaped character never opens code or mathematics.
_SPAN = re.compile(
    r"\\\((?P<paren>[^`$]+?)\\\)"
    r"|\\(?P<escaped>[!-/:-@\[-`{-~])"
    r"|(?P<slash>\\)"
    r"|(?P<ticks>`++)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|\$\$(?P<double>[^`$]+)\$\$"
    r"|(?<![A-Za-z0-9$])\$(?=[^\s$])(?P<single>[^`$]{0,157}?[^\s\\`$])\$(?![A-Za-z0-9$])"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
    r"|(?P<stray>`+)"
)
_OPENER = re.compile(r"`+|\$+|\\\(")
# A marker behind an address is no part of it.
_IN_ADDRESS = r"(?:(?!\[\d{1,3}\])[^\s`|<>])"
_LIVE = re.compile(
    r"(?P<pair>\\.)"
    rf"|(?P<url>(?:[a-z]+://|www\.)(?:{_IN_ADDRESS}*[^\s`|<>.,;:!?'\")\[\]*_~]|{_IN_ADDRESS}+)|www\.)"
    r"|(?P<mail>[\w.+-]+@[\w.\\-]*\w)"
    r"|(?P<icon>:(?=material[/_]|[a-z+-][\w+-]*:|(?:\d+[a-z_]\w*|100|1234):))"
    r"|(?P<colon>:(?=[a-z:\[]))"
    r"|\[(?P<marker>\d{1,3})\]"
    r"|(?P<special>[\[\]<$`]|(?<!~)~(?!~))"
    r"|(?P<amp>&)",
    re.IGNORECASE,
)
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
# Escapes of these are undone and decided anew; an escape of any other character stays.
_REDECIDED = set("<&$`!:@/().")
_FORBIDDEN_TEX = re.compile(r"\\(?:href|url|includegraphics|html)", re.IGNORECASE)
_TABLE_RULE = re.compile(r"[ \t>|:+*\d.)-]*-[ \t|:-]*")
_FREE_BAR = re.compile(r"(?<!\\)((?:\\\\)*)\|")


class Link(NamedTuple):
    """Where a marker leads, and what is told about it before anybody goes there."""

    address: str
    told: str


Links = Mapping[int, Link]
_NO_LINKS: Links = {}


def safe_markdown(text: str, links: Links = _NO_LINKS) -> str:
    """An answer as Markdown that only formats; its `[n]` lead where `links` says, if anywhere."""
    lines = _clean(text).split("\n")
    in_table = _in_tables(lines)
    shown: list[str] = []
    at = 0
    while at < len(lines):
        block, taken = _special_block(lines, at)
        shown.extend(block or [_prose(lines[at], in_table[at], links)])
        at += taken
    return "\n".join(shown)


def closed(text: str) -> str:
    """An answer in the making, with the bold that is still open closed where it ends for now."""
    last = text.rpartition("\n\n")[2]
    if last.count("**") % 2 == 0 or "`" in last:
        return text
    return (
        text.rstrip().removesuffix("**") if last.rstrip().endswith("**") else f"{text.rstrip()}**"
    )


def literal(text: str) -> str:
    """Text on one line that shows exactly as it stands, wherever Streamlit takes Markdown."""
    flat = _PUNCTUATION.sub(r"\\\g<0>", " ".join(_clean(text).split()))
    # What turns into a link or an icon after the escapes were undone needs a gap nobody sees.
    flat = re.sub(r"(?i)(www)(?=\\\.)", rf"\1{_WORD_JOINER}", flat)
    return re.sub(r"(?<=[:@])(?=\S)", _WORD_JOINER, flat)


def quiet(text: str) -> str:
    """Small grey literal text; Streamlit's own caption is too faint to read at AA contrast."""
    return f":small[:gray[{literal(text)}]]"


def unmarked(text: str) -> str:
    """A passage of the book as its words: without emphasis marks, ticks and link targets."""
    bare = re.sub(r"!?\[([^\[\]]*)\]\([^()\s]*\)", r"\1", text)
    return re.sub(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|`+", "", bare)


def _clean(text: str) -> str:
    """One kind of line end, and no control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)


def _in_tables(lines: list[str]) -> list[bool]:
    """For each line whether it may be a row of a table: a blank line ends every table."""
    found: list[bool] = []
    for blank, block in groupby(lines, key=lambda line: not line.strip(" \t")):
        inside = list(block)
        ruled = (_TABLE_RULE.fullmatch(line) and ("|" in line or ":" in line) for line in inside)
        found += [not blank and any(ruled)] * len(inside)
    return found


def _special_block(lines: list[str], at: int) -> tuple[list[str], int]:
    """The code block or formula that starts here, written anew, and the lines it took."""
    fence = _FENCE.fullmatch(lines[at])
    if fence and not (fence["fence"][0] == "`" and "`" in fence["info"]):
        return _code_block(fence, lines[at + 1 :])
    display = _DISPLAY.fullmatch(lines[at])
    return _formula_block(display, lines[at + 1 :]) if display else ([], 1)


def _left_behind(prefix: str) -> list[str]:
    """A number keeps its line when the block behind it moves to the left margin."""
    number = re.search(r"\d+[.)]", prefix)
    return [number.group()] if number else []


def _code_block(fence: re.Match[str], after: list[str]) -> tuple[list[str], int]:
    """A fenced block at the left margin; an open one runs to the end, as it does in a stream."""
    char, least, quoted = fence["fence"][0], len(fence["fence"]), ">" in fence["prefix"]
    body: list[str] = []
    taken = 1
    for line in after:
        if quoted and not line.lstrip().startswith(">"):
            break
        taken += 1
        bare = re.sub(r"^[ \t]*>[ \t]?", "", line) if quoted else line
        if re.fullmatch(rf"[ \t]*{re.escape(char)}{{{least},}}[ \t]*", bare):
            break
        body.append(_dedented(bare, 0 if quoted else len(fence["prefix"])))
    longest = max((len(run) for line in body for run in re.findall("`+", line)), default=0)
    ticks = "`" * max(3, longest + 1)
    opened = ticks + _language(fence["info"])
    return [*_left_behind(fence["prefix"]), opened, *body, ticks], taken


def _dedented(line: str, columns: int) -> str:
    return line[min(columns, len(line) - len(line.lstrip(" \t"))) :]


def _language(info: str) -> str:
    """The language of a fence; a diagram stays text, since drawing it would bring its links."""
    name = re.match(r"\s*([A-Za-z0-9_+#.-]{1,20})", info)
    return "text" if name is None or name[1].lower().startswith("mermaid") else name[1]


def _formula_block(display: re.Match[str], after: list[str]) -> tuple[list[str], int]:
    """A display formula at the left margin, if it closes and is one."""
    close = _CLOSE[display["open"]]
    container = " \t>" if ">" in display["prefix"] else " \t"
    body: list[str] = []
    for taken, line in enumerate([display["rest"], *after[:_LONGEST_FORMULA]], start=1):
        bare = line.strip().lstrip(container)
        ended = bare.endswith(close)
        bare = bare.removesuffix(close).rstrip()
        if close in bare or "$" in bare or "`" in bare or not (bare or ended or taken == 1):
            break
        body.extend([bare] if bare else [])
        if ended and body and not _FORBIDDEN_TEX.search("\n".join(body)):
            return [*_left_behind(display["prefix"]), "$$", *body, "$$"], taken
        if ended:
            break
    return [], 1


def _prose(line: str, in_table: bool, links: Links) -> str:
    """One line outside code blocks: code and formulas are written anew, the rest is defused."""
    shown: list[str] = []
    loose, at = "", 0
    while match := _SPAN.search(line, at):
        loose += line[at : match.start()]
        at = match.end()
        if span := _span(match, in_table):
            shown += [_defused(loose, links), span]
            loose = ""
        elif opener := _OPENER.match(line, match.start()):
            # Not the span it looked like: what opened it is text, and what is in it comes next.
            loose += opener.group().replace("\\", "")
            at = opener.end()
        else:
            loose += _unescaped(match)
    return _side_by_side([*shown, _defused(loose + line[at:], links)])


def _side_by_side(pieces: list[str]) -> str:
    """Pieces in a row; two delimiters that meet would make one longer delimiter."""
    joined = ""
    for piece in filter(None, pieces):
        meets = joined[-1:] == piece[0] and piece[0] in "`$"
        joined += (_WORD_JOINER if meets else "") + piece
    return joined


def _span(match: re.Match[str], in_table: bool) -> str:
    """The code or formula of a match as it is written anew; empty if it is neither."""
    if code := match["code"]:
        ticks = match["ticks"]
        return f"{ticks}{_whole(code, '|') if in_table else code}{ticks}"
    formula = (match["paren"] or match["double"] or match["single"] or "").strip()
    if not formula or _FORBIDDEN_TEX.search(formula):
        return ""
    if match["single"] and is_price(formula):
        return ""
    formula = _whole(formula, "vert ") if in_table else formula
    return f"$${formula}$$" if match["double"] else f"${formula}$"


def _whole(span: str, bar: str) -> str:
    """A span in a table's row, which would be cut at a bar and set free what is in it."""
    return _FREE_BAR.sub(rf"\g<1>\\{bar}", span)


def _unescaped(match: re.Match[str]) -> str:
    """What an escape or an entity stands for, escaped anew only where nothing else decides."""
    if match["slash"]:
        return "\\\\"
    if char := match["escaped"]:
        numbers_a_list = char in ".)" and match.string[: match.start()][-1:].isdigit()
        return f"\\{char}" if numbers_a_list or char not in _REDECIDED else char
    text = re.sub(r"\s", " ", html.unescape(match["entity"] or ""))
    return "".join(f"\\{c}" if _PUNCTUATION.match(c) and c not in _REDECIDED else c for c in text)


def _defused(text: str, links: Links) -> str:
    """Loose text with everything in it that could come alive written as text."""
    return _LIVE.sub(partial(_as_text, links=links), text)


def _as_text(match: re.Match[str], links: Links) -> str:
    if match["pair"]:
        return match["pair"]
    if address := match["url"] or match["mail"]:
        return f"`{address}`"
    if number := match["marker"]:
        return _marker(int(number), links.get(int(number)))
    if match["icon"]:
        return f":{_WORD_JOINER}"
    return "&amp;" if match["amp"] else f"\\{match.group()}"


def _marker(number: int, link: Link | None) -> str:
    """A small `[n]`: a link once it is known where to."""
    if link is None:
        return f":small[:blue[\\[{number}\\]]]"
    return f':small[[\\[{number}\\]]({link.address} "{_title(link.told)}")]'


def _title(text: str) -> str:
    """Text as a link's title: on one line, since a table's row ends with its line."""
    return _PUNCTUATION.sub(r"\\\g<0>", " ".join(_clean(text).split()))
