"""Words, terms and sentences: the text handling that search, grounding and follow-ups share."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

import Stemmer

# Words that carry no topic: articles, auxiliaries, pronouns, prepositions, question words.
STOPWORDS = frozenset(
    """a about above after again all also am an and any are as at be because been before being
    below between both but by can cannot could did do does doing done down during each either
    else etc ever every few for from further get gets getting give go goes going got had has have
    having he her here hers him his how however i if in into is it its itself just know let like
    made make makes many may me might more most much must my need needs no nor not now of off ok
    okay on once one only onto or other our out over own per please put really same say see she
    should since so some someone something such sure tell than thank thanks that the their them
    then there these they thing things this those through to too under until up upon us use used
    uses using very via want wants was way we well were what whats when where which while who
    whom whose why will with within without would yes yet you your yours
    dont doesnt didnt isnt arent wasnt cant couldnt wont wouldnt shouldnt havent hasnt im ive id
    youre theyre thats hows wheres explain describe define mean means meaning difference different
    exactly actually basically kind sort bit lot work works working
    hey hi hello lol pls plz stuff even yeah guys come
    """.split()
)
_WORD = re.compile(r"[^\W_]+(?:[_'’][^\W_]+)*", re.UNICODE)
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_stemmer = Stemmer.Stemmer("english")


def words(text: str) -> list[str]:
    """The words of a text as written; an identifier such as `create_timer` is one word."""
    return _WORD.findall(text)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem under which all forms of a word meet."""
    plain = word.lower().replace("’", "'").removesuffix("'s").replace("'", "")
    return str(_stemmer.stemWord(plain))


def terms(text: str) -> list[str]:
    """What is matched lexically: stems, and for identifiers the whole and its parts."""
    found: list[str] = []
    for word in words(text):
        found.append(stem(word))
        parts = _HUMP.findall(word) if "_" in word or not word.islower() else split_digits(word)
        if len(parts) > 1:
            found.extend(stem(part) for part in parts)
    return found


def split_digits(word: str) -> list[str]:
    """`ros2` as `ros` and `2`, so that both spellings meet."""
    return re.findall(r"[^\W\d_]+|\d+", word)


def content_words(text: str) -> list[str]:
    """The words of a text that carry its topic, as written."""
    return [w for w in words(text) if re.sub(r"['’]", "", w.lower()) not in STOPWORDS]


def content_terms(text: str) -> list[str]:
    """The distinct stems of the words that carry a text's topic, in order."""
    return list(dict.fromkeys(stem(word) for word in content_words(text)))


_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?<!\bFig\.)(?<!\bDr\.)"
    r"(?<!\bcf\.)(?<!\bNo\.)[\"”’)*_]*\s+(?=[\"“‘(*_`$\[]*[A-Z0-9`$])"
)


def sentences(paragraph: str) -> Iterator[str]:
    """The sentences of one paragraph, verbatim."""
    start = 0
    for end in _SENTENCE_END.finditer(paragraph):
        piece = paragraph[start : end.end()].strip()
        if piece and piece.count("`") % 2 == 0 and piece.count("$") % 2 == 0:
            yield piece
            start = end.end()
    rest = paragraph[start:].strip()
    if rest:
        yield rest


class Block(NamedTuple):
    """A piece of Markdown: prose, or something that only makes sense whole."""

    kind: Literal["text", "list", "code", "table", "math", "heading"]
    text: str


_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


def blocks(markdown: str) -> list[Block]:
    """The blocks of a Markdown text, verbatim, in order."""
    found: list[Block] = []
    lines = markdown.splitlines()
    while lines:
        if not lines[0].strip():
            lines.pop(0)
            continue
        length = _block_length(lines)
        found.append(Block(_kind(lines), "\n".join(lines[:length])))
        lines = lines[length:]
    return found


def _kind(lines: list[str]) -> Literal["text", "list", "code", "table", "math", "heading"]:
    first = lines[0].lstrip()
    if first.startswith(("```", "~~~")):
        return "code"
    if first.startswith("$$"):
        return "math"
    if first.startswith("|"):
        return "table"
    if re.match(r"#{1,6}\s", first):
        return "heading"
    return "list" if _ITEM.match(lines[0]) else "text"


def _block_length(lines: list[str]) -> int:
    kind, first = _kind(lines), lines[0].lstrip()
    if kind == "heading" or (kind == "math" and first.rstrip().endswith("$$") and len(first) > 2):
        return 1
    if kind in ("code", "math"):
        fence = re.match(r"`+|~+|\$\$", first)
        mark = fence.group() if fence else ""
        ends = (i for i, x in enumerate(lines[1:], 2) if x.strip().startswith(mark))
        return next(ends, len(lines))
    for i, line in enumerate(lines[1:], 1):
        if not line.strip():
            loose = kind == "list" and i + 1 < len(lines) and _continues_list(lines[i + 1])
            if not loose:
                return i
        elif (kind == "text" and _kind(lines[i:]) != "text") or (
            kind == "table" and not line.lstrip().startswith("|")
        ):
            return i
    return len(lines)


def _continues_list(line: str) -> bool:
    return bool(_ITEM.match(line)) or (line.startswith("  ") and bool(line.strip()))
