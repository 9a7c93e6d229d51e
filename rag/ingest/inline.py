"""Inside a run of prose: comments, tags and link targets go, the words stay."""

import html
import re
from collections.abc import Callable, Mapping

from rag.ingest.tags import Tag, find_label, is_markup, tag_at

# Possessive, so that a page of stray brackets and backticks costs no backtracking.
_BRACKETED = (
    r"(?>(?!\n[ \t]*\n)(?:`[^`\n]*`|\\.|[^\[\]\\]|\[(?>(?!\n[ \t]*\n)(?:\\.|[^\[\]\\]))*+\]))*+"
)
_TARGET = (
    r"\(\s*(?:<[^<>\n]*>|(?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*)"
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

References = Mapping[str, str]
_NO_REFERENCES: References = {}


def clean_inline(text: str, references: References = _NO_REFERENCES) -> str:
    """Prose as Markdown without comments, tags, link targets and image sources."""
    done: list[str] = []
    at = 0
    while match := _TOKEN.search(text, at):
        done.append(text[at : match.start()])
        words, at = _HANDLERS[match.lastgroup or "escape"](text, match, references)
        done.append(words)
    return "".join(done) + text[at:]


def plain_text(markdown: str) -> str:
    """What a reader sees of one line of cleaned Markdown: no marks, no escapes, no entities."""
    codes = [span[2].strip() for span in _CODE_SPAN.finditer(markdown)]
    # Cleaned text has no NUL, so it can stand in for code while marks around it are resolved.
    text = _CODE_SPAN.sub("\0", markdown)
    for pattern in _EMPHASIS:
        text = pattern.sub(r"\2", text)
    text = html.unescape(_ESCAPED.sub(r"\1", _FOOTNOTE.sub("", text)))
    return re.sub("\0", lambda _: codes.pop(0) if codes else "", text).strip()


def _keep(_text: str, match: re.Match[str], _references: References) -> tuple[str, int]:
    """Leave what only looks like markup, such as code, as it stands."""
    return match[0], match.end()


def _drop(_text: str, match: re.Match[str], _references: References) -> tuple[str, int]:
    """Leave out what no reader sees."""
    return "", match.end()


def _autolink(_text: str, match: re.Match[str], _references: References) -> tuple[str, int]:
    """An address in angle brackets is its own text."""
    return match[0][1:-1], match.end()


def _link(_text: str, match: re.Match[str], references: References) -> tuple[str, int]:
    """A link or image keeps its words; brackets that are no link stay brackets."""
    name = (match["ref"] or match["words"]).strip().lower()
    if match["target"] is not None or name in references:
        return clean_inline(match["words"], references), match.end()
    opening = match.start("words")
    return match[0][: opening - match.start()], opening


def _tag(text: str, match: re.Match[str], references: References) -> tuple[str, int]:
    """A tag goes and leaves its label, or the break it made between words."""
    tag = tag_at(text, match.start())
    if tag is None or not is_markup(tag, text):
        return "<", match.start() + 1
    line = text[text.rfind("\n", 0, tag.start) + 1 : tag.start]
    in_row = line.lstrip().startswith("|")
    if tag.name in _TITLES and not tag.closing and (inner := _content(text, tag)):
        words, end = inner
        title = plain_text(" ".join(clean_inline(words, references).split()))
        return (f" {title} " if in_row else _labelled(title)), end
    return _left_behind(tag, starts_line=not line.strip(), in_row=in_row), tag.end


def _content(text: str, tag: Tag) -> tuple[str, int] | None:
    """What stands between a tag and its end tag, and where that ends."""
    end = re.compile(rf"</{re.escape(tag.name)}\s*>").search(text, tag.end)
    return (text[tag.end : end.start()], end.end()) if end else None


def _labelled(title: str) -> str:
    """A title as a paragraph of its own."""
    return f"\n\n**{title}**\n\n" if title else "\n\n"


def _left_behind(tag: Tag, *, starts_line: bool, in_row: bool) -> str:
    """What remains of a tag that is dropped."""
    label = "" if tag.closing else find_label(tag)
    if tag.name in {"td", "th"}:
        return " | " if tag.closing else ""
    if tag.name in _FORMATTING or tag.name == "img":
        return f"{label} " if label and tag.name != "img" else label
    if tag.name == "br" or in_row:
        return f" {label} " if label else " "
    if tag.name == "li":
        return "" if tag.closing else "\n- "
    if tag.name in _BLOCKS or starts_line:
        return _labelled(label)
    return f"{label} " if label else ""


_HANDLERS: dict[str, Callable[[str, re.Match[str], References], tuple[str, int]]] = {
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
