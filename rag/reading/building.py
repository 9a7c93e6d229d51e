"""A page's tokens become pieces: every tag is ours, every word of the book is a run."""

from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

from rag.domain.book import Page
from rag.ingest.inline import clean_inline, plain_text
from rag.ingest.slugs import Slugger
from rag.reading.boxes import BOXES, close_box, open_box
from rag.reading.listings import coloured, language
from rag.reading.pieces import Heading, Parsed
from rag.reading.sheet import Sheet
from rag.reading.spans import put_words
from rag.reading.syntax import tokens

if TYPE_CHECKING:
    from markdown_it.token import Token

_BLOCKS = {
    "list_item": ("<li>", "</li>"),
    "bullet_list": ("<ul>", "</ul>"),
    "blockquote": ("<blockquote>", "</blockquote>"),
    "table": (
        '<div class="table" tabindex="0" role="group" aria-label="Table"><table>',
        "</table></div>",
    ),
    "thead": ("<thead>", "</thead>"),
    "tbody": ("<tbody>", "</tbody>"),
    "tr": ("<tr>", "</tr>"),
}
# What the cleaned text has no trace of: a heading in it is a heading of the page.
_FLAT = BOXES | {"page"}
_ALIGNMENTS = frozenset({"text-align:left", "text-align:center", "text-align:right"})
# How many parsed pages are kept: those that readers are on.
_KEPT = 64


def parse(page: Page) -> Parsed:
    """A page, read; the same page is read once."""
    return _parse(page.title, page.reading or page.text)


@lru_cache(maxsize=_KEPT)
def _parse(title: str, markdown: str) -> Parsed:
    builder = _Builder(title)
    builder.build(tokens(markdown))
    sheet = builder.sheet
    return Parsed(sheet.out, sheet.runs, sheet.headings)


class _Builder:
    """Goes through the tokens once."""

    def __init__(self, title: str) -> None:
        self.title = " ".join(title.split())
        self.sheet = Sheet()
        self.slugger = Slugger()
        self.ids: set[str] = set()

    def build(self, found: "Sequence[Token]") -> None:
        """Every block of the page."""
        at = 0
        while at < len(found):
            token = found[at]
            if token.type == "heading_open":
                self._heading(token, found[at + 1])
                at += 2
            elif token.type == "box_open":
                open_box(self.sheet, token.info.lower(), found[at + 1])
                at += 1
            else:
                self._block(token)
            at += 1
        while len(self.sheet.frames) > 1:
            self.sheet.pop()

    def _block(self, token: "Token") -> None:
        name, _, edge = token.type.rpartition("_")
        if token.type == "box_close":
            close_box(self.sheet)
        elif edge == "open":
            self.sheet.push(name, *_element(name, token))
            if name == "list_item" and token.info:
                self.sheet.ghost(token.info)
        elif edge == "close":
            self.sheet.close(name)
        elif token.type == "inline":
            put_words(self.sheet, token)
        elif token.type in ("fence", "code_block"):
            _listing(self.sheet, token)
        elif token.type == "formula_block":
            _display(self.sheet, token.content)
        else:
            self.sheet.put("<hr>")

    def _heading(self, token: "Token", words: "Token") -> None:
        """A heading with the anchor its chunks are cited by."""
        sheet, level = self.sheet, int(token.tag[1:])
        plain = plain_text(clean_inline(token.meta["source"]))
        title = " ".join(plain.split())
        anchor = token.meta["id"] or self.slugger.slug(plain)
        is_title = level == 1 and not sheet.headings and title == self.title
        top = all(frame.name in _FLAT for frame in sheet.frames)
        shown_anchor = "" if is_title else anchor
        sheet.headings.append(Heading(level, title, shown_anchor, len(sheet.runs), top))
        if top:
            sheet.section = len(sheet.headings) - 1
        if is_title:
            sheet.ghost(title)
        else:
            sheet.put(f"<{token.tag}{self._id(anchor)}>")
            put_words(sheet, words)
            sheet.put(f"</{token.tag}>")
        if token.meta["id"]:
            sheet.ghost(token.meta["id"])

    def _id(self, anchor: str) -> str:
        """A heading's id; what an author gave twice only the first has."""
        if not anchor or anchor in self.ids:
            return ""
        self.ids.add(anchor)
        return f' id="s-{escape(anchor)}"'


def _element(name: str, token: "Token") -> tuple[str, str]:
    """How an element begins and ends."""
    if name == "paragraph":
        return ("", "") if token.hidden else ("<p>", "</p>")
    if name == "ordered_list":
        first = int(token.attrGet("start") or 1) if token.attrs else 1
        return ("<ol>" if first == 1 else f'<ol start="{first}">'), "</ol>"
    if name in ("th", "td"):
        style = str(token.attrGet("style") or "")
        scope = ' scope="col"' if name == "th" else ""
        aligned = f' style="{style}"' if style in _ALIGNMENTS else ""
        return f"<{name}{scope}{aligned}>", f"</{name}>"
    return _BLOCKS[name]


def _listing(sheet: Sheet, token: "Token") -> None:
    """Code in its colours; a diagram as the source it is."""
    name = language(token.info)
    is_diagram = name == "mermaid"
    if token.info.strip():
        sheet.ghost(token.info)
    if is_diagram:
        sheet.put('<figure class="diagram"><figcaption>')
        sheet.say("label", "", "Diagram, as Mermaid source")
        sheet.put("</figcaption>")
    sheet.new_block()
    sheet.put('<pre class="code" tabindex="0"><code>')
    for piece in coloured(token.content, "" if is_diagram else name):
        sheet.put(f'<span class="{piece.css}">' if piece.css else "")
        sheet.say("picture" if is_diagram else "code", piece.text)
        sheet.put("</span>" if piece.css else "")
    sheet.put("</code></pre>" + ("</figure>" if is_diagram else ""))
    sheet.new_block()


def _display(sheet: Sheet, tex: str) -> None:
    sheet.new_block()
    sheet.put('<div class="math" tabindex="0" role="group" aria-label="Formula">')
    sheet.formula(tex, display=True)
    sheet.put("</div>")
    sheet.new_block()
