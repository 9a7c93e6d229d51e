"""Inside a run of prose: comments and tags go, the words stay, and what a reader asked for."""

import html
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from rag.ingest.boxes import below, closing, opening
from rag.ingest.tags import Tag, attribute, find_label, is_markup, tag_at
from rag.ingest.targets import as_target, as_words, image, link

# Possessive, so that a page of stray brackets and backticks costs no backtracking.
_BRACKETED = (
    r"(?>(?!\n[ \t]*\n)(?:`[^`\n]*`|\\.|[^\[\]\\]|\[(?>(?!\n[ \t]*\n)(?:\\.|[^\[\]\\]))*+\]))*+"
)
_TARGET = (
    r"\(\s*(?P<address><[^<>\n]*>|(?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*)"
    r"(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
)
_TOKEN = re.compile(
    r"(?P<escape>\\[!-/:-@\[-`{-~])"
    r"|(?P<code>(?<!`)(?P<ticks>`+)(?!`)(?:(?!\n[ \t]*\n).)+?(?<!`)(?P=ticks)(?!`))"
    r"|(?P<math>\$\$(?:(?!\n[ \t]*\n).)+?\$\$|\$(?![\s$])(?:\\.|[^$\\\n])+?(?<!\s)\$(?!\d))"
    r"|(?P<comment><!--.*?-->|\{/\*.*?\*/\})"
    r"|(?P<hidden><(?P<hide>script|style)\b[^>]*>.*?</(?P=hide)\s*>)"
    r"|(?P<autolink><(?:[A-Za-z][A-Za-z0-9+.-]+:[^\s<>]*|[\w.+-]+@[\w.-]+)>)"
    r"|(?P<footnote>\[\^[^\]\s]+\])"
    rf"|(?P<link>!?\[(?P<words>{_BRACKETED})\](?:(?P<target>{_TARGET})|\[(?P<ref>[^\[\]]*)\])?)"
    r"|(?P<tag></?(?:[A-Za-z]|>))",
    re.DOTALL,
)
_FORMATTING_NAMES = (
    "a abbr b bdi bdo big cite code data del dfn em font i ins kbd mark q s samp small span "
    "strike strong sub sup time tt u var wbr"
)
_FORMATTING = frozenset(_FORMATTING_NAMES.split())
_TITLES_NAMES = "summary h1 h2 h3 h4 h5 h6 caption figcaption legend dt"
_TITLES = frozenset(_TITLES_NAMES.split())
_BLOCKS_NAMES = (
    "address article aside blockquote body center dd details dialog div dl fieldset figure "
    "footer form header hr html li main nav ol p pre section table tbody tfoot thead tr ul"
)
_BLOCKS = frozenset(_BLOCKS_NAMES.split())
_EMPHASIS = (
    re.compile(r"(?<!\\)(\*{1,3})(?![\s*])(.+?)(?<![\s*\\])\1(?!\*)", re.DOTALL),
    re.compile(r"(?<![\w\\])(_{1,3})(?![\s_])(.+?)(?<![\s_\\])\1(?!\w)", re.DOTALL),
    re.compile(r"(?<!\\)(~~)(?!\s)(.+?)(?<!\s)\1", re.DOTALL),
)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]+\]")

# The elements that are boxes, and those that are links with the attributes that say where to.
_BOXES = {"details": "details", "Details": "details", "Tabs": "tabs", "TabItem": "tab"}
_ANCHORS = {"a": ("href",), "Link": ("to", "href")}
_BRACED = re.compile(r"<[^<>\n]*>")
_SUMMARY = re.compile(r"[\s>]*+(?=<summary\b)")
_LEAD = re.compile(r"[ \t]*(?:>[ \t]?)*[ \t]*(?P<bullet>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)")


class Rules(NamedTuple):
    """What outlives cleaning besides the words, and where reference links lead."""

    references: Mapping[str, str] = MappingProxyType({})
    links: bool = False
    images: bool = False
    boxes: bool = False


WORDS = Rules()


def clean_inline(text: str, rules: Rules = WORDS) -> str:
    """Prose as Markdown without comments and tags; without targets too, unless the rules say so."""
    done: list[str] = []
    at = 0
    while match := _TOKEN.search(text, at):
        done.append(text[at : match.start()])
        words, at = _HANDLERS[match.lastgroup or "escape"](text, match, rules)
        done.append(words)
    return "".join(done) + text[at:]


def clean_title(words: str, rules: Rules) -> str:
    """What heads a box, on one line."""
    return " ".join(clean_inline(words, rules._replace(boxes=False)).split())


def plain_text(markdown: str) -> str:
    """What a reader sees of one line of cleaned Markdown: no marks, no escapes, no entities."""
    codes = [span[2].strip() for span in _CODE_SPAN.finditer(markdown)]
    # Cleaned text has no NUL, so it can stand in for code while marks around it are resolved.
    text = _CODE_SPAN.sub("\0", markdown)
    for pattern in _EMPHASIS:
        text = pattern.sub(r"\2", text)
    text = html.unescape(_ESCAPED.sub(r"\1", _FOOTNOTE.sub("", text)))
    return re.sub("\0", lambda _: codes.pop(0) if codes else "", text).strip()


def _keep(_text: str, match: re.Match[str], _rules: Rules) -> tuple[str, int]:
    """Leave what only looks like markup, such as code, as it stands."""
    return match[0], match.end()


def _drop(_text: str, match: re.Match[str], _rules: Rules) -> tuple[str, int]:
    """Leave out what no reader sees."""
    return "", match.end()


def _autolink(_text: str, match: re.Match[str], rules: Rules) -> tuple[str, int]:
    """An address in angle brackets is its own text."""
    address = match[0][1:-1]
    if not rules.links:
        return address, match.end()
    is_mail = re.match(r"[A-Za-z][A-Za-z0-9+.-]+:", address) is None
    target = as_target(f"mailto:{address}" if is_mail else address)
    return link(as_words(address), target), match.end()


def _link(_text: str, match: re.Match[str], rules: Rules) -> tuple[str, int]:
    """A link or image keeps its words; brackets that are no link stay brackets."""
    name = (match["ref"] or match["words"]).strip().lower()
    if match["target"] is None and name not in rules.references:
        opening_bracket = match.start("words")
        return match[0][: opening_bracket - match.start()], opening_bracket
    target = as_target(rules.references[name]) if match["target"] is None else match["address"]
    if not _BRACED.fullmatch(target):
        # A "<" that no ">" closes is part of the address.
        target = re.sub("^<", "%3C", target)
    if match[0].startswith("!"):
        words = clean_inline(match["words"], Rules(rules.references))
        return (image(_unbroken(words), target) if rules.images else words), match.end()
    return _linked(match["words"], target, rules), match.end()


def _linked(source: str, target: str, rules: Rules) -> str:
    """The words of a link, cleaned, and its target if that is kept; no link is inside another."""
    words = clean_inline(source, rules._replace(links=False, boxes=False))
    return link(_unbroken(words), target) if rules.links and words.strip() else words


def _unbroken(words: str) -> str:
    """Words without the blank lines that dropped tags leave, which would end their link."""
    return " ".join(words.split()) if re.search(r"\n[ \t]*\n", words) else words


class _Place(NamedTuple):
    """Where on its line a tag stands, and what the lines under it begin with."""

    starts_line: bool
    starts_item: bool
    in_row: bool
    lead: str

    @property
    def gap(self) -> str:
        """A blank line, and the beginning of the next one."""
        return f"\n{self.lead.rstrip()}\n{self.lead}"

    def alone(self, words: str) -> str:
        """Words as a paragraph of their own; the first of a list item stays beside its bullet."""
        before = "" if self.starts_item else self.gap
        return f"{before}{words}{self.gap}" if words else before


def _place_of(text: str, tag: Tag, rules: Rules) -> _Place:
    line = text[text.rfind("\n", 0, tag.start) + 1 : tag.start]
    lead = _LEAD.match(line) if rules.boxes else None
    return _Place(
        starts_line=not line.strip(),
        starts_item=lead is not None and bool(lead["bullet"]) and lead[0] == line,
        in_row=line.lstrip().startswith("|"),
        lead=below(lead[0]) if lead else "",
    )


def _tag(text: str, match: re.Match[str], rules: Rules) -> tuple[str, int]:
    """A tag goes and leaves its label, or the break it made between words."""
    tag = tag_at(text, match.start())
    if tag is None or not is_markup(tag, text):
        return "<", match.start() + 1
    place = _place_of(text, tag, rules)
    kept = _anchor(text, tag, rules) or _box(text, tag, place, rules)
    if kept:
        return kept
    if tag.name in _TITLES and not tag.closing and (inner := _content(text, tag)):
        words, end = inner
        title = clean_title(words, rules) if rules.boxes else plain_text(clean_title(words, rules))
        bold = title if rules.boxes and "**" in title else _bold(title)
        return (f" {title} " if place.in_row else place.alone(bold)), end
    return _left_behind(tag, place, rules), tag.end


def _content(text: str, tag: Tag) -> tuple[str, int] | None:
    """What stands between a tag and its end tag, and where that ends."""
    end = re.compile(rf"</{re.escape(tag.name)}\s*>").search(text, tag.end)
    return (text[tag.end : end.start()], end.end()) if end else None


def _bold(title: str) -> str:
    return f"**{title}**" if title else ""


def _anchor(text: str, tag: Tag, rules: Rules) -> tuple[str, int] | None:
    """An element that is a link, as a link of Markdown."""
    if not rules.links or tag.closing or tag.name not in _ANCHORS:
        return None
    target = next(filter(None, (attribute(tag, name) for name in _ANCHORS[tag.name])), "")
    inner = None if tag.self_closing else _content(text, tag)
    if not target or inner is None or re.search(r"\n[ \t>]*\n", inner[0]):
        return None
    label = as_words(find_label(tag))
    return _linked(f"{label} {inner[0]}".strip(), as_target(target), rules), inner[1]


def _box(text: str, tag: Tag, place: _Place, rules: Rules) -> tuple[str, int] | None:
    """An element that is a box, as the mark of one; a box in a table's row is none."""
    kind = _BOXES.get(tag.name)
    if not rules.boxes or kind is None or place.in_row or tag.self_closing:
        return None
    if tag.closing:
        return place.alone(closing(kind)), tag.end
    title, end = as_words(find_label(tag)), tag.end
    summary = _SUMMARY.match(text, tag.end) if kind == "details" else None
    head = tag_at(text, summary.end()) if summary else None
    if head and (inner := _content(text, head)):
        title, end = f"{title} {clean_title(inner[0], rules)}".strip(), inner[1]
    return place.alone(opening(kind, title)), end


def _left_behind(tag: Tag, place: _Place, rules: Rules) -> str:
    """What remains of a tag that is dropped."""
    label = "" if tag.closing else find_label(tag)
    if tag.name in {"td", "th"}:
        return " | " if tag.closing else ""
    if tag.name == "img":
        source = attribute(tag, "src") if rules.images else ""
        return image(as_words(label), as_target(source)) if source else label
    if tag.name in _FORMATTING:
        return f"{label} " if label else ""
    if tag.name == "br" or place.in_row:
        return f" {label} " if label else " "
    if tag.name == "li":
        return "" if tag.closing else f"\n{place.lead}- "
    if tag.name in _BLOCKS or place.starts_line:
        return place.alone(_bold(label))
    return f"{label} " if label else ""


_HANDLERS: dict[str, Callable[[str, re.Match[str], Rules], tuple[str, int]]] = {
    "escape": _keep,
    "code": _keep,
    "math": _keep,
    "footnote": _keep,
    "comment": _drop,
    "hidden": _drop,
    "autolink": _autolink,
    "link": _link,
    "tag": _tag,
}
