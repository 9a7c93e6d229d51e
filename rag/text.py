"""Words, terms and sentences: the text handling that search, grounding and follow-ups share."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from threading import Lock
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
_RUN = re.compile(r"[^\W\d_]+|\d+")
_ACRONYMS = re.compile(r"[A-Z]{2,}s")
_stemmer = Stemmer.Stemmer("english")
_stemming = Lock()


def words(text: str) -> list[str]:
    """The words of a text as written; an identifier such as `create_timer` is one word."""
    return _WORD.findall(text)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem under which all forms of a word meet."""
    # An acronym's plural looks like a word of its own to a stemmer: IMUs, GPUs.
    single = word[:-1] if _ACRONYMS.fullmatch(word) else word
    plain = single.lower().replace("’", "'").removesuffix("'s").replace("'", "")
    # A stemmer must not be in two threads at once.
    with _stemming:
        return str(_stemmer.stemWord(plain))


def terms(text: str) -> list[str]:
    """What is matched lexically: stems, and for identifiers the whole and its parts."""
    found: list[str] = []
    for word in words(_composed(text)):
        found.append(stem(word))
        parts = split_identifier(word)
        if len(parts) > 1:
            found.extend(stem(part) for part in parts)
    return found


def _composed(text: str) -> str:
    """One spelling for what Unicode can spell in several ways."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text)


def split_identifier(word: str) -> list[str]:
    """The words an identifier is made of; `mp3` is `mp` and `3`, so that spellings meet."""
    plain = re.sub(r"['’](?:s|t|d|m|re|ve|ll)$", "", word)
    return [part for run in _RUN.findall(plain) for part in _humps(run)]


def _humps(run: str) -> list[str]:
    """`OpenFileDialog` as three words, `XMLReader` as two; an acronym's plural as one."""
    cuts = [0]
    for i in range(1, len(run)):
        rises = run[i].isupper() and not run[i - 1].isupper()
        acronym_ends = run[i].isupper() and run[i + 1 : i + 2].islower() and run[i + 1 :] != "s"
        if rises or acronym_ends:
            cuts.append(i)
    return [run[a:b] for a, b in zip(cuts, [*cuts[1:], len(run)], strict=True)]


def _shouted(word: str, text: str) -> bool:
    """A word in capitals amid others is a name: HAVING, WHERE, US."""
    return len(word) > 1 and word.isupper() and not text.isupper()


def content_words(text: str) -> list[str]:
    """The words of a text that carry its topic, as written."""
    return [
        word
        for word in words(text)
        if re.sub(r"['’]", "", word.lower()) not in STOPWORDS or _shouted(word, text)
    ]


def content_terms(text: str) -> list[str]:
    """The distinct stems of what carries a text's topic, in order; identifiers by their parts."""
    found: list[str] = []
    for word in content_words(_composed(text)):
        parts = [part for part in split_identifier(word) if part.lower() not in STOPWORDS]
        found.extend(stem(part) for part in (parts if len(parts) > 1 else [word]))
    return list(dict.fromkeys(found))


# Where no sentence ends: in code, in a formula, in a link's text.
_UNDIVIDED = re.compile(
    r"(`+)(?!`).+?(?<!`)\1(?!`)|\$\$.+?\$\$|\\\(.+?\\\)|\\\[.+?\\\]|\[[^\[\]]*\]\([^()\s]*\)"
    r"|(?<![\w$])\$(?=[^\s$])[^$\n]*?[^\s\\$]\$(?![\w$])",
    re.DOTALL,
)
_END = re.compile(r"[.!?…][\"”’)\]*_]*\s+|[。！？]\s*")
# What a word follows: an abbreviation, or an initial of a name. And what only a number follows.
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"“])(?:e\.g|i\.e|cf|vs|ca|approx|resp|incl|Dr|Mr|Mrs|Ms|Prof|St|et al)\.$"
    r"|(?:^|[A-Z][\w.-]*\s)[A-Z]\.$"
)
_NUMBERED = re.compile(r"\b(?:No|Nos|Fig|Figs|Eq|Eqs|Sec|Ch|Vol|Tab|pp?)\.$", re.IGNORECASE)


def sentences(paragraph: str) -> Iterator[str]:
    """The sentences of one paragraph, verbatim."""
    closed = [(span.start(), span.end()) for span in _UNDIVIDED.finditer(paragraph)]
    start = 0
    for end in _END.finditer(paragraph):
        inside = any(a < end.start() + 1 and end.start() < b - 1 for a, b in closed)
        if not inside and _ends_here(paragraph, start, end):
            yield paragraph[start : end.end()].strip()
            start = end.end()
    rest = paragraph[start:].strip()
    if rest:
        yield rest


def _ends_here(paragraph: str, start: int, end: re.Match[str]) -> bool:
    """Whether a mark ends a sentence: what follows can begin one, what precedes can end one."""
    after = paragraph[end.end() :].lstrip('"“‘(*_[')[:1]
    begins = after.isupper() or after.isdigit() or after in "`$\\" or _is_caseless(after)
    said = paragraph[start : end.start() + 1].strip()
    # `1.` at the head of a paragraph numbers it.
    if not begins or re.fullmatch(r"[\d*_#>-]*\d+\.", said):
        return False
    if after.isdigit() and _NUMBERED.search(said):
        return False
    if re.search(r"\b[A-Z]\.$", said) and re.match(r"[A-Z]\.\s", paragraph[end.end() :]):
        return False
    return not _ABBREVIATION.search(said) or said[-2:] == "I."


def _is_caseless(letter: str) -> bool:
    return letter.isalpha() and letter.lower() == letter.upper()


def is_price(formula: str) -> bool:
    """Whether text between dollars is about money: `$5 and a further 5$`."""
    words = re.search(r"(?<![\\A-Za-z{])[A-Za-z]{2,}\s", formula)
    return formula[:1].isdigit() and words is not None and "\\" not in formula


Kind = Literal["text", "list", "code", "table", "math", "heading"]


class Block(NamedTuple):
    """A piece of Markdown: prose, or something that only makes sense whole."""

    kind: Kind
    text: str


_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


def blocks(markdown: str) -> list[Block]:
    """The blocks of a Markdown text, verbatim, in order."""
    found: list[Block] = []
    # Not splitlines(): it would also split at signs that are no line ends, and not give them back.
    lines = markdown.split("\n")
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        kind, end = _kind(lines, at), _block_end(lines, at)
        found.append(Block(kind, "\n".join(lines[at:end])))
        at = end
    return found


def _kind(lines: list[str], at: int) -> Kind:
    first = lines[at].lstrip()
    if first.startswith(("```", "~~~")):
        return "code"
    if first.startswith("$$") and _math_end(lines, at):
        return "math"
    if first.startswith("|"):
        return "table"
    if re.match(r"#{1,6}\s", first):
        return "heading"
    return "list" if _ITEM.match(lines[at]) else "text"


def _math_end(lines: list[str], at: int) -> int:
    """Where a display formula ends, or 0 where it is part of a sentence or never closes."""
    first = lines[at].strip()
    if "$$" in first[2:]:
        return at + 1 if first.endswith("$$") and first.count("$$") == 2 else 0
    for i in range(at + 1, len(lines)):
        if not lines[i].strip():
            return 0
        if lines[i].rstrip().endswith("$$"):
            return i + 1
    return 0


def _fence_end(lines: list[str], at: int) -> int:
    """Where a code block ends: behind its closing fence, or with the text."""
    fence = re.match(r"`+|~+", lines[at].lstrip())
    mark = fence.group() if fence else "```"
    for i in range(at + 1, len(lines)):
        line = lines[i].strip()
        if line.startswith(mark) and not line.strip(mark[0]):
            return i + 1
    return len(lines)


def _block_end(lines: list[str], at: int) -> int:
    kind = _kind(lines, at)
    if kind == "heading":
        return at + 1
    if kind == "code":
        return _fence_end(lines, at)
    if kind == "math":
        return _math_end(lines, at)
    i = at + 1
    while i < len(lines) and not _begins_another(kind, lines, i):
        # Code in a list item may hold blank lines, and lines that look like anything.
        i = _fence_end(lines, i) if _kind(lines, i) == "code" else i + 1
    while not lines[i - 1].strip():
        i -= 1
    return i


def _begins_another(kind: Kind, lines: list[str], i: int) -> bool:
    line = lines[i]
    if kind == "list":
        if not line.strip():
            return not (i + 1 < len(lines) and _continues_list(lines[i + 1]))
        # What stands at the margin right after an item belongs to it, unless it is a block.
        return _kind(lines, i) in ("code", "heading", "table", "math") and line[:1] not in " \t"
    if not line.strip():
        return True
    return not line.lstrip().startswith("|") if kind == "table" else _kind(lines, i) != kind


def _continues_list(line: str) -> bool:
    return bool(_ITEM.match(line)) or (line.startswith(("  ", "\t")) and bool(line.strip()))
