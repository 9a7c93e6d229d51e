"""The words of one block and the markup among them."""

from collections.abc import Callable
from html import escape
from typing import TYPE_CHECKING

from rag.reading.pieces import Kind, LinkEnd, LinkStart
from rag.reading.sheet import Sheet

if TYPE_CHECKING:
    from markdown_it.token import Token

_MARKUP = {
    "em_open": "<em>",
    "em_close": "</em>",
    "strong_open": "<strong>",
    "strong_close": "</strong>",
    "s_open": "<s>",
    "s_close": "</s>",
}


def put_words(sheet: Sheet, token: "Token", kind: Kind = "prose") -> None:
    """The words of an inline token as a block of their own."""
    sheet.new_block()
    for child in token.children or ():
        if child.type in _SPANS:
            _SPANS[child.type](sheet, child, kind)
        elif child.type in _MARKUP:
            sheet.put(_MARKUP[child.type])
        else:
            sheet.say(kind, child.content)
    sheet.new_block()


def _break(sheet: Sheet, token: "Token", kind: Kind) -> None:
    if token.type == "hardbreak":
        sheet.put("<br>")
    sheet.say(kind, "\n")


def _code(sheet: Sheet, token: "Token", kind: Kind) -> None:
    sheet.put("<code>")
    sheet.say(kind, token.content)
    sheet.put("</code>")


def _formula(sheet: Sheet, token: "Token", _kind: Kind) -> None:
    sheet.formula(token.content, display=False)


def _link_start(sheet: Sheet, token: "Token", _kind: Kind) -> None:
    sheet.put(LinkStart(str(token.attrGet("href") or "")))


def _link_end(sheet: Sheet, _token: "Token", _kind: Kind) -> None:
    sheet.put(LinkEnd())


def _image(sheet: Sheet, token: "Token", _kind: Kind) -> None:
    """An image is never fetched: its words stand for it."""
    words = " ".join(_words(token).split())
    sheet.put(f'<span class="image" role="img" aria-label="{escape(words or "Image")}">')
    sheet.say("label", "", "Image: " if words else "Image")
    if words:
        sheet.say("picture", words)
    sheet.put("</span>")


def _words(token: "Token") -> str:
    """The words of a token and of all in it."""
    if token.children:
        return "".join(_words(child) for child in token.children)
    return "\n" if token.type in ("softbreak", "hardbreak") else token.content


_SPANS: "dict[str, Callable[[Sheet, Token, Kind], None]]" = {
    "softbreak": _break,
    "hardbreak": _break,
    "code_inline": _code,
    "formula": _formula,
    "link_open": _link_start,
    "link_close": _link_end,
    "image": _image,
}
