"""Text of the book or of a model, made harmless for Streamlit's Markdown.

Whatever is not plain formatting is written so that it shows as it stands: no image, link, raw
HTML, icon or colour comes out of an answer. Code and mathematics are written anew (code and
display mathematics always at the left margin), so that what this module takes for code is what
the browser takes for code.
"""

import html
import re
from collections.abc import Iterator

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
    r"|(?P<ticks>`++)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|(?P<stray>`+)"
    r"|\$\$(?P<double>[^`$]+)\$\$"
    r"|(?<![A-Za-z0-9$])\$(?=[^\s$])(?P<single>[^`$]*?[^\s\\`$])\$(?![A-Za-z0-9$])"
    r"|(?P<entity>&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});)"
)
_ADDRESS_CHARS = r"[^\s`|<>]"
_LIVE = re.compile(
    rf"(?P<url>(?:[a-z]+://|www\.)(?:{_ADDRESS_CHARS}*[^\s`|<>.,;:!?'\")\]*_~]|{_ADDRESS_CHARS}+))"
    r"|(?P<mail>[\w.+-]+@[\w.\\-]*\w)"
    r"|(?P<icon>:(?=material[/_]|[a-z+-][\w+-]*:|(?:\d+[a-z_]\w*|100|1234):))"
    r"|(?P<colon>:(?=[a-z:]))"
    r"|\[(?P<marker>\d{1,3})\]"
    r"|(?P<special>[\[\]<$`]|(?<!~)~(?!~))"
    r"|(?P<amp>&)",
    re.IGNORECASE,
)
_FORBIDDEN_TEX = re.compile(r"\\(?:href|url|includegraphics|html)", re.IGNORECASE)
# Escapes of these are undone and decided anew; an escape of any other character stays.
_REDECIDED = set("[]<&$`!:@/()")


def safe_markdown(text: str) -> str:
    """An answer as Markdown that only formats: its `[n]`, addresses and markup show as text."""
    lines = _clean(text).split("\n")
    shown: list[str] = []
    at = 0
    while at < len(lines):
        block, taken = _block(lines, at)
        shown.extend(block)
        at += taken
    return "\n".join(shown)


def literal(text: str) -> str:
    """Text that shows exactly as it stands, wherever Streamlit takes Markdown."""
    flat = re.sub(r"([!-/:-@\[-`{-~])", r"\\\1", " ".join(_clean(text).split()))
    # What turns into a link or an icon after the escapes were undone needs a gap nobody sees.
    flat = re.sub(r"(?i)(www)(?=\\\.)", rf"\1{_WORD_JOINER}", flat)
    return re.sub(r"(?<=[:@])(?=\S)", _WORD_JOINER, flat)


def _clean(text: str) -> str:
    """One kind of line end, and no control characters."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub(r"[\x00-\x08\x0b-\x1f\x7f]", "", text)


def _block(lines: list[str], at: int) -> tuple[list[str], int]:
    """The lines to show for the block that starts here, and how many lines it took."""
    fence = _FENCE.fullmatch(lines[at])
    if fence and not (fence["fence"][0] == "`" and "`" in fence["info"]):
        return _code_block(fence, lines[at + 1 :])
    display = _DISPLAY.fullmatch(lines[at])
    formula = _formula(display, lines[at + 1 :]) if display else None
    if display and formula:
        body, taken = formula
        return [*_left_behind(display["prefix"]), "$$", *body, "$$"], taken
    return [_prose(lines[at])], 1


def _left_behind(prefix: str) -> list[str]:
    """A list marker keeps its line when the block behind it moves to the left margin."""
    return [prefix.rstrip()] if prefix.strip(" \t>") else []


def _code_block(fence: re.Match[str], after: list[str]) -> tuple[list[str], int]:
    """A fenced block at the left margin; an open one runs to the end, as it does while streaming."""
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
    """The language of a fence; a diagram stays text, since drawing it would run its links."""
    name = re.match(r"\s*([A-Za-z0-9_+#.-]{1,20})", info)
    return "text" if name is None or name[1].lower().startswith("mermaid") else name[1]


def _formula(display: re.Match[str], after: list[str]) -> tuple[list[str], int] | None:
    """The lines of a display formula and how many lines it took, if it is one and closes."""
    close = _CLOSE[display["open"]]
    body: list[str] = []
    for taken, line in enumerate([display["rest"], *after[:_LONGEST_FORMULA]], start=1):
        ended = line.rstrip().endswith(close)
        bare = (line.rstrip().removesuffix(close) if ended else line).strip(" \t>")
        if close in bare or "$" in bare or "`" in bare or not (bare or ended or taken == 1):
            return None
        body.extend([bare] if bare else [])
        if ended and (taken > 1 or bare):
            return (body, taken) if body and _is_tame("\n".join(body)) else None
    return None


def _is_tame(formula: str) -> bool:
    return not _FORBIDDEN_TEX.search(formula)


def _prose(line: str) -> str:
    """One line outside code: spans are written anew, the rest is defused."""
    shown, loose = "", ""
    for piece, is_span in _pieces(line):
        if is_span:
            shown += _defused(loose) + piece
            loose = ""
        else:
            loose += piece
    return shown + _defused(loose)


def _pieces(line: str) -> Iterator[tuple[str, bool]]:
    """The line in order: spans that are ready to show, and loose text."""
    at = 0
    for match in _SPAN.finditer(line):
        yield line[at : match.start()], False
        yield _span(match)
        at = match.end()
    yield line[at:], False


def _span(match: re.Match[str]) -> tuple[str, bool]:
    """One span of a line, and whether it is ready to show."""
    if match["escaped"]:
        return _unescaped(match)
    if match["entity"]:
        text = re.sub(r"\s", " ", html.unescape(match["entity"]))
        return "".join(c if c in _REDECIDED or c.isalnum() else _kept(c) for c in text), False
    if match["stray"]:
        return match["stray"], False
    if match["code"]:
        return (match.group(), True) if _stays_whole(match["code"]) else (match.group(), False)
    formula = match["paren"] or match["double"] or match["single"]
    if _is_formula(formula, sure=match["single"] is None):
        ticks = "$$" if match["double"] else "$"
        return f"{ticks}{formula.strip()}{ticks}", True
    return match.group(), False


def _unescaped(match: re.Match[str]) -> tuple[str, bool]:
    """An escape is undone where the character is decided anew, and kept otherwise."""
    char = match["escaped"]
    before = match.string[: match.start()]
    numbers_a_list = char in ".)" and before[-1:].isdigit()
    if char in _REDECIDED | {"."} and not numbers_a_list:
        return char, False
    return f"\\{char}", False


def _kept(char: str) -> str:
    return f"\\{char}" if re.fullmatch(r"[!-/:-@\[-`{-~]", char) else char


def _stays_whole(span: str) -> bool:
    """Whether a table cannot cut this span at a bar and set free what is in it."""
    return "|" not in span or not re.search(r"[\[<:@$&]|www\.", span, re.IGNORECASE)


def _is_formula(formula: str, sure: bool) -> bool:
    """Whether text between dollars is mathematics, not prices: `$5 and a further 5$` is none."""
    if not formula.strip() or not _is_tame(formula) or not _stays_whole(formula):
        return False
    words = re.search(r"(?<![\\A-Za-z{])[A-Za-z]{2,}\s", formula)
    return sure or "\\" in formula or not (formula[0].isdigit() and words)


def _defused(text: str) -> str:
    """Loose text with everything in it that could come alive written as text."""
    return _LIVE.sub(_as_text, text)


def _as_text(match: re.Match[str]) -> str:
    if address := match["url"] or match["mail"]:
        return f"`{address}`"
    if match["marker"]:
        return f":blue[\\[{match['marker']}\\]]"
    if match["icon"]:
        return f":{_WORD_JOINER}"
    return "&amp;" if match["amp"] else f"\\{match.group()}"
