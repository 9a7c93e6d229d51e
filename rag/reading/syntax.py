"""The Markdown of a page as tokens: CommonMark with tables, formulas and boxes, without HTML."""

import re
from functools import cache
from typing import TYPE_CHECKING

from rag.ingest.slugs import split_heading_id
from rag.text import is_price

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_core import StateCore
    from markdown_it.rules_inline import StateInline
    from markdown_it.token import Token

_BOX = re.compile(r":::(?:(?P<kind>[A-Za-z][\w-]*)(?:[ \t]+(?P<title>.*?))?)?[ \t]*")
_DOUBLE = re.compile(r"\$\$(?P<tex>[^`$]+)\$\$")
_SINGLE = re.compile(r"(?<![A-Za-z0-9$])\$(?=[^\s$])(?P<tex>[^`$]*?[^\s\\`$])\$(?![A-Za-z0-9$])")
# Blocks that a line of ours may end without a blank line before it.
_ENDS: "RuleOptionsType" = {"alt": ["paragraph", "reference", "blockquote", "list"]}


def tokens(markdown: str) -> "list[Token]":
    """The blocks of a page; an inline token's children are its words and their markup."""
    return _parser().parse(markdown)


@cache
def _parser() -> "MarkdownIt":
    """The parser; loading it takes a while, so only the first page does."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
    # `[^1]: words` is a footnote and no link's target.
    parser.disable(["reference", "html_block", "html_inline"])
    parser.block.ruler.before("fence", "box", _box, _ENDS)
    parser.block.ruler.before("fence", "formula", _display, _ENDS)
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.core.ruler.after("block", "heading_ids", _heading_ids)
    # Where a link leads is decided when it is shown, and never by the parser.
    setattr(parser, "validateLink", _any_target)  # noqa: B010
    setattr(parser, "normalizeLink", _as_it_is)  # noqa: B010
    return parser


def _any_target(_url: str) -> bool:
    return True


def _as_it_is(url: str) -> str:
    return url


def _line(state: "StateBlock", number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]


def _box(state: "StateBlock", start: int, _end: int, silent: bool) -> bool:
    """`:::kind title` opens a box and `:::` closes one; who builds the page pairs them."""
    match = None if state.is_code_block(start) else _BOX.fullmatch(_line(state, start))
    if match is None or silent:
        return match is not None
    state.line = start + 1
    if match["kind"] is None:
        state.push("box_close", "", 0)
        return True
    state.push("box_open", "", 0).info = match["kind"]
    title = state.push("inline", "", 0)
    title.content, title.children = (match["title"] or "").strip(), []
    return True


def _display(state: "StateBlock", start: int, end: int, silent: bool) -> bool:
    """A formula between double dollars on lines of its own."""
    last = None if state.is_code_block(start) else _display_end(state, start, end)
    if last is None or silent:
        return last is not None
    body = state.getLines(start, last, state.blkIndent, False).strip()
    state.push("formula_block", "", 0).content = body[2:-2].strip()
    state.line = last
    return True


def _display_end(state: "StateBlock", start: int, end: int) -> int | None:
    """The line behind a display formula that begins here, if one does and it closes."""
    first = _line(state, start).strip()
    if not first.startswith("$$"):
        return None
    if first.count("$$") > 1:
        is_whole = first.endswith("$$") and first.count("$$") == 2 and len(first) > 4
        return start + 1 if is_whole else None
    inside = range(start + 1, end)
    nested = (n for n in inside if state.sCount[n] < state.blkIndent and _line(state, n).strip())
    stop = next(nested, end)
    closing = (n + 1 for n in range(start + 1, stop) if _line(state, n).rstrip().endswith("$$"))
    return next(closing, None)


def _formula(state: "StateInline", silent: bool) -> bool:
    """A formula within a sentence; a price is none."""
    if state.src[state.pos] != "$":
        return False
    match = _DOUBLE.match(state.src, state.pos) or _SINGLE.match(state.src, state.pos)
    if match is None or match.end() > state.posMax or not _is_formula(match["tex"].strip()):
        return False
    if not silent:
        state.push("formula", "", 0).content = match["tex"].strip()
    state.pos = match.end()
    return True


def _is_formula(tex: str) -> bool:
    return bool(tex) and not is_price(tex)


def _heading_ids(state: "StateCore") -> None:
    """A heading's explicit id leaves its words before these are read."""
    for opening, words in zip(state.tokens, state.tokens[1:], strict=False):
        if opening.type == "heading_open":
            title, explicit = split_heading_id(words.content.strip())
            opening.meta = {"source": title, "id": explicit or ""}
            words.content = title
