"""Lexical matching: BM25 as sparse vectors, the book's vocabulary, and spelling."""

import math
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable
from zlib import crc32

from rapidfuzz import process
from rapidfuzz.distance import OSA

from rag.search.store import Manifest, SparseTerms
from rag.text import STOPWORDS, content_words, stem, terms, words

# What the book never uses says more than what merely stands elsewhere: see docs/decisions/0004.
_NEVER_USED = 4.0
_EVERYDAY = 3
# A plain word: no part of an identifier, a number or a path.
_CORRECTABLE = re.compile(r"(?<![\w/])[^\W\d_]{4,}(?!\w)")
# How rare a word is in the language at large, 0 to 1; 1 means it is no word of it.
WordRarity = Callable[[str], float]
# BM25's usual constants. The average length is fixed, not measured, so that a chunk's terms
# depend on the chunk alone and an unchanged chunk never has to be written again.
_K1, _B, _AVERAGE_LENGTH = 1.2, 0.75, 200


def document_terms(text: str) -> SparseTerms:
    """A passage's terms with BM25's term-frequency weights."""
    counts = Counter(terms(text))
    length = sum(counts.values())
    damping = _K1 * (1 - _B + _B * length / _AVERAGE_LENGTH)
    weighted = {
        crc32(term.encode()): count * (_K1 + 1) / (count + damping)
        for term, count in counts.items()
    }
    return SparseTerms(list(weighted), list(weighted.values()))


def vocabulary(texts: Iterable[str]) -> dict[str, int]:
    """In how many passages each term occurs."""
    frequencies: Counter[str] = Counter()
    for text in texts:
        frequencies.update(set(terms(text)))
    return dict(sorted(frequencies.items()))


def spellings(texts: Iterable[str]) -> tuple[str, ...]:
    """The plain words of a book as they are written: what a misspelt word may have meant."""
    written = {w.lower() for text in texts for w in words(text) if len(w) >= 4 and w.isalpha()}
    return tuple(sorted(written))


def _is_among(word: str, known: Container[str]) -> bool:
    """Whether a word, or every part of an identifier, is among some terms."""
    whole, *parts = terms(word) or [""]
    return whole in known or (bool(parts) and all(part in known for part in parts))


def _slip(typed: str, meant: str) -> bool:
    """Whether a near word is a likely one: same first letter; a short word only if swapped."""
    swapped = sorted(typed) == sorted(meant)
    return typed[0] == meant[0] and (len(typed) > 4 or swapped)


class Lexicon:
    """The book's vocabulary: how rare a term is, and what a misspelt word meant."""

    def __init__(self, book: Manifest, english: WordRarity) -> None:
        """Take a published book's vocabulary, and how rare words are in the language at large."""
        self._frequencies = book.document_frequencies
        self._passages = book.chunk_count
        self._spellings = book.spellings
        self._english = english

    def rarity(self, term: str) -> float:
        """BM25's inverse document frequency; a term the book never uses is the rarest."""
        df = self._frequencies.get(term, 0)
        return math.log(1 + (self._passages - df + 0.5) / (df + 0.5))

    def knows(self, term: str) -> bool:
        """Whether the book uses a term."""
        return term in self._frequencies

    def query_terms(self, text: str) -> SparseTerms:
        """A question's terms, weighted by rarity; the dot product with a passage is BM25."""
        wanted = {t for word in content_words(text) for t in terms(word) if self.knows(t)}
        weighted = {crc32(t.encode()): self.rarity(t) for t in sorted(wanted)}
        return SparseTerms(list(weighted), list(weighted.values()))

    def coverage(self, question: str, passage: str) -> float:
        """The share of a question's telling words that a passage mentions.

        A word tells the more, the rarer it is in this book and in the language: what the book
        calls by another everyday word weighs little, a technical term that is absent weighs much.
        """
        wanted = dict.fromkeys(content_words(question))
        weights = {word: self._weight(word) for word in wanted}
        total = sum(weights.values())
        if not total:
            return 0.0
        there = set(terms(passage))
        return sum(w for word, w in weights.items() if _is_among(word, there)) / total

    def _weight(self, word: str) -> float:
        rare, english = self.rarity(stem(word)), self._english(word)
        if _is_among(word, self._frequencies):
            return rare * english
        # An everyday word the book does without says little; a technical one says much.
        return _NEVER_USED * rare * english**_EVERYDAY

    def unknown_words(self, question: str) -> tuple[str, ...]:
        """The words of a question that the book never uses, each once, as they were typed."""
        words = dict.fromkeys(content_words(question))
        return tuple(w for w in words if not _is_among(w, self._frequencies))

    def correct(self, text: str) -> str:
        """The text with words the book does not know replaced by near ones that it does."""
        return _CORRECTABLE.sub(lambda found: self._spelling(found.group()), text)

    def _spelling(self, word: str) -> str:
        plain = word.lower()
        known = plain in self._frequencies or stem(word) in self._frequencies
        # A word of plain English, or a name in capitals, is no slip, even if the book lacks it.
        if known or plain in STOPWORDS or not word[1:].islower() or self._english(plain) < 1:
            return word
        slack = 1 if len(plain) < 10 else 2
        near = process.extract(
            plain, self._spellings, scorer=OSA.distance, score_cutoff=slack, limit=8
        )
        likely = [
            (distance, -self._frequencies.get(stem(w), 0), w)
            for w, distance, _ in near
            if _slip(plain, w)
        ]
        return min(likely)[2] if likely else word
