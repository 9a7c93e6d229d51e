"""TeX as MathML that only shows: known elements and attributes, every text escaped."""

import re
from html import escape, unescape
from typing import NamedTuple
from xml.etree.ElementTree import Element

_LONGEST = 4000
_ELEMENTS = frozenset(
    """math menclose merror mfenced mfrac mi mlabeledtr mmultiscripts mn mo mover mpadded mphantom
    mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder
    munderover none""".split()
)
_ATTRIBUTES = frozenset(
    """accent accentunder columnalign columnlines columnspacing depth displaystyle fence form
    frame height largeop linebreak linethickness lspace mathsize mathvariant maxsize minsize
    movablelimits notation rowlines rowspacing rspace scriptlevel separator stretchy symmetric
    voffset width""".split()
)
# What the converter raises on TeX it was not made for, besides its own errors.
_FAILURES = (
    *(ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError),
    *(StopIteration, TypeError, ValueError),
)
_VALUE = re.compile(r"[\w .%+|-]{0,60}")


class Formula(NamedTuple):
    """A formula as HTML, and the text a browser shows and copies of it."""

    html: str
    shown: str


class _Unreadable(Exception):
    """TeX that no MathML can be made of."""


def formula(tex: str, *, display: bool) -> Formula:
    """A formula as MathML; where that fails, its TeX as code."""
    try:
        inner, shown = _converted(tex)
    except _Unreadable:
        return Formula(f'<code class="tex">{escape(tex)}</code>', tex)
    shape = "block" if display else "inline"
    opening = f'<math display="{shape}" data-tex="{escape(tex)}">'
    return Formula(f"{opening}{inner}</math>", shown)


def _converted(tex: str) -> tuple[str, str]:
    """What stands inside the math element, as MathML and as text."""
    from latex2mathml import converter, exceptions

    named = (kind for kind in vars(exceptions).values() if isinstance(kind, type))
    own = (kind for kind in named if issubclass(kind, Exception))
    failures: tuple[type[Exception], ...] = (*own, *_FAILURES)
    try:
        if len(tex) > _LONGEST:
            raise _Unreadable
        root = converter.convert_to_element(tex)
        children = [_written(child) for child in root]
    except failures as error:
        raise _Unreadable from error
    shown = "".join(_text(leaf) for leaf in root.iter())
    # What the converter doesn't know it leaves as it is, backslash and all.
    if not shown.strip() or "\\" in shown:
        raise _Unreadable
    return "".join(children), shown


def _text(element: Element) -> str:
    """The converter writes signs as entities."""
    return unescape(element.text or "")


def _written(element: Element) -> str:
    """An element and what is in it. The converter's own writer escapes no text."""
    if element.tag not in _ELEMENTS:
        raise _Unreadable
    attributes = "".join(
        f' {name}="{escape(value)}"'
        for name, value in element.attrib.items()
        if name in _ATTRIBUTES and _VALUE.fullmatch(value)
    )
    inner = escape(_text(element)) + "".join(_written(child) for child in element)
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"
