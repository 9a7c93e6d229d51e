"""A section as the questions it answers: from its heading, and from what it defines."""

import re
from collections.abc import Iterator

from rag.followups.english import PREPOSITIONS, is_generic
from rag.suggest.sections import Section
from rag.suggest.usage import Usage, lowered
from rag.text import STOPWORDS, blocks, content_words, sentences, stem, words

LONGEST = 90
_MOST_TERM_WORDS = 5
# Headings that every book has, and that say nothing about what stands under them.
_GENERIC = frozenset(
    stem(word)
    for word in """summary exercise introduction intro overview further reading reference conclusion
    recap objective prerequisite background motivation discussion bibliography glossary appendix
    quiz homework assignment solution preface foreword acknowledgement content contents index
    chapter part section module unit lesson page book mistake pitfall common tip note warning faq
    troubleshooting review checklist resource credit takeaway key begin started getting next
    task project lab workshop challenge hint remark theorem proof definition lemma experiment
    activity check knowledge goal outcome learning lecture week session""".split()
)
_NUMBERING = re.compile(r"^(?:\d+(?:\.\d+)+\.?|\d{1,2}[.)]|[IVX]+\.|§\s*\d[\d.]*)\s+")
_TRIMMINGS = re.compile(
    r"^(?:an? )?(?:introduction to|overview of|understanding) |"
    r",? (?:explained|compared|revisited|in (?:detail|depth|brief|a nutshell)|at a glance)$",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"[$<>{}|\\\[\]]|https?:")
_DETERMINER = r"(?:an?|the|your|its|this|these|each|every|one|two|three|several|multiple)"
_AUXILIARY = r"(?:is|are|was|were|do|does|did|can|could|should|would|will|has|have|had)"
_GERUND = re.compile(rf"(\w{{2,}}ing)(?: (and|or) (\w{{2,}}ing))? ({_DETERMINER}\b.+)", re.I)
_IMPERATIVE = re.compile(rf"(\w{{2,}}) {_DETERMINER}\b.+", re.I)
# Gerunds that say what a chapter is about, not what its reader does.
_NO_DOING = frozenset(
    "being becoming during regarding concerning including considering according understanding "
    "introducing following meeting having knowing".split()
)
_TERM = r"(?P<term>\*\*[^*\n]{2,50}\*\*)"
_DEFINES = (
    r"(?P<article>an?|the)?\s*{term}(?:\s*\([^)]*\))?\s+(?:(?P<are>are)\s+(?!not\b|also\b)|"
    r"is\s+(?:an?|the|any|one|how|what|when|where|that)\b|(?:means|refers to|stands for|denotes)\s)"
)
_DEFINITION = re.compile(_DEFINES.format(term=_TERM), re.IGNORECASE)


def questions(section: Section, usage: Usage) -> Iterator[str]:
    """What a learner may ask to read a section, the most natural first."""
    heading = _plain(section.heading)
    if re.match(rf"(?:what|who|where|when|why|how) {_AUXILIARY}\b", heading, re.I):
        heading = f"{heading.rstrip('?')}?"
    asks = heading.endswith("?")
    main = heading if asks else _main_part(heading)
    told = not _MARKUP.search(main) and not _is_generic(main)
    if told and asks:
        yield heading
    yield from _definitions(section, usage)
    if told and not asks:
        yield _from_heading(main, usage)


def _plain(heading: str) -> str:
    """A heading without its number and its markup."""
    bare = _NUMBERING.sub("", " ".join(re.sub(r"[*`]", "", heading).split()))
    return bare.rstrip(".:;, ")


def _is_generic(heading: str) -> bool:
    """Whether a heading could stand over a section of any book."""
    named = [word for word in content_words(heading) if not is_generic(word)]
    return all(stem(word) in _GENERIC or not re.search(r"[^\W\d]{2}", word) for word in named)


def _main_part(heading: str) -> str:
    """What stands before a colon, or behind it where that only says `Example`."""
    head, _, rest = heading.partition(": ")
    part = rest.strip() if rest and _is_generic(head) else head.strip()
    return _TRIMMINGS.sub("", part)


def _from_heading(heading: str, usage: Usage) -> str:
    """A heading that is no question, as one."""
    phrase = lowered(heading, usage)
    if asked := _from_clause(phrase):
        return asked
    if doing := _doing(phrase, usage):
        return f"How do I {doing}?"
    first = words(phrase)[0].lower()
    if _IMPERATIVE.fullmatch(phrase) and first not in STOPWORDS and not first.endswith("ing"):
        is_verb = usage.has(f"to {first}") or usage.has(f"To {first}")
        return f"How do I {phrase}?" if is_verb else _quoted(heading)
    if first in (STOPWORDS | PREPOSITIONS) - {"a", "an", "the", "using", "getting", "working"}:
        return _quoted(heading)
    if (article := _article(phrase, usage)) is None:
        return _quoted(heading)
    return f"What does the book say about {article}{phrase}?"


def _from_clause(phrase: str) -> str:
    """`how to`, `when to`, `what X is` and other clauses that only need turning round."""
    if found := re.fullmatch(r"how to (.+)", phrase):
        return f"How do I {found[1]}?"
    if found := re.fullmatch(r"(what|when|where|which .+?) to ([a-z].+)", phrase):
        return f"W{found[1][1:]} should I {found[2]}?"
    if found := re.fullmatch(rf"what ((?:(?!{_AUXILIARY}\b|and\b).)+) (is|are|does|do)", phrase):
        return f"What {found[2]} {found[1]}{' do' if found[2] in ('does', 'do') else ''}?"
    if re.match(r"(?:what|why|how|when|where|which|who)\b", phrase):
        return f"Can you explain {phrase}?"
    return ""


def _article(heading: str, usage: Usage) -> str | None:
    """What a heading lacks to stand in a sentence, as the book has it; None if it cannot be told.

    Several things, or one in the plural, lack nothing; of one thing, only the book can tell.
    """
    head = re.split(rf"\s+(?:{'|'.join(PREPOSITIONS)})\s", re.sub(r"\s*\(.*\)", "", heading))[0]
    several = re.search(r",|\s(?:and|or|&|vs\.?)\s|s$", head) or head.lower().endswith("data")
    if several or re.match(r"(?:an?|the)\s", head, re.I):
        return ""
    most = (usage.articles(heading) or usage.articles(head)).most_common(1)
    if not most:
        return "" if re.match(r"\w+ing\b", head) else None
    return f"{most[0][0]} ".lstrip()


def _quoted(heading: str) -> str:
    """For what is no name of a thing: `Inside the machine`."""
    return f"What does the book say in “{heading}”?"


def _doing(heading: str, usage: Usage) -> str:
    """`Writing a file` as `write a file`; empty where the verb cannot be told for sure."""
    found = _GERUND.fullmatch(heading)
    if not found or re.search(r"(?:\band|\bor|,) \w+ing\b", found[4], re.I):
        return ""
    verbs = [_base(gerund, usage) for gerund in (found[1], found[3]) if gerund]
    return f"{f' {found[2]} '.join(verbs)} {found[4]}" if all(verbs) else ""


def _base(gerund: str, usage: Usage) -> str:
    """The verb of a gerund, if the book uses it."""
    plain = gerund.lower()
    bare = plain.removesuffix("ing")
    if plain in _NO_DOING:
        return ""
    forms = [bare, f"{bare}e", *([bare[:-1]] if bare[-1:] == bare[-2:-1] else [])]
    return next((f for f in forms if stem(f) == stem(plain) and usage.has(f)), "")


def _definitions(section: Section, usage: Usage) -> Iterator[str]:
    """Questions for the terms that a section defines: those in bold, and its heading's."""
    topic = re.sub(r"^(?:an?|the)\s+", "", _plain(section.heading), flags=re.I)
    headed = re.compile(_DEFINES.format(term=f"(?P<term>{re.escape(topic)})"), re.IGNORECASE)
    for block in blocks(section.text):
        for sentence in sentences(block.text) if block.kind == "text" else ():
            found = _DEFINITION.match(sentence) or (headed.match(sentence) if topic else None)
            term = _plain(found["term"]) if found else ""
            if found and _can_be_asked(term):
                article = f"{found['article'].lower()} " if found["article"] else ""
                # A second capital makes it a name, whatever stands before it.
                is_name = article or re.search(r"\s[A-Z]", term)
                named = term if is_name else lowered(term, usage)
                yield f"What {'are' if found['are'] else 'is'} {article}{named}?"


def _can_be_asked(term: str) -> bool:
    """Whether a term names something by itself: not `the first`, not `note`."""
    count = len(words(term))
    return 0 < count <= _MOST_TERM_WORDS and not _MARKUP.search(term) and not _is_generic(term)
