"""Which neighbouring pieces of a page become one chunk.

Every way to cut the page into runs of pieces has a cost; the cheapest way is taken. A run should
be about as large as the target, begin with a heading, and stay under one heading; a heading or a
lead-in must not be parted from what follows it.
"""

from collections.abc import Callable
from dataclasses import dataclass

# Costs are in units of "one chunk of no words at all", which costs 1.
_PART_FROM_HEADING = 50.0
_PART_FROM_LEAD_IN = 3.0
_ONLY_HEADINGS = 5.0
_BEGIN_WITHIN_SECTION = 0.25
_JOIN_CHAPTERS = 0.85
_JOIN_SUBSECTIONS = 0.55
_JOIN_WHAT_WAS_CUT = 2.0
_TOO_LARGE = 2.0
_JOINED_TOO_LARGE = 8.0
# A blank line between two pieces costs about one token.
_GAP = 1
# More pieces than a readable chunk has; without a bound, a page of headings only takes for ever.
_MOST_PIECES = 48


@dataclass(frozen=True)
class Heading:
    """One heading of a page; its index tells it from others of the same words."""

    index: int
    level: int
    title: str
    anchor: str


Path = tuple[Heading, ...]


@dataclass(frozen=True)
class Piece:
    """A heading line, a block or a part of one, with the headings it stands under."""

    text: str
    path: Path
    tokens: int
    heading: bool = False
    leads_in: bool = False
    continues: bool = False


@dataclass(frozen=True)
class Run:
    """Neighbouring pieces and the headings all of them stand under."""

    pieces: tuple[Piece, ...]
    path: Path

    @property
    def shown(self) -> list[Piece]:
        """The pieces whose words are the text: headings on the path are above it."""
        return [p for p in self.pieces if not (p.heading and p.path == self.path[: len(p.path)])]

    @property
    def text(self) -> str:
        """The run as Markdown."""
        return "\n\n".join(piece.text for piece in self.shown)

    @property
    def tokens(self) -> int:
        """About how many tokens the text has."""
        return sum(piece.tokens + _GAP for piece in self.shown) - _GAP

    @property
    def inner(self) -> list[Heading]:
        """The headings that stand in the text."""
        return [piece.path[-1] for piece in self.shown if piece.heading]


def run_of(pieces: tuple[Piece, ...]) -> Run | None:
    """Pieces as a run, or None where the first would lose a heading it stands under."""
    paths = [_counted_path(pieces, at) for at in range(len(pieces))]
    path = _common([p for p in paths if p is not None])
    first = pieces[0]
    needed = len(first.path) - (1 if first.heading else 0)
    return Run(pieces, path) if len(path) >= needed else None


def _counted_path(pieces: tuple[Piece, ...], at: int) -> Path | None:
    """The headings above a piece; a heading with its own text in the run counts through that."""
    piece = pieces[at]
    if not piece.heading:
        return piece.path
    following = pieces[at + 1].path if at + 1 < len(pieces) else ()
    return None if following[: len(piece.path)] == piece.path else piece.path[:-1]


def _common(paths: list[Path]) -> Path:
    """The longest beginning that all paths share."""
    first, last = min(paths, key=_indices), max(paths, key=_indices)
    same = 0
    while same < min(len(first), len(last)) and first[same].index == last[same].index:
        same += 1
    return first[:same]


def _indices(path: Path) -> tuple[int, ...]:
    return tuple(heading.index for heading in path)


def pack(
    pieces: list[Piece], *, target: int, limit: int, accepts: Callable[[Run], bool]
) -> list[Run]:
    """The cheapest way to cut a page into runs, each of which is accepted."""
    refused: set[tuple[int, int]] = set()
    while True:
        runs = _cheapest(pieces, target, limit, refused)
        # Asking about every possible run would be slow; asking about the chosen ones is enough.
        wrong = {bounds for bounds, run in runs if bounds[1] - bounds[0] > 1 and not accepts(run)}
        if not wrong:
            return [run for _, run in runs]
        refused |= wrong


Bounds = tuple[int, int]


def _cheapest(
    pieces: list[Piece], target: int, limit: int, refused: set[Bounds]
) -> list[tuple[Bounds, Run]]:
    """Shortest path through the cuts: best[i] is the cheapest way to cut all before piece i."""
    best: list[float] = [0.0] + [float("inf")] * len(pieces)
    chosen: list[tuple[Bounds, Run] | None] = [None] * (len(pieces) + 1)
    for begin in range(len(pieces)):
        size = 0
        for end in range(begin + 1, min(begin + _MOST_PIECES, len(pieces)) + 1):
            size += 0 if pieces[end - 1].heading else pieces[end - 1].tokens
            if size > limit and end - begin > 1 and _has_text(pieces, begin, end - 1):
                break
            run = run_of(tuple(pieces[begin:end]))
            if run is None or (begin, end) in refused:
                continue
            following = pieces[end] if end < len(pieces) else None
            cost = best[begin] + _cost(run, following, target)
            if cost < best[end]:
                best[end], chosen[end] = cost, ((begin, end), run)
    return _trace(chosen)


def _has_text(pieces: list[Piece], begin: int, end: int) -> bool:
    """Whether more than headings stands between two cuts."""
    return any(not piece.heading for piece in pieces[begin:end])


def _trace(chosen: list[tuple[Bounds, Run] | None]) -> list[tuple[Bounds, Run]]:
    """The chosen runs from the last back to the first, in order."""
    runs: list[tuple[Bounds, Run]] = []
    at = len(chosen) - 1
    while at > 0 and (step := chosen[at]) is not None:
        runs.append(step)
        at = step[0][0]
    return runs[::-1]


def _cost(run: Run, following: Piece | None, target: int) -> float:
    """What a run costs by its size, its beginning, its inside and its end."""
    size = run.tokens / target - 1
    joined = [piece.path[-1] for piece in run.shown[1:] if piece.heading]
    excess = _JOINED_TOO_LARGE if joined else _TOO_LARGE
    cost = size * size * (excess if size > 0 else 1.0)
    cost += sum(_JOIN_CHAPTERS if h.level <= 2 else _JOIN_SUBSECTIONS for h in joined)
    cost += sum(_JOIN_WHAT_WAS_CUT for piece in run.pieces[1:] if piece.continues)
    if not run.pieces[0].heading:
        cost += _BEGIN_WITHIN_SECTION
    if all(piece.heading for piece in run.pieces):
        cost += _ONLY_HEADINGS
    return cost + _cost_of_end(run.pieces[-1], following)


def _cost_of_end(last: Piece, following: Piece | None) -> float:
    """What it costs to part a piece from the one after it."""
    if following is None:
        return 0.0
    if last.heading:
        return _PART_FROM_HEADING
    return _PART_FROM_LEAD_IN if last.leads_in and not following.heading else 0.0
