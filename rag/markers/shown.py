"""What a reader sees of an answer while it streams: whole markers, no loose ends."""

import re

_LINE_PREFIX = re.compile(r"[ \t]*(?:>[ \t]*|(?:[-+*]|\d{1,9}[.)])[ \t]+)*")

# What must not come about because something was taken out between its halves.
_MAKES_MARKUP = re.compile(r"\]:|<[A-Za-z/!?]|``|~~|\$\$|\\\\")


class Shown:
    """The text that may be seen. Holds back what would have to go with a dropped marker."""

    def __init__(self) -> None:
        """Nothing is shown yet."""
        self._parts: list[str] = []
        # Spaces, an opening parenthesis, or the comma between two markers: not shown yet.
        self._hold = ""
        # A row of markers: what stood before it, whether it shows any, and which.
        self._lead = ""
        self._row = ""
        self._numbers: set[int] = set()
        self._cut = False
        self._last = ""
        self._line = ""

    @property
    def at_line_start(self) -> bool:
        """Whether only indentation, list and quote signs stand on this line."""
        opened = self._row == "dropped" and "(" in self._lead
        return not opened and _LINE_PREFIX.fullmatch(self._line + self._hold) is not None

    @property
    def quoted(self) -> bool:
        """Whether this line is part of a block quote."""
        return ">" in self._line

    @property
    def before(self) -> str:
        """The character before what comes next."""
        return self._hold[-1:] or self._last

    def take(self) -> str:
        """What became visible since the last call."""
        shown, self._parts = "".join(self._parts), []
        return shown

    def words(self, text: str) -> None:
        """Show prose."""
        text = (self._hold + text).replace("](", "] (")
        if self._row:
            if re.fullmatch(r"[ \t]*[,;]?[ \t]*", text):
                self._hold = text
                return
            text = self._after_row(text)
        body = text.rstrip(" \t")
        body = body[:-1].rstrip(" \t") if body.endswith("(") else body
        self._hold = text[len(body) :]
        self._put(body)

    def code(self, text: str) -> None:
        """Show text exactly as it was written."""
        self.settle()
        self._put(text)
        # Brackets in code make no link with what follows; ticks would make a longer run.
        self._last = "`" if text.endswith("`") else ""

    def made_code(self, text: str) -> None:
        """Show as code what was not written as code."""
        self.settle()
        self._cut = True
        self._put(f"`{text}`")
        self._cut = True

    def marker(self, number: int) -> None:
        """Show a marker, but not twice in a row."""
        numbers = self._numbers if self._row else set()
        if number not in numbers:
            self._put((self._lead if self._row == "dropped" else self._hold) + f"[{number}]")
            self._row = "shown"
        self._numbers = numbers | {number}
        self._hold = ""

    def drop(self) -> None:
        """Leave something out, and the space before it with it."""
        if not self._row:
            self._row, self._lead, self._numbers = "dropped", self._hold, set()
        self._hold = ""
        self._cut = True

    def leave_out(self, parts_words: bool) -> None:
        """Leave out a tag, with a space in its place where it parted words."""
        if parts_words and (self._hold or not self.before.strip()):
            self.drop()
        elif parts_words:
            self.words(" ")
        self._cut = True

    def settle(self) -> None:
        """Show what was held back."""
        text, self._hold = self._hold, ""
        self._put(self._after_row(text) if self._row else text)

    def _after_row(self, text: str) -> str:
        """The text behind a row of markers; a dropped row takes its parentheses with it."""
        dropped, self._row = self._row == "dropped", ""
        rest = text.lstrip(" \t")
        if dropped and "(" in self._lead:
            return rest[1:] if rest.startswith(")") else self._lead + rest
        return self._lead + rest if dropped and not self._line.strip() else text

    def _put(self, text: str) -> None:
        if not text:
            return
        joint = self._last + text[0]
        if joint == "](" or (self._cut and _MAKES_MARKUP.match(joint)):
            text = " " + text
        self._parts.append(text)
        self._cut, self._last = False, text[-1]
        _, newline, line = text.rpartition("\n")
        # Only how a line begins matters, and that it may be long.
        self._line = (line if newline else self._line + text)[:200]
