"""English as far as follow-ups need it: word classes, and a question taken apart. No subject."""

import re
from typing import NamedTuple

from rag.text import STOPWORDS, stem

PERSONAL = frozenset("it they them its their theirs itself themselves".split())
POSSESSIVE = frozenset("its their theirs itself themselves".split())
DEMONSTRATIVE = frozenset("this that these those".split())
ONE = frozenset("one ones".split())
POINTING = PERSONAL | DEMONSTRATIVE | ONE

BE = frozenset("is are was were be been being am isnt arent wasnt werent".split())
MODAL = frozenset(
    """do does did dont doesnt didnt can could cant couldnt will would wont wouldnt shall should
    shouldnt must may might has have had hasnt havent""".split()
)
ASKING = frozenset("what which who whom whose when where why how".split())
PREPOSITIONS = frozenset(
    """for with of about to in on at like from without than between against into over under by
    inside around""".split()
)
# Behind one of these, a pronoun can mean what was named before it in the same question.
CLAUSE_OPENERS = frozenset(
    """if when while because since so that which who whose then before after until although though
    where unless once as""".split()
)
SUBORDINATING = frozenset("if when while because since after before once unless although".split())
ARTICLES = frozenset(
    """a an the my your our his her each every all no some any there this these it they he she we i
    you""".split()
)
# What the book calls itself: "this chapter" points at nothing said before.
BOOK_NOUNS = frozenset(
    "book textbook chapter course module section page text lesson tutorial unit guide".split()
)
# "Is it possible to ...", "how long does it take to ...": this `it` means nothing.
EXTRAPOSING = frozenset(
    """possible impossible necessary important better best good bad safe dangerous hard difficult
    easy easier harder worth useful true ok okay fine legal allowed recommended advisable common
    enough required mandatory feasible practical realistic helpful wise sensible essential crucial
    normal sufficient cheaper faster smart likely unlikely wrong right idea practice mistake
    called hurt hurts like take takes took mean means meant matter matters cost costs sense
    difference""".split()
)
_FILLING = BE | frozenset(
    """a an the not still always really even also very so too more usually generally actually ever
    such only much long make makes made any""".split()
)
CONNECTING = frozenset("to that if whether for when which how what worth".split())

# Words that say what is asked about a topic, but are no topic: verbs, measures, fillers.
_ASKED_ABOUT = """
    install set setup configure run start stop build create add write test try enable disable change
    check find fix improve choose help show list compare apply happen call require think learn
    understand continue affect influence differ relate depend cause allow prevent reduce increase
    solve break fail handle support fit look matter behave perform replace extend simplify save lead
    avoid involve include contain provide ensure follow keep take bring turn begin end finish give
    good bad better best worse worst main important possible impossible necessary useful hard harder
    easy easier simple simpler simplest fast faster fastest slow slower cheap cheaper expensive big
    bigger small smaller high higher low lower long longer short shorter safe safer strong stronger
    new old recent common typical usual general specific exact similar same other another both each
    two three few former latter first second third last next previous alternative instead
    example detail step part type kind advantage disadvantage benefit drawback pro con limit
    limitation weakness strength cost price problem issue risk reason purpose role requirement
    prerequisite result effect impact goal rule tip trick fact point idea case situation
    more less again further also elaborate clarify rephrase differently summary summarize brief
    briefly eli5 tldr term word sentence picture diagram figure formula equation code snippet
    command question answer practice time often always never now today soon else exactly
    interesting real really quick quickly come downside upside catch version option
"""
_GENERIC = frozenset(stem(word) for word in _ASKED_ABOUT.split())


class Token(NamedTuple):
    """A word of a question: its plain form, where it stands, whether a comma or stop precedes."""

    word: str
    start: int
    end: int
    after_break: bool

    @property
    def names(self) -> bool:
        """Whether the word names something, as against asking about it."""
        return not is_generic(self.word)


def is_generic(word: str) -> bool:
    """Whether a word could be said about any topic."""
    plain = _plain(word)
    return plain in STOPWORDS or plain in POINTING or plain in MODAL or stem(plain) in _GENERIC


def read(text: str) -> list[Token]:
    """A question's words."""
    tokens: list[Token] = []
    end = 0
    for found in re.finditer(r"[^\W_]+(?:[_'’-][^\W_]+)*", text):
        parted = bool(tokens) and re.search(r"[,;:.?!\n]", text[end : found.start()]) is not None
        tokens.append(Token(_plain(found.group()), found.start(), found.end(), parted))
        end = found.end()
    return tokens


def _plain(word: str) -> str:
    """`What's` as `what`, `don't` as `dont`."""
    return re.sub(r"['’](?:s|re|ve|ll|d|m)?", "", word.lower())


def is_expletive(words: list[str], i: int) -> bool:
    """Whether the `it` at `i` only fills a place: what it stands for is said behind it."""
    if words[i] != "it":
        return False
    if words[i + 1 : i + 3] == ["comes", "to"]:
        return True
    rest = words[i + 1 :]
    while rest and rest[0] in _FILLING:
        rest = rest[1:]
    asked_how = i > 0 and words[i - 1] in BE and "how" in words[:i]
    if not rest or not (rest[0] in EXTRAPOSING or (rest[0] == "to" and asked_how)):
        return False
    for place, word in enumerate(rest[:5]):
        if word in CONNECTING:
            said = rest[place + 1 :]
            return len(said) > 1 and not all(is_generic(w) for w in said)
    return False
