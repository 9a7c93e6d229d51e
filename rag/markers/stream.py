"""An answer in pieces of any size, given back with every marker whole and resolved."""

import re
from collections.abc import Callable, Sequence
from string import punctuation
from typing import ClassVar

from rag.domain.retrieval import RetrievedChunk
from rag.markers.citing import Citing
from rag.markers.shown import Shown
from rag.markers.syntax import (
    AUTOLINK,
    HALF_MARKER,
    SOURCE,
    TAG,
    Fence,
    Numbers,
    code_span_end,
    definition_end,
    escaped_formula_end,
    kind_of_tag,
    label_end,
    opens_bracket,
    read_formula,
    read_numbers,
    read_target,
    read_written_numbers,
)

# A bracket, tag or code span that has not closed by then is text; a formula is shorter still.
_LONGEST, _LONGEST_FORMULA = 600, 160
_PLAIN = re.compile(r"[^\\`~$<\[【［!&]+")
_BLANK_LINE = re.compile(r"\n[ \t\r]*\n")


class MarkerStream:
    """Takes an answer in pieces of any size and gives it back with every marker whole.

    Markers are renumbered in the order they first appear, so a reader sees [1], [2], [3].
    What points at no passage is dropped and counted. Links lose their target unless it is a
    passage's, which makes them markers; images, HTML tags and link definitions go. Code and
    formulas are passed through as they are. However the pieces are cut, the text is the same:
    nothing is decided before what follows can no longer change it.
    """

    def __init__(self, passages: Sequence[RetrievedChunk]) -> None:
        """Markers are resolved against the passages of the prompt, numbered from 1."""
        self._citing = Citing(passages)
        self._buffer = ""
        self._at = 0
        self._final = False
        self._shown = Shown()
        self._fence: Fence | None = None
        self._within_line = False
        self.dropped = 0

    @property
    def cited(self) -> list[RetrievedChunk]:
        """The passages cited so far, in the order of their markers."""
        return self._citing.cited

    def feed(self, piece: str) -> str:
        """What can be shown after one more piece."""
        self._buffer += piece
        return self._drain()

    def finish(self) -> str:
        """What was held back, now that nothing more comes."""
        self._final = True
        shown = self._drain()
        self._shown.settle()
        return shown + self._shown.take()

    def _drain(self) -> str:
        while self._at < len(self._buffer) and self._step():
            pass
        self._buffer, self._at = self._buffer[self._at :], 0
        return self._shown.take()

    def _step(self) -> bool:
        """Take what stands next; False where more must come before it can be read."""
        if self._fence:
            return self._code_line(self._fence)
        if plain := _PLAIN.match(self._buffer, self._at):
            return self._words(plain.group())
        ahead = self._buffer[self._at : self._at + _LONGEST]
        blank = _BLANK_LINE.search(ahead)
        whole = self._final or blank is not None or len(ahead) == _LONGEST
        if len(ahead) < 2 and not whole:
            return False
        return self._READERS[ahead[0]](self, ahead[: blank.start()] if blank else ahead, whole)

    def _pass(self, length: int) -> bool:
        self._at += length
        return True

    def _words(self, text: str) -> bool:
        self._shown.words(text)
        return self._pass(len(text))

    def _code(self, text: str) -> bool:
        self._shown.code(text)
        return self._pass(len(text))

    def _instead(self, length: int, text: str) -> bool:
        """Read on as if this text stood in the place of what was found."""
        self._buffer, self._at = text + self._buffer[self._at + length :], 0
        self._shown.leave_out(parts_words=False)
        return True

    def _code_line(self, fence: Fence) -> bool:
        """A line of a code block, as far as it has come."""
        newline = self._buffer.find("\n", self._at)
        line = self._buffer[self._at : newline + 1 or len(self._buffer)]
        if not self._within_line:
            if newline < 0 and not self._final and fence.may_be_ended_by(line):
                return False
            if fence.is_left_by(line) or fence.is_ended_by(line):
                self._fence = None
            if fence.is_left_by(line):
                return True
        self._within_line = newline < 0
        return self._code(line)

    def _read_ticks(self, ahead: str, whole: bool) -> bool:
        """A code span, a code block, or ticks that are neither."""
        run = len(ahead) - len(ahead.lstrip(ahead[0]))
        newline = ahead.find("\n")
        line = ahead if newline < 0 else ahead[:newline]
        opens = run >= 3 and self._shown.at_line_start
        if not whole and (run == len(ahead) or (newline < 0 and opens)):
            return False
        ends_line = newline >= 0 or len(line) < _LONGEST
        if opens and ends_line and not (ahead[0] == "`" and "`" in line[run:]):
            self._fence, self._within_line = Fence(ahead[0], run, self._shown.quoted), True
            return self._code(line)
        end = code_span_end(line, whole or newline >= 0) if ahead[0] == "`" else 0
        if end is None:
            return False
        if end:
            return self._code(ahead[:end])
        # Ticks that open nothing here must not pair up with others further on.
        self._shown.words(("\\`" if ahead[0] == "`" else ahead[0]) * run)
        return self._pass(run)

    def _read_dollar(self, ahead: str, whole: bool) -> bool:
        if not ahead.startswith("$$"):
            whole = whole or len(ahead) >= _LONGEST_FORMULA
            ahead = ahead[:_LONGEST_FORMULA]
        found = read_formula(ahead, whole, self._shown.before, self._shown.at_line_start)
        if found is None:
            return False
        if found.end:
            return self._code(ahead[: found.end])
        # Without the links, tags and markers in it, it would become a formula.
        run = 1 + ahead.startswith("$$")
        self._shown.words(("\\$" if found.looks_like_one else "$") * run)
        return self._pass(run)

    def _read_backslash(self, ahead: str, whole: bool) -> bool:
        """An escaped character, a formula, or a marker that was escaped."""
        if found := read_numbers(ahead):
            return self._markers(found.numbers, found.end)
        end = escaped_formula_end(ahead, whole, self._shown.at_line_start)
        if end is None:
            return False
        if end:
            return self._code(ahead[:end])
        if ahead[1:2] == "(" or (ahead[1:2] == "[" and self._shown.at_line_start):
            # No formula; nor must it become one when markers and links have gone.
            return self._instead(2, ahead[1])
        return self._words(ahead[: 2 if ahead[1:2] in punctuation else 1])

    def _read_angle(self, ahead: str, whole: bool) -> bool:
        """A tag, an address in angle brackets, or a sign that must not open a tag."""
        line, newline, _ = ahead.partition("\n")
        if not re.match(r"<[A-Za-z/!?<]", line):
            return self._words("<")
        if address := AUTOLINK.match(line):
            passage, end = self._citing.at(address[1]), address.end()
            return self._cite(passage, end) if passage else self._instead(end, address[1])
        if tag := TAG.match(line):
            return self._tag(tag.group())
        if not (whole or newline or re.match(r"<(?!!--)[^\"']*<", line)):
            return False
        self._shown.words("\\")
        return self._words("<")

    def _tag(self, tag: str) -> bool:
        """HTML goes, its text stays; a tag of another language is shown as code."""
        is_html, parts_words = kind_of_tag(tag)
        if is_html:
            self._shown.leave_out(parts_words)
        else:
            self._shown.made_code(tag)
        return self._pass(len(tag))

    def _read_wide(self, ahead: str, whole: bool) -> bool:
        if found := read_numbers(ahead):
            return self._markers(found.numbers, found.end)
        return self._words(ahead[0]) if whole or re.search("[】］]", ahead) else False

    def _read_entity(self, ahead: str, whole: bool) -> bool:
        """A marker whose brackets are written as entities, or an ampersand."""
        opens = opens_bracket(ahead)
        if found := read_numbers(ahead) if opens else None:
            return self._markers(found.numbers, found.end)
        waits = opens is None or (opens and ahead.count(";") < 2)
        return False if waits and not whole else self._words("&")

    def _read_bang(self, ahead: str, whole: bool) -> bool:
        if ahead[1:2] == "[":
            return self._read_square(ahead, whole)
        return self._words("!")

    def _read_square(self, ahead: str, whole: bool) -> bool:
        """A marker, link, image, definition, or a bracket that is only one."""
        is_image = ahead[0] == "!"
        if not is_image and self._shown.at_line_start:
            defined = definition_end(ahead, whole)
            if defined is None:
                return False
            if defined:
                length = abs(defined)
                return self._instead(length, "" if defined > 0 else f"{ahead[: length - 1]} :")
        found = None if is_image else read_numbers(ahead)
        end = found.end if found else label_end(ahead, int(is_image), whole)
        if end is None or (0 < end == len(ahead) and not whole):
            return False
        if end == 0:
            return self._unclosed(ahead)
        found = found or (None if is_image else read_written_numbers(ahead[:end]))
        if ahead[end : end + 1] == "(":
            return self._read_link(ahead, end, whole, found)
        if found:
            return self._markers(found.numbers, found.end)
        if ahead[end : end + 1] == "[":
            return self._read_reference(ahead, end, whole)
        return self._read_source(ahead, end)

    def _read_source(self, ahead: str, end: int) -> bool:
        """`[Source: title]`, or a bracket that is only one."""
        source = SOURCE.fullmatch(ahead[1 : end - 1])
        return self._source(source[1], end) if source else self._words(ahead[0])

    def _unclosed(self, ahead: str) -> bool:
        """A bracket that never closes is text, unless the answer was cut off inside a marker."""
        at_end = self._final and self._at + len(ahead) == len(self._buffer)
        if at_end and HALF_MARKER.fullmatch(ahead):
            return self._markers([0], len(ahead))
        return self._words(ahead[0])

    def _read_link(self, ahead: str, label: int, whole: bool, found: Numbers | None) -> bool:
        """What `[label](target)` becomes: a marker, its text, or nothing."""
        target = read_target(ahead, label, whole)
        if target is None:
            return False
        is_image = ahead[0] == "!"
        text = ahead[1 + is_image : label - 1]
        end, address = target
        if end == 0:
            # Half a target is not shown where the answer was cut off; elsewhere it is text.
            at_end = self._final and self._at + len(ahead) == len(self._buffer)
            end, address = (len(ahead) if at_end else label), ""
        if address is None:
            return self._markers(found.numbers, found.end) if found else self._words(ahead[0])
        if is_image:
            self._shown.drop()
            return self._instead(end, "")
        if passage := self._citing.at(address):
            return self._cite(passage, end)
        if found := found or read_numbers(text):
            return self._markers(found.numbers, end)
        source = SOURCE.fullmatch(text)
        return self._source(source[1], end) if source else self._instead(end, text)

    def _read_reference(self, ahead: str, label: int, whole: bool) -> bool:
        """What `[label][1]` becomes: its text and a marker. `a[i][j]` stays as it is."""
        second = label_end(ahead, label, whole)
        if second is None:
            return False
        named = ahead[label:second]
        if ahead[0] == "!" and second:
            self._shown.drop()
            return self._instead(second, "")
        numbers, text = read_numbers(named), ahead[1 : label - 1]
        is_reference = numbers or re.fullmatch(r"\[\s*\]", named)
        if ahead[0] == "!" or not is_reference or self._shown.before.isalnum():
            return self._words(ahead[0])
        return self._instead(label, f"{text} ") if numbers else self._instead(second, text)

    def _source(self, title: str, length: int) -> bool:
        """`[Source: title]` is a marker even if nothing has that title."""
        passage = self._citing.titled(title)
        return self._cite(passage, length) if passage else self._markers([0], length)

    def _markers(self, numbers: list[int], length: int) -> bool:
        """Each number as a marker; one that names no passage is dropped and counted."""
        for number in numbers:
            if passage := self._citing.numbered(number):
                self._cite(passage, 0)
            else:
                self.dropped += 1
                self._shown.drop()
        return self._pass(length)

    def _cite(self, passage: RetrievedChunk, length: int) -> bool:
        self._shown.marker(self._citing.number(passage))
        return self._pass(length)

    _READERS: ClassVar[dict[str, Callable[["MarkerStream", str, bool], bool]]] = {
        "\\": _read_backslash,
        "`": _read_ticks,
        "~": _read_ticks,
        "$": _read_dollar,
        "<": _read_angle,
        "!": _read_bang,
        "&": _read_entity,
        "[": _read_square,
        "【": _read_wide,
        "［": _read_wide,
    }
