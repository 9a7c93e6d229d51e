"""Code cut into pieces of one colour each."""

import re
from functools import lru_cache
from typing import Any, NamedTuple

_LANGUAGE = re.compile(r"\s*([A-Za-z0-9_+#.-]{1,30})")
# Lexers are made for listings, not for whole files of data.
_LONGEST = 40_000


class Coloured(NamedTuple):
    """A stretch of code and the class that colours it, or ""."""

    text: str
    css: str


def language(info: str) -> str:
    """The language that a fence names, or ""."""
    match = _LANGUAGE.match(info)
    return match[1].lower() if match else ""


def coloured(code: str, name: str) -> list[Coloured]:
    """Code in its language's colours; in a language nobody knows, in none."""
    lexer = _lexer(name) if name and len(code) <= _LONGEST else None
    if lexer is None:
        return [Coloured(code, "")]
    pieces: list[Coloured] = []
    for kind, text in lexer.get_tokens(code):
        css = _css(kind) if text.strip() else ""
        if pieces and pieces[-1].css == css:
            text = pieces.pop().text + text
        pieces.append(Coloured(text, css))
    # A lexer may drop or mend what it cannot read; the book's own text is never changed.
    return pieces if "".join(piece.text for piece in pieces) == code else [Coloured(code, "")]


@lru_cache(maxsize=128)
def _lexer(name: str) -> Any:  # noqa: ANN401 (Pygments has no types)
    from pygments.lexers import get_lexer_by_name  # type: ignore[import-untyped]
    from pygments.util import ClassNotFound  # type: ignore[import-untyped]

    try:
        return get_lexer_by_name(name, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def _css(kind: Any) -> str:  # noqa: ANN401
    """The short class name of a kind of token, or of the nearest kind that has one."""
    from pygments.token import STANDARD_TYPES  # type: ignore[import-untyped]

    while kind not in STANDARD_TYPES and kind.parent is not None:
        kind = kind.parent
    return str(STANDARD_TYPES.get(kind, ""))
