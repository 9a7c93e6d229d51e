r"""Text of a person, a book or a model, written so that a Markdown viewer runs and fetches nothing.

An answer keeps its formatting, code and formulas. Everything that could come alive in some viewer
is escaped: raw HTML, images, links, definitions, entities. A bare address becomes code, since
viewers make links of it even if it is escaped.

What is left as it is must be code for every viewer, or it would set free what stands in it. So
code is written anew: a block never deeper than three spaces, where nothing can make it a
paragraph; a span on one line only; and every other backtick is escaped.
"""

import re
from collections.abc import Mapping

_PREFIX = r"(?P<prefix>[ \t]*(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+)*)"
_FENCE = re.compile(_PREFIX + r"(?P<fence>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)")
_DISPLAY = re.compile(r"[ \t]*\$\$.*")
_LONGEST_DISPLAY = 40
_HEADING = re.compile(_PREFIX + r"(?P<signs>#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"(?P<prefix>[ \t>]*)(?P<line>=+|-+)[ \t]*")
_TABLE_RULE = re.compile(r"[ \t>|:+*\d.)-]*-[ \t|:-]*")
_FREE_BAR = re.compile(r"(?<!\\)(?:\\\\)*\|")
# Viewers draw these, and with the drawing come its links.
_DRAWN = frozenset(["mermaid", "geojson", "topojson"])

_ADDRESS = r"(?:[a-z][a-z0-9+.-]{0,20}\\?:\\?/\\?/|(?<![a-z0-9])www\\?\.)[^\s<>`|\[\]{}\"]*"
_MAIL = r"[\w.+-]+\\?@[\w.\\-]*\w"
_LIVE_ADDRESS = rf"(?P<address>{_ADDRESS}|{_MAIL})"
# All that could be more than mathematics in a viewer that knows none.
_NO_FORMULA = re.compile(
    rf"`|~~~|<[a-z/!?]|\][(\[:]|\[\[|!\[|&#?\w+;|\\(?:href|url|includegraphics|html)"
    rf"|{_ADDRESS}|{_MAIL}",
    re.IGNORECASE,
)
# Left to right, the first that fits. An escaped sign opens nothing.
_SPAN = re.compile(
    r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<formula>\$\$[^`$]+\$\$|(?<![a-z0-9$])\$(?=[^\s$])[^`$]*?[^\s\\`$]\$(?![a-z0-9$])"
    r"|\\\([^`$]+?\\\)|\\\[[^`$]+?\\\])"
    rf"|{_LIVE_ADDRESS}"
    r"|(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|\[(?P<marker>\d{1,3})\]"
    r"|(?P<sign>[\[\]`{]|\\(?=.)|<(?=[a-z/!?])|!(?=\[)|&(?!(?:lt|gt|amp|quot|nbsp);)(?=#?\w+;))",
    re.IGNORECASE,
)
_LITERAL = re.compile(rf"{_LIVE_ADDRESS}|(?P<sign>[\\`*_\[\]<>{{|~$#]|&(?=#?\w+;))", re.IGNORECASE)
_OPENS_A_BLOCK = re.compile(r"(?P<number>\d{1,9})(?=[.)])|(?=[-+=])")


def literal(text: str) -> str:
    """Text on one line that shows exactly as it stands."""
    pieces, at = [], 0
    flat = " ".join(_clean(text).split())
    while found := _LITERAL.search(flat, at):
        pieces.append(flat[at : found.start()])
        piece, at = _code(found) if found["address"] else (f"\\{found['sign']}", found.end())
        pieces.append(piece)
    return _side_by_side([*pieces, flat[at:]])


def quoted(text: str) -> str:
    """Text as a block quote, line by line as it stands."""
    lines = [literal(line) for line in _clean(text).strip().split("\n")]
    opened = (_OPENS_A_BLOCK.match(line) for line in lines)
    shown = [
        f"{o['number'] or ''}\\{line[o.end() :]}" if o else line
        for o, line in zip(opened, lines, strict=True)
    ]
    return "\n".join(f"> {line}".rstrip() for line in shown) if text.strip() else ""


def safe_answer(text: str, links: Mapping[int, str]) -> str:
    """An answer as Markdown that only formats, its `[n]` as the links that are given for them."""
    lines = _clean(text).split("\n")
    in_table = any(_TABLE_RULE.fullmatch(line) and re.search("[|:]", line) for line in lines)
    shown: list[str] = []
    at = 0
    while at < len(lines):
        block, taken = _block(lines, at)
        shown.extend(block or [_inline(_below_the_question(lines[at]), in_table, links)])
        at += taken
    return "\n".join(shown).strip("\n")


def _clean(text: str) -> str:
    """One kind of line end, and no control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)


def _block(lines: list[str], at: int) -> tuple[list[str], int]:
    """The code block or display formula that starts here, and how many lines it took."""
    if fence := _FENCE.fullmatch(lines[at]):
        return _code_block(fence, lines[at + 1 :])
    return _display(lines[at:]) if _DISPLAY.fullmatch(lines[at]) else ([], 1)


def _code_block(fence: re.Match[str], after: list[str]) -> tuple[list[str], int]:
    """A code block, closed, every line of it as deep as its fence; out of a quote, if it was in."""
    quotes, mark = fence["prefix"].count(">"), fence["fence"]
    depth = 0 if quotes else len(fence["prefix"].expandtabs(4))
    margin = " " * min(depth, 3)
    body: list[str] = []
    taken = 1
    for line in after:
        if quotes and not line.lstrip(" \t").startswith(">"):
            break
        taken += 1
        bare = re.sub(rf"^(?:[ \t]*>){{1,{quotes}}} ?", "", line) if quotes else line
        if re.fullmatch(rf"[ \t]*{mark[0]}{{{len(mark)},}}[ \t]*", bare):
            break
        body.append(margin + _dedented(bare, depth) if depth and bare.strip() else bare)
    # A number keeps its line when its block begins a new one.
    number = re.search(r"\d+[.)]", fence["prefix"])
    opened = [*([number.group()] if number else []), margin + mark + _language(fence["info"])]
    return [*opened, *body, margin + mark], taken


def _dedented(line: str, columns: int) -> str:
    text = line.lstrip(" \t")
    return line[: len(line) - len(text)].expandtabs(4)[columns:] + text


def _language(info: str) -> str:
    """The language of a block, and nothing else that a viewer might obey."""
    name = re.match(r"\s*([\w+#.-]{1,20})", info)
    return "" if name is None or name[1].lower() in _DRAWN else name[1]


def _display(lines: list[str]) -> tuple[list[str], int]:
    """The display formula that these lines begin with, if it closes and is one."""
    for taken, line in enumerate(lines[:_LONGEST_DISPLAY], start=1):
        formula = "\n".join(lines[:taken]).strip()
        if not line.strip() or formula.count("$") > 4:
            break
        if formula.endswith("$$") and len(formula) > 4:
            safe = formula.count("$") == 4 and not _NO_FORMULA.search(formula)
            return (formula.split("\n"), taken) if safe else ([], 1)
    return [], 1


def _below_the_question(line: str) -> str:
    """A line that makes no heading as high as a question's."""
    if underline := _UNDERLINE.fullmatch(line):
        is_rule = underline["line"].startswith("---")
        return underline["prefix"] + ("***" if is_rule else f"\\{underline['line']}")
    if heading := _HEADING.match(line):
        signs = "#" * min(len(heading["signs"]) + 2, 6)
        return heading["prefix"] + signs + line[heading.end() :]
    return line


def _inline(line: str, in_table: bool, links: Mapping[int, str]) -> str:
    """A line outside code blocks: code and formulas as they are, the rest defused."""
    pieces, at = [], 0
    while found := _SPAN.search(line, at):
        pieces.append(line[at : found.start()])
        if found["code"] or found["formula"]:
            piece, at = _span(found, in_table)
        elif found["address"]:
            piece, at = _code(found)
        else:
            piece, at = _sign(found, links), found.end()
        pieces.append(piece)
    return _side_by_side([*pieces, line[at:]])


def _span(found: re.Match[str], in_table: bool) -> tuple[str, int]:
    """Code or a formula as it is, or only what opened it if it must not stay."""
    # A table is cut at its bars before anybody looks for code.
    cut = in_table and _FREE_BAR.search(found.group())
    if not cut and (found["code"] or not _NO_FORMULA.search(found.group())):
        return found.group(), found.end()
    opened = re.match(r"`+|\$+|\\.", found.group())
    signs = opened.group() if opened else ""
    escaped = signs if signs.startswith("\\") else re.sub(".", r"\\\g<0>", signs)
    return escaped, found.start() + len(signs)


def _code(found: re.Match[str]) -> tuple[str, int]:
    """An address as code, without the signs behind it, and where it ends."""
    address = found["address"].rstrip(".,;:!?'*_~)\\")
    shown = re.sub(r"\\(.)", r"\1", address)
    return f"`{shown}`", found.start() + len(address)


def _sign(found: re.Match[str], links: Mapping[int, str]) -> str:
    if number := found["marker"]:
        return links.get(int(number)) or f"\\[{number}\\]"
    return found["escape"] or f"\\{found['sign']}"


def _side_by_side(pieces: list[str]) -> str:
    """Pieces in a row; two runs of ticks that meet would make a longer one."""
    joined = ""
    for piece in filter(None, pieces):
        joined += (" " if joined[-1:] == piece[0] == "`" else "") + piece
    return joined
