"""A page's Markdown or MDX, made plain: what only a build tool reads goes, the words stay."""

import html
import re
from typing import NamedTuple

from rag.ingest import esm
from rag.ingest.boxes import closing, escape_false_edges, opening, settle
from rag.ingest.fences import Fence, fence_around, fence_at
from rag.ingest.inline import Rules, clean_inline, clean_title
from rag.ingest.jsx import dedent_children
from rag.ingest.slugs import split_heading_id
from rag.ingest.tags import tag_at

# Joiners mean something between two letters of some scripts and inside emoji; elsewhere not.
_INVISIBLE = re.compile(
    r"[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
    r"|(?<![^\x00-\x7f])[\u200c\u200d]|[\u200c\u200d](?![^\x00-\x7f])"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_ADMONITION = re.compile(
    r"(?P<lead>[ \t]*(?:>[ \t]?)*[ \t]*)(?P<bullet>(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)"
    r"(?P<colons>:{3,})(?P<rest>[^:\n]?[^\n]*)$"
)
_DIRECTIVE = re.compile(
    r"\s*(?P<name>[A-Za-z][\w-]*)\s*(?:\[(?P<label>.*)\])?\s*(?P<attributes>\{[^{}]*\})?"
    r"\s*(?P<title>.*?)\s*"
)
_TITLE = re.compile(r"title\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")
_DEFINITION = re.compile(
    r" {0,3}\[(?P<name>[^\]^\n][^\]\n]*)\]:[ \t]*(?P<target>\S+)(?:[ \t]+[\"'(].*[\"')])?[ \t]*"
)
_BULLET = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]")
_MULTILINE = re.compile(r"<!--|\{/\*|^[ \t]*(?:<[A-Za-z])", re.MULTILINE)
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)")
_BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def normalise(text: str) -> str:
    """Line ends as newlines, and nothing that no reader can see."""
    return _INVISIBLE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def clean_markdown(body: str) -> str:
    """A page without its front matter, cleaned; headings keep their explicit {#id}."""
    return _Cleaner(body).run()


def clean_for_reading(body: str) -> str:
    """The same words, with the targets of links and images, and boxes as lines of colons."""
    return _Cleaner(body, reading=True).run()


class _Directive(NamedTuple):
    """The line of a box: its kind and title; a closing line has neither."""

    kind: str = ""
    title: str = ""


def indentation(line: str) -> int:
    """How far a line is moved in, a tab counting four."""
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


class _Cleaner:
    """Walks down the lines: code and math stay verbatim, prose is gathered and cleaned."""

    def __init__(self, body: str, *, reading: bool = False) -> None:
        self.lines = lines = dedent_children(normalise(body).split("\n"))
        self.at = 0
        self.in_list = False
        self.prose: list[str] = []
        self.done: list[str] = []
        # Of two definitions the first holds.
        definitions = [match for line in reversed(lines) if (match := _DEFINITION.fullmatch(line))]
        references = {
            match["name"].strip().lower(): re.sub(r"^<(.*)>$", r"\1", match["target"])
            for match in definitions
        }
        self.rules = Rules(references, links=reading, images=reading, boxes=reading)

    def run(self) -> str:
        """The whole page."""
        steps = (self._fence, self._pre, self._math, self._esm, self._admonition)
        while self.at < len(self.lines):
            if not any(step() for step in (*steps, self._indented)):
                self._prose()
        self._flush()
        page = "\n".join(self.done).strip("\n")
        return settle(page) if self.rules.boxes else page

    def _flush(self) -> None:
        """Clean the prose gathered so far and put it down."""
        if self.prose:
            text = clean_inline("\n".join(self.prose), self.rules)
            self.prose = []
            text = _BLANKS.sub("\n\n", text)
            if self.rules.boxes:
                text = escape_false_edges(text)
            self.done.append(text.lstrip("\n") if self._after_gap() else text)

    def _after_gap(self) -> bool:
        """Whether what was put down last ends with a blank line."""
        return bool(self.done) and not self.done[-1].rpartition("\n")[2].strip()

    def _put(self, lines: list[str], taken: int) -> bool:
        """Put lines down as they are, for so many lines of the page."""
        self._flush()
        repeats_gap = self._after_gap() and not lines[0].strip()
        self.done += lines[1:] if repeats_gap else lines
        self.at += taken
        return True

    def _fence(self) -> bool:
        fence = fence_at(self.lines, self.at)
        if fence is None:
            return False
        if _BULLET.match(fence.lead):
            self.in_list = True
        return self._put(_titled(fence), fence.taken)

    def _pre(self) -> bool:
        """HTML's own code block becomes a fenced one, or its "#" would be headings."""
        if not re.match(r"[ \t]*<pre\b", self.lines[self.at], re.IGNORECASE):
            return False
        rest = "\n".join(self.lines[self.at :])
        end = re.search(r"</pre\s*>[ \t]*(?=\n|$)", rest, re.IGNORECASE)
        if end is None:
            return False
        words = html.unescape(re.sub(r"</?[A-Za-z][^>]*>", "", rest[: end.end()]))
        taken = rest[: end.end()].count("\n") + 1
        return self._put(["", *fence_around(words.strip("\n")).split("\n"), ""], taken)

    def _math(self) -> bool:
        line = self.lines[self.at].strip()
        if not line.startswith("$$"):
            return False
        if line.count("$$") > 1:
            return line.endswith("$$") and self._put([self.lines[self.at]], 1)
        for end in range(self.at + 1, len(self.lines)):
            if self.lines[end].rstrip().endswith("$$"):
                return self._put(self.lines[self.at : end + 1], end + 1 - self.at)
        return False

    def _esm(self) -> bool:
        taken = esm.statement_lines(self.lines, self.at)
        return bool(taken) and self._put([""], taken)

    def _admonition(self) -> bool:
        """:::note Title opens a box and leaves its title; ::: closes it and leaves nothing."""
        match = _ADMONITION.match(self.lines[self.at])
        directive = _directive(match["rest"]) if match else None
        if match is None or directive is None:
            return False
        if self.rules.boxes:
            return self._box(match, directive)
        if match["bullet"]:
            return False
        kind, title = directive
        lead = match["lead"]
        words = f"{kind.capitalize()}: {title}" if title else kind.capitalize()
        label = [clean_inline(f"{lead}**{words}**", self.rules)] if kind else []
        return self._put([lead.rstrip(), *label, lead.rstrip()], 1)

    def _box(self, match: re.Match[str], directive: _Directive) -> bool:
        """Mark the box for the reader; one that begins a list item stays beside its bullet."""
        kind, title = directive
        colons = len(match["colons"])
        if match["bullet"] and not kind:
            return False
        self.in_list = self.in_list or bool(match["bullet"])
        lead = self._lead(match["lead"] + match["bullet"])
        title = clean_title(title, self.rules)
        mark = opening(kind.lower(), title, colons) if kind else closing(colons=colons)
        return self._put([f"{lead}{mark}"], 1)

    def _lead(self, lead: str) -> str:
        """What stands before a box: outside lists and quotes, four spaces would make it code."""
        return lead if self.in_list or ">" in lead else ""

    def _indented(self) -> bool:
        """Code that is only moved in becomes fenced, so that it stays code wherever it goes."""
        after_blank = self.at == 0 or not self.lines[self.at - 1].strip()
        if self.in_list or not after_blank or not self._is_moved_in(self.at):
            return False
        end = self.at
        while end < len(self.lines) and (self._is_moved_in(end) or not self.lines[end].strip()):
            end += 1
        code = [line.expandtabs(4)[4:] for line in self.lines[self.at : end]]
        fenced = fence_around("\n".join(code).strip("\n").rstrip()).split("\n")
        return self._put([*fenced, ""], end - self.at)

    def _is_moved_in(self, at: int) -> bool:
        line = self.lines[at]
        return bool(line.strip()) and indentation(line) >= 4

    def _prose(self) -> None:
        """Gather one line, or all the lines of a comment or tag that goes over several."""
        line = self.lines[self.at]
        if _BULLET.match(line):
            self.in_list = True
        elif line.strip() and indentation(line) < 2 and not (self.prose and self.prose[-1].strip()):
            self.in_list = False
        taken = self._construct_lines()
        if not _DEFINITION.fullmatch(line):
            rest = self.lines[self.at + 1 : self.at + taken]
            prose = [_canonical_heading(line), *rest]
            # A reader's blocks stand as far in as their tag, and outside lists that is nowhere.
            is_flat = self.rules.boxes and not self.in_list
            self.prose += [each.lstrip(" \t") for each in prose] if is_flat else prose
        self.at += taken

    def _construct_lines(self) -> int:
        """How many lines the prose that begins here must be read together."""
        line = _CODE_SPAN.sub(lambda span: "x" * len(span[0]), self.lines[self.at])
        taken = 1
        for match in _MULTILINE.finditer(line):
            rest = "\n".join([line, *self.lines[self.at + 1 :]])
            closer = {"<!--": "-->", "{/*": "*/}"}.get(match[0])
            if closer:
                end = rest.find(closer, match.end())
            else:
                tag = tag_at(rest, match.end() - 2)
                end = tag.end - 1 if tag else -1
            taken = max(taken, rest.count("\n", 0, max(end, 0)) + 1)
        return taken


def _titled(fence: Fence) -> list[str]:
    """A fenced block whose title="..." has become a line of text above it."""
    title = _quoted_title(fence.info)
    if not title:
        return fence.lines()
    below = re.sub(r"[-*+\d.)]", " ", fence.lead)
    return [below.rstrip(), f"{fence.lead}**{title}**", below.rstrip(), *fence.lines(below)]


def _quoted_title(attributes: str) -> str:
    """The value of title="..." among attributes, or ""."""
    match = _TITLE.search(attributes)
    return (match[1] or match[2] or "") if match else ""


def _canonical_heading(line: str) -> str:
    """A heading whose explicit id is written {#id}, the one form that outlives cleaning."""
    if not _HEADING.match(line):
        return line
    title, explicit = split_heading_id(line.rstrip())
    return f"{title} {{#{explicit}}}" if explicit else line


def _directive(rest: str) -> _Directive | None:
    """What follows the colons of a box, or None if the colons are only text."""
    if not rest.strip():
        return _Directive()
    match = _DIRECTIVE.fullmatch(rest)
    if match is None:
        return None
    words = match["label"] or _quoted_title(match["attributes"] or "") or match["title"]
    return _Directive(match["name"], words)
