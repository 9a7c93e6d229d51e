"""Which pronoun of a question, if any, means something said before the question."""

from rag.followups.english import (
    ARTICLES,
    ASKING,
    BE,
    BOOK_NOUNS,
    CLAUSE_OPENERS,
    DEMONSTRATIVE,
    MODAL,
    ONE,
    POINTING,
    POSSESSIVE,
    PREPOSITIONS,
    SUBORDINATING,
    Token,
    is_expletive,
    is_generic,
)

_AUXILIARY = BE | MODAL
_BEFORE_ONE = frozenset("which this that other another about".split())
_AFTER_ONE = BE | PREPOSITIONS | frozenset("that too instead then".split())


def pointing_word(tokens: list[Token]) -> int | None:
    """Where a pronoun stands that nothing earlier in the same question explains."""
    words = [token.word for token in tokens]
    opens_with_phrase = bool(words) and words[0] in PREPOSITIONS
    named: list[int] = []
    joined = False
    for i, token in enumerate(tokens):
        if token.after_break and opens_with_phrase:
            # "In Python, how do I use it?": the opening phrase explains nothing.
            opens_with_phrase, named = False, []
        elif named and _opens_clause(tokens, i):
            return None
        joined = joined or bool(named and token.word in ("and", "or", "but"))
        if token.word in POINTING and _points(words, i, named, joined):
            return i
        if token.names:
            named.append(i)
    return None


def _opens_clause(tokens: list[Token], i: int) -> bool:
    """Whether a clause begins here whose pronouns mean what was named before it."""
    word = tokens[i].word
    if tokens[i].after_break or word in CLAUSE_OPENERS:
        # "... do I need for that?": at the end, the word is a pronoun.
        return not (word in DEMONSTRATIVE and i == len(tokens) - 1)
    following = tokens[i + 1].word if i + 1 < len(tokens) else ""
    if word in ASKING:
        return following in _AUXILIARY or following == "to"
    return word in ("and", "or", "but") and (following in ASKING or following in _AUXILIARY)


def _points(words: list[str], i: int, named: list[int], joined: bool) -> bool:
    if words[i] in ONE:
        return not named and _one_points(words, i)
    if words[i] in DEMONSTRATIVE:
        return _demonstrative_points(words, i, bool(named))
    return not is_expletive(words, i) and _personal_points(words, i, named, joined)


def _personal_points(words: list[str], i: int, named: list[int], joined: bool) -> bool:
    """`it`, `they`, `its`: explained by what the same clause names, unless it cannot be."""
    if not named:
        return True
    before, after = words[i - 1], words[i + 1] if i + 1 < len(words) else ""
    subordinate = words[0] in SUBORDINATING and words[1] not in _AUXILIARY
    if subordinate:
        return False
    if before in _AUXILIARY:
        # "Which topics does it hear?": what is asked for is not who hears.
        return True
    if words[i] in POSSESSIVE or joined:
        return False
    if before in PREPOSITIONS:
        return True
    # "Can a laptop run it?": the subject cannot be its own object.
    runs = sum(1 for n in named if n - 1 not in named)
    return after not in _AUXILIARY and runs <= 1


def _demonstrative_points(words: list[str], i: int, named: bool) -> bool:
    """`that` alone points back; `that cell`, `cells that divide`, `so that it` do not."""
    before = words[i - 1] if i else ""
    after, later = [*words[i + 1 :], "", ""][:2]
    if not after:
        return True
    if after in BOOK_NOUNS or (words[i] in ("these", "those") and after in ("who", "that", "of")):
        return False
    if words[i] == "that" and (after in ARTICLES or before in ("so", "such", "now", "given")):
        return False
    if is_generic(after):
        return not (named and words[i] == "that" and before not in PREPOSITIONS)
    # "Is that safe?", "is that safe for children?", but "is that bridge safe?"
    return before in BE and (not later or later in PREPOSITIONS)


def _one_points(words: list[str], i: int) -> bool:
    """`which one`, `need one too`; not `one bridge`, `one of`, `how can one know`."""
    before = words[i - 1] if i else ""
    after = words[i + 1] if i + 1 < len(words) else ""
    if words[i] == "ones":
        return before != "and"
    if before in MODAL or before == "no" or after == "of" or (after and not is_generic(after)):
        return False
    return before in _BEFORE_ONE or not after or after in _AFTER_ONE
