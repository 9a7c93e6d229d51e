"""What a learner selected in the browser, as the book's own text."""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID, uuid5

from rag.domain.book import Chunk, Page, reader_address, site_address
from rag.ingest.fences import fence_at
from rag.reading.building import parse
from rag.reading.marking import Span, loose, whole
from rag.reading.pieces import Heading, Parsed
from rag.reading.streams import occurrences, stream_of
from rag.text import words
from rag.tokens import count_tokens

MAX_CHARS = 2000
_MOST_SELECTED = 10_000
_ENOUGH_WORDS = 3
_ENOUGH_LETTERS = 3
_NAMESPACE = UUID("0d1c7a66-3a86-4b51-9a57-8f4b3c1d7e20")
_NUMBER = re.compile(r"^\s*\d{1,9}[.)](?=\s)", re.MULTILINE)
_CLOSING = re.compile(r"[.,;:!?…)\]\"'”’]*$")
# Markup that means nothing when cut in half; a paragraph's end ends it.
_IN_PARAGRAPH = r"(?:(?!\n[ \t]*\n).)"
_CLOSED = re.compile(
    rf"(?<!`)(?P<ticks>`+)(?!`){_IN_PARAGRAPH}+?(?<!`)(?P=ticks)(?!`)"
    rf"|\$\${_IN_PARAGRAPH}+?\$\$"
    r"|(?<![\w$\\])\$(?=[^\s$])[^$\n`]*?[^\s\\$`]\$(?![\w$])"
    r"|!?\[[^\[\]\n]*\]\([^()\s]*\)",
    re.DOTALL,
)
_STARS = (r"\*\*\*", r"\*\*", r"\*")
_LINES = ("___", "__", "_")
_PAIRED = tuple(
    re.compile(pattern, re.DOTALL)
    for pattern in (
        *(rf"(?<![\\*]){m}(?![\s*]){_IN_PARAGRAPH}{{1,600}}?(?<![\s*\\]){m}(?!\*)" for m in _STARS),
        *(
            rf"(?<![\w\\]){m}(?![\s_]){_IN_PARAGRAPH}{{1,600}}?(?<![\s_\\]){m}(?!\w)"
            for m in _LINES
        ),
        rf"(?<!\\)~~(?!\s){_IN_PARAGRAPH}{{1,600}}?(?<!\s)~~",
    )
)


class _Markup(NamedTuple):
    """A stretch of markup: closed if its inside alone would mean something else."""

    start: int
    end: int
    closed: bool


def passage(page: Page, selected: str, base_url: str = "") -> Chunk | None:
    """The book's own text behind a selection; None if it does not stand in the page."""
    parsed = parse(page)
    span = _find(parsed, selected[:_MOST_SELECTED])
    source = _in_source(parsed, span) if span else None
    stretch = _in_text(page.text, source) if source else None
    if source is None or stretch is None:
        return None
    start, end = _balanced(page.text, *_with_signs(page.text, *stretch, selected))
    text = page.text[start:end].strip()
    run = parsed.runs[source.stream.parts[source.start]]
    return _chunk(page, text, _path(page, parsed.headings[: run.heading + 1]), base_url)


def _find(parsed: Parsed, selected: str) -> Span | None:
    """Where a selection stands among the letters that a browser shows."""
    said = words(selected)
    if len(said) < _ENOUGH_WORDS and not any(_letters(word) >= _ENOUGH_LETTERS for word in said):
        return None
    # Some browsers copy the numbers of a list along, some do not.
    sought = [stream_of(text).text for text in (selected, _NUMBER.sub("", selected))]
    streams = (parsed.shown, parsed.plain)
    found = (find(s, text) for find in (whole, loose) for s in streams for text in sought if text)
    return next((span for span in found if span), None)


def _letters(word: str) -> int:
    return sum(char.isalpha() for char in word)


def _in_source(parsed: Parsed, span: Span) -> Span | None:
    """The same stretch among the letters of the source; a formula is in it whole or not at all."""
    shown, source = span.stream, parsed.source
    first, last = shown.parts[span.start], shown.parts[span.end - 1]
    start, end = source.at_part(first), source.at_part(last + 1)
    if parsed.runs[first].source == parsed.runs[first].shown:
        start += span.start - shown.at_part(first)
    if parsed.runs[last].source == parsed.runs[last].shown:
        end -= shown.at_part(last + 1) - span.end
    return Span(source, start, end) if start < end else None


def _in_text(text: str, span: Span) -> tuple[int, int] | None:
    """Where a stretch of the source stands in the cleaned text, which may differ elsewhere."""
    there = stream_of(text)
    sought = span.stream.text[span.start : span.end]
    found = occurrences(there.text, sought)
    if not found:
        return None
    before = sum(at < span.start for at in occurrences(span.stream.text, sought))
    at = found[min(before, len(found) - 1)]
    return there.starts[at], there.ends[at + len(sought) - 1]


def _with_signs(text: str, start: int, end: int, selected: str) -> tuple[int, int]:
    """A stretch with the signs that end the selection."""
    closing = _CLOSING.search(selected.rstrip())
    while closing and end < len(text) and text[end] in closing[0]:
        end += 1
    return start, end


def _balanced(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch widened until no markup is cut in half, and short enough."""
    markup = list(_markup(text))
    changed = True
    while changed:
        changed = False
        for one in markup:
            if _is_cut(one, start, end):
                start, end, changed = min(start, one.start), max(end, one.end), True
    if end - start <= MAX_CHARS:
        return start, end
    head = text[start : start + MAX_CHARS + 1]
    end = start + len((head.rsplit(None, 1)[0] if head.split(None, 1)[1:] else head[:-1]).rstrip())
    for one in sorted(markup, reverse=True):
        if start < one.start < end < one.end:
            end = one.start
    return start, end


def _is_cut(one: _Markup, start: int, end: int) -> bool:
    """Whether a stretch takes a part of some markup that does not stand by itself."""
    overlaps = one.start < end and start < one.end
    covers = start <= one.start and one.end <= end
    within = one.start <= start and end <= one.end
    return overlaps and not covers and (one.closed or not within)


def _markup(text: str) -> Iterator[_Markup]:
    """The fenced blocks, code spans, formulas, links and emphasis of a text."""
    masked, at = "", 0
    for start, end in _fences(text):
        yield _Markup(start, end, closed=False)
        masked, at = masked + text[at:start] + _masked(text[start:end]), end
    masked += text[at:]
    for match in _CLOSED.finditer(masked):
        yield _Markup(match.start(), match.end(), closed=True)
    masked = _CLOSED.sub(lambda match: _masked(match[0]), masked)
    for pattern in _PAIRED:
        for match in pattern.finditer(masked):
            yield _Markup(match.start(), match.end(), closed=False)


def _masked(text: str) -> str:
    """As much text that says nothing."""
    return re.sub(r"[^\n]", "x", text)


def _fences(text: str) -> Iterator[tuple[int, int]]:
    lines = text.split("\n")
    at, offset = 0, 0
    while at < len(lines):
        fence = fence_at(lines, at)
        taken = fence.taken if fence else 1
        size = sum(len(line) + 1 for line in lines[at : at + taken])
        if fence:
            yield offset, offset + size - 1
        at, offset = at + taken, offset + size


def _path(page: Page, headings: tuple[Heading, ...]) -> list[Heading]:
    """The headings above a place, the page's title first, as chunks have them."""
    path = [Heading(1, page.title, "", 0, True)]
    for heading in headings:
        if heading.top and heading.title:
            path = [*(above for above in path if above.level < heading.level), heading]
    return path


def _chunk(page: Page, text: str, path: list[Heading], base_url: str) -> Chunk:
    # A heading of level one has no anchor on a website.
    anchors = [heading.anchor if heading.level > 1 else "" for heading in path]
    anchor = anchors[-1]
    on_site = site_address(base_url, page.route, anchor)
    return Chunk(
        chunk_id=str(uuid5(_NAMESPACE, f"{page.source_file}\n{text}")),
        text=text,
        source_file=page.source_file,
        chapter_id=page.chapter_id,
        module=page.module,
        page_title=page.title,
        heading_path=tuple(heading.title for heading in path),
        anchors=tuple(filter(None, anchors)),
        url=on_site if base_url else reader_address(page.chapter_id, anchor),
        position=0,
        token_count=count_tokens(text),
        content_hash=sha256(text.encode()).hexdigest(),
    )
