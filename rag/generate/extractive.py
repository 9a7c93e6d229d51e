"""Answers without a model: the book's own best sentences, put together to read as an answer."""

import re
from collections.abc import Callable, Iterator, Sequence

from rag.generate.base import GenerationRequest
from rag.generate.units import Unit, units
from rag.text import content_terms

# Question, and for each sentence its heading and its text; how well each answers, 0 to 1.
ScoreSentences = Callable[[str, Sequence[str], Sequence[str]], Sequence[float]]

# More sentences add more noise than answer; the third still adds something now and then.
MAX_SENTENCES = 4
# A further sentence must be nearly as good as the best one to be worth reading.
KEEN = 0.86
# What a passage's rank and a definition's form add to a sentence's own score of 0 to 1.
RANK_COUNTS = 0.15
DEFINITION_COUNTS = 0.2
# Two sentences that share this much say the same.
SAME = 0.6
# A shorter answer, in characters, is hard to understand by itself.
SHORTEST = 150
# Which whole blocks are short enough to stand in an answer.
LONGEST_BLOCK = 1800
# How much of a passage, in characters, tells it to somebody who asks for nothing in particular.
TOLD = 900
_ASKS_HOW = re.compile(
    r"\b(?:how (?:do|can|should|would|to|does one)|steps?|command|code|example|install|write|"
    r"create|configure|set ?up|snippet|syntax)\b",
    re.IGNORECASE,
)
_IS = re.compile(r"\s(?:is|are|means|refers to|stands for)\s")
_ASKS_WHAT = re.compile(r"^\W*(?:what(?:'s| is| are)|define|who is|explain)\b", re.IGNORECASE)


class ExtractiveGenerator:
    """Quotes the passages: every sentence is the book's own, with its number behind it."""

    name = "extractive"

    def __init__(self, score: ScoreSentences) -> None:
        """Take what scores sentences against a question."""
        self._score = score

    def stream(self, request: GenerationRequest) -> Iterator[str]:
        """The answer, word by word."""
        chosen = self._choose(request)
        yield from re.findall(r"\s*\S+|\s+$", compose(chosen))

    def _choose(self, request: GenerationRequest) -> list[Unit]:
        everything = units(request.passages)
        if _asks_for_all(request):
            return self._told(request, everything)
        scored = self._scored(request, everything)
        if not scored:
            return everything[:1]
        ranked = sorted(scored, key=lambda u: -scored[u])
        best = ranked[0]
        chosen = _with_context(best, everything, request.question)
        for unit in ranked[1:]:
            enough = sum(u.kind == "text" for u in chosen) >= MAX_SENTENCES
            if enough or scored[unit] < KEEN * scored[best]:
                break
            # One listing or table is an answer; a second one is a search result.
            prose = unit.kind in ("text", "list")
            fresh = prose or unit.kind not in {u.kind for u in chosen}
            if fresh and not any(_alike(unit, other) for other in chosen):
                chosen.extend(u for u in _with_context(unit, everything, "") if u not in chosen)
        return _rounded(chosen, everything)

    def _told(self, request: GenerationRequest, everything: list[Unit]) -> list[Unit]:
        """All of a short passage; of a longer one the sentences that carry most of it."""
        if sum(len(unit.text) for unit in everything) <= TOLD:
            return [u for u in everything if u.kind != "code" or _quotable(u)] or everything
        scored = self._scored(request, everything)
        chosen: list[Unit] = []
        for unit in sorted(scored, key=lambda u: -scored[u]):
            if chosen and sum(len(u.text) for u in [*chosen, unit]) > TOLD:
                break
            chosen.extend(u for u in _with_context(unit, everything, "") if u not in chosen)
        return _rounded(chosen or everything, everything)

    def _scored(self, request: GenerationRequest, everything: list[Unit]) -> dict[Unit, float]:
        """Each quotable unit's worth: its own score, and a little for its passage's rank."""
        headings = [unit.heading for unit in everything]
        scores = self._score(request.question, headings, [_plain(unit) for unit in everything])
        fused = [max(p.fused, 0.0) for p in request.passages]
        return {
            unit: score
            + RANK_COUNTS * fused[unit.passage - 1]
            + DEFINITION_COUNTS * _defines(unit, request.question)
            for unit, score in zip(everything, scores, strict=True)
            if len(unit.text) <= LONGEST_BLOCK and _answers(unit, request.question)
        }


def _asks_for_all(request: GenerationRequest) -> bool:
    """Whether a passage was put as its own question: the learner only pointed at it."""
    return request.question in [p.chunk.text for p in request.passages]


def _rounded(chosen: list[Unit], everything: list[Unit]) -> list[Unit]:
    """The chosen units with the gaps between them filled and nothing left hanging."""
    filled = chosen + _gaps(chosen, everything)
    return [u for u in filled if not _left_hanging(u, filled)] or filled


def _answers(unit: Unit, question: str) -> bool:
    """Whether a unit can begin an answer: code only answers who asks for it."""
    return _quotable(unit) and (unit.kind != "code" or bool(_ASKS_HOW.search(question)))


def _defines(unit: Unit, question: str) -> bool:
    """Whether a sentence says what the thing asked about is."""
    asked, said = _ASKS_WHAT.match(question), _IS.split(unit.text, maxsplit=1)
    if not asked or unit.kind != "text" or len(said) < 2:
        return False
    subject = content_terms(re.sub(r"\(.*?\)", "", said[0]))
    return bool(subject) and set(subject) <= set(content_terms(question))


def _quotable(unit: Unit) -> bool:
    """Whether a unit can carry an answer: not a diagram, not a bare label."""
    if unit.kind == "code":
        return not unit.text.lstrip("`~ ").startswith("mermaid")
    return unit.kind != "math" and len(content_terms(unit.text)) >= 2


def _plain(unit: Unit) -> str:
    return re.sub(r"[|`*#>-]+", " ", unit.text)[:300]


def _with_context(unit: Unit, everything: list[Unit], question: str) -> list[Unit]:
    """A unit with what it needs around it to be read alone."""
    at = everything.index(unit)
    first = last = at
    while first > 0 and _belongs_together(everything[first - 1], everything[first]):
        first -= 1
    while last + 1 < len(everything) and _runs_on(everything, last, at, question):
        last += 1
    if question:
        first, last = _lengthened(everything, first, last)
    return everything[first : last + 1]


def _lengthened(everything: list[Unit], first: int, last: int) -> tuple[int, int]:
    """What is too short to be understood, with more of its paragraph: first what follows it."""

    def short() -> bool:
        return sum(len(u.text) for u in everything[first : last + 1]) < SHORTEST

    end = len(everything) - 1
    while short() and last < end and _same_block(everything[last], everything[last + 1]):
        last += 1
    while short() and first > 0 and _same_block(everything[first - 1], everything[first]):
        first -= 1
    while first > 0 and _belongs_together(everything[first - 1], everything[first]):
        first -= 1
    return first, last


def _gaps(chosen: list[Unit], everything: list[Unit]) -> list[Unit]:
    """Single sentences left out between two chosen ones of a paragraph: without them it limps."""
    return [
        middle
        for before, middle, after in zip(everything, everything[1:], everything[2:], strict=False)
        if middle not in chosen
        and before in chosen
        and after in chosen
        and _same_block(before, middle)
        and _same_block(middle, after)
    ]


def _left_hanging(unit: Unit, chosen: list[Unit]) -> bool:
    """Whether a sentence announces what is not quoted with it."""
    announces = unit.kind == "text" and unit.text.rstrip("*_ ").endswith(":")
    follows = any(u.passage == unit.passage and u.block == unit.block + 1 for u in chosen)
    return announces and not follows


def _same_block(one: Unit, other: Unit) -> bool:
    return (one.passage, one.block, one.kind) == (other.passage, other.block, "text")


def _belongs_together(before: Unit, unit: Unit) -> bool:
    """Whether a unit cannot stand without the one before it."""
    if before.passage != unit.passage or before.kind != "text":
        return False
    if unit.kind != "text":
        return before.block == unit.block - 1
    return before.block == unit.block and unit.leans_back


def _runs_on(everything: list[Unit], last: int, at: int, question: str) -> bool:
    """Whether the unit after the last one belongs to the answer too."""
    here, following = everything[last], everything[last + 1]
    if following.passage != here.passage or len(following.text) > LONGEST_BLOCK:
        return False
    if following.block == here.block:
        return bool(_ASKS_WHAT.match(question)) and last == at
    if following.block != here.block + 1:
        return False
    if here.introduces or (here.kind == "math" and following.text[:1].islower()):
        return True
    fitting = ("code", "list", "table") if _ASKS_HOW.search(question) else ("list", "table")
    return here.kind == "text" and following.kind in fitting and _quotable(following)


def _alike(one: Unit, other: Unit) -> bool:
    a, b = set(content_terms(one.text)), set(content_terms(other.text))
    return one == other or len(a & b) >= SAME * min(len(a), len(b))


def compose(chosen: Sequence[Unit]) -> str:
    """The units in reading order, passage by passage, each sentence with its number."""
    order = {n: i for i, n in enumerate(dict.fromkeys(u.passage for u in chosen))}
    parts: list[str] = []
    before: Unit | None = None
    for unit in sorted(chosen, key=lambda u: (order[u.passage], u.block, u.sentence)):
        parts.append(_joint(before, unit) + _marked(unit))
        before = unit
    return "".join(parts)


def _joint(before: Unit | None, unit: Unit) -> str:
    if before is None:
        return "" if unit.kind == "text" else f"From “{unit.heading}”: [{unit.passage}]\n\n"
    same_place = before.passage == unit.passage
    if unit.kind == "text" and before.kind == "text" and same_place:
        return " " if before.block == unit.block else "\n\n"
    if unit.kind != "text" and not same_place:
        return f"\n\nFrom “{unit.heading}”: [{unit.passage}]\n\n"
    return "\n\n"


def _marked(unit: Unit) -> str:
    """A sentence with its number before the closing mark; a block rests on its introduction."""
    if unit.kind == "code":
        return unit.text
    text = _own_brackets(unit.text)
    if unit.kind != "text":
        return text
    end = re.search(r"[.!?:]?[\"”’)*_]*$", text)
    cut = end.start() if end else len(text)
    return f"{text[:cut]} [{unit.passage}]{text[cut:]}"


def _own_brackets(text: str) -> str:
    """The book's own `[2]` or `[1, 5]`, told from our markers by a joiner that nobody sees."""
    parts = re.split(r"(`+[^`]*`+|\$[^$]*\$)", text)
    parts[::2] = [re.sub(r"\[(?=\s*\^?\d)", "[\u2060", part) for part in parts[::2]]
    return "".join(parts)
