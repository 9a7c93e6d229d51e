"""The sheet a page is built on: open elements, the pieces put down, the runs of words."""

from dataclasses import dataclass, field

from rag.reading.formulas import formula
from rag.reading.pieces import Choice, Heading, Kind, Piece, Run, Words

Members = tuple[tuple[int, int], ...]


@dataclass
class Frame:
    """An open element: how it ends, where what is in it goes, and the choices it is in."""

    name: str
    end: str
    out: list[Piece]
    inside: Members = ()


@dataclass
class Tabs(Frame):
    """A set of tabs: what stands outside of them is in `out`."""

    group: int = 0
    count: int = 0
    buttons: list[Piece] = field(default_factory=list)
    panels: list[Piece] = field(default_factory=list)


class Sheet:
    """Frames pair what opens with what closes, whatever the page does."""

    def __init__(self) -> None:
        """Begin with an empty page."""
        self.frames = [Frame("page", "", [])]
        self.runs: list[Run] = []
        self.headings: list[Heading] = []
        self.section = -1
        self._block = 0
        self._groups = 0

    @property
    def out(self) -> list[Piece]:
        """Where the next piece goes."""
        return self.frames[-1].out

    def put(self, piece: Piece) -> None:
        """The next piece of markup."""
        self.out.append(piece)

    def new_block(self) -> None:
        """What follows is not on one line with what came before."""
        self._block += 1

    def new_group(self) -> int:
        """The number of the next set of tabs, or of the next details."""
        self._groups += 1
        return self._groups

    def say(self, kind: Kind, source: str, shown: str | None = None, html: str = "") -> None:
        """The next words of the page; what goes on in the same element is one run."""
        here = source if shown is None else shown
        last = Words(len(self.runs) - 1)
        if kind != "formula" and self.out[-1:] == [last]:
            run = self.runs[-1]
            if (run.kind, run.block) == (kind, self._block):
                self.runs[-1] = run._replace(source=run.source + source, shown=run.shown + here)
                return
        inside = self.frames[-1].inside
        self.runs.append(Run(kind, source, here, html, self._block, self.section, inside))
        if kind != "ghost":
            self.put(Words(len(self.runs) - 1))

    def ghost(self, source: str) -> None:
        """What the source says and no text on the page does."""
        self.new_block()
        self.say("ghost", source, "")
        self.new_block()

    def formula(self, tex: str, *, display: bool) -> None:
        """The next words of the page are a formula."""
        made = formula(tex, display=display)
        self.say("formula", tex, made.shown, made.html)

    def push(self, name: str, start: str | Choice, end: str) -> None:
        """Open an element; a choice is open to what is in it."""
        inside = self.frames[-1].inside
        if isinstance(start, Choice):
            inside = (*inside, (start.group, start.member))
        self.put(start)
        self.frames.append(Frame(name, end, self.out, inside))

    def pop(self) -> str:
        """Close the innermost element and say its name."""
        frame = self.frames.pop()
        if isinstance(frame, Tabs):
            buttons = ['<div class="tab-list" role="tablist">', *frame.buttons, "</div>"]
            self.out.extend(['<div class="tabs">', *frame.out, *(buttons if frame.count else [])])
            self.out.extend([*frame.panels, frame.end])
        else:
            frame.out.append(frame.end)
        return frame.name

    def close(self, name: str) -> None:
        """Close an element, and what was left open in it."""
        if any(frame.name == name for frame in self.frames):
            while self.pop() != name:
                pass
