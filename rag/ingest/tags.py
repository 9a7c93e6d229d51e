"""HTML and JSX tags: where one ends, whether it is one at all, and what it says."""

import re
from dataclasses import dataclass, field

_NAME = re.compile(r"</?(?P<name>[A-Za-z][\w.:-]*)?")
_ATTRIBUTE_NAME = re.compile(r"[A-Za-z_:@][\w.:@-]*")
_BARE_VALUE = re.compile(r"[^\s\"'=<>`{}]+?(?=/?>|\s)")
# Escaped characters are matched as pairs, so that none of them counts.
_MARKS = re.compile(r"\\.|[\"'`{}]", re.DOTALL)
_SPACE = re.compile(r"\s*")
_STRING_IN_BRACES = re.compile(r"\{\s*([\"'`])(?P<words>.*?)\1\s*\}", re.DOTALL)
# Of a tag's attributes, what a reader gets to see as words.
_SPOKEN = ("label", "title", "alt", "caption", "summary", "heading")
_HTML_NAMES = (
    "a abbr address article aside audio b base bdi bdo big blockquote body br button canvas "
    "caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em "
    "embed fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 head header hr html i "
    "iframe img input ins kbd label legend li link main map mark menu meta meter nav noscript "
    "object ol optgroup option output p param picture pre progress q s samp script section "
    "select small source span strike strong style sub summary sup svg table tbody td template "
    "textarea tfoot th thead time tr track tt u ul var video wbr circle defs ellipse g path "
    "polygon polyline rect tspan"
)
_HTML = frozenset(_HTML_NAMES.split())


@dataclass(frozen=True)
class Tag:
    """One tag as it stands in the text, from start up to end."""

    name: str
    start: int
    end: int
    closing: bool = False
    self_closing: bool = False
    attributes: dict[str, str] = field(default_factory=dict)


def tag_at(text: str, start: int) -> Tag | None:
    """The tag that begins at a "<", or None where it is only a less-than sign."""
    head = _NAME.match(text, start)
    if head is None:
        return None
    attributes: dict[str, str] = {}
    at = head.end()
    while at < len(text):
        at = _after_space(text, at)
        if text.startswith((">", "/>"), at):
            selfish = text[at] == "/"
            end = at + (2 if selfish else 1)
            name = head["name"] or ""
            return Tag(name, start, end, text.startswith("</", start), selfish, attributes)
        following = _after_attribute(text, at, attributes)
        # A blank line ends a paragraph, and with it every HTML tag; only JSX goes on.
        if following is None or ("\n\n" in text[at:following] and not _is_jsx(head["name"])):
            return None
        at = following
    return None


def _is_jsx(name: str | None) -> bool:
    return bool(name) and str(name)[0].isupper()


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _after_attribute(text: str, at: int, attributes: dict[str, str]) -> int | None:
    """Read one attribute into the dictionary; where the next begins, or None if it is none."""
    if text.startswith("{", at):
        return after_braces(text, at)
    name = _ATTRIBUTE_NAME.match(text, at)
    if name is None:
        return None
    equals = _after_space(text, name.end())
    if not text.startswith("=", equals):
        attributes[name[0]] = ""
        return name.end()
    begin = _after_space(text, equals + 1)
    end = _after_value(text, begin)
    if end is not None:
        attributes[name[0]] = text[begin:end]
    return end


def _after_value(text: str, at: int) -> int | None:
    """Where an attribute's value ends."""
    if text.startswith("{", at):
        return after_braces(text, at)
    if text.startswith(('"', "'"), at):
        end = text.find(text[at], at + 1)
        return end + 1 if end >= 0 else None
    bare = _BARE_VALUE.match(text, at)
    return bare.end() if bare else None


def after_braces(text: str, start: int) -> int | None:
    """Where the braces opened here close again, strings inside them respected."""
    # An apostrophe in JSX text looks like an open string; then braces alone must do.
    return _balanced(text, start, "\"'`") or _balanced(text, start, "")


def _balanced(text: str, start: int, quotes: str) -> int | None:
    """Where the brace at start is closed, marks inside the given quotes not counting."""
    depth, quote = 0, ""
    for mark in _MARKS.finditer(text, start):
        char = mark[0]
        if quote:
            quote = "" if char == quote else quote
        elif char in quotes:
            quote = char
        elif char in "{}":
            depth += 1 if char == "{" else -1
            if depth == 0:
                return mark.end()
    return None


def is_markup(tag: Tag, text: str) -> bool:
    """Whether this is a tag that a browser or MDX would take away, not words such as <name>."""
    if tag.name.lower() in _HTML or not tag.name:
        return True
    after_word = tag.start > 0 and (text[tag.start - 1].isalnum() or text[tag.start - 1] == "_")
    if tag.name[0].isupper() and not after_word:
        return True
    if not tag.name[0].isupper() and "-" not in tag.name:
        return False
    # List<String> in prose, or a custom element: markup is what has a partner.
    partner = rf"<{tag.name}\b" if tag.closing else rf"</{tag.name}\s*>"
    return tag.self_closing or re.search(partner, text) is not None


def find_label(tag: Tag) -> str:
    """The words a tag shows through its attributes."""
    spoken: tuple[str, ...] = _SPOKEN
    if tag.name == "TabItem" and "label" not in tag.attributes:
        spoken = ("value", *_SPOKEN)
    said = (attribute(tag, name) for name in spoken)
    return " ".join(" ".join(words.split()) for words in said if words)


def attribute(tag: Tag, name: str) -> str:
    """An attribute's value as words, or nothing if it is code or not there."""
    value = tag.attributes.get(name, "")
    if value[:1] in {'"', "'"}:
        return value[1:-1]
    match = _STRING_IN_BRACES.fullmatch(value)
    return match["words"] if match else ""
