"""Lexical matching: BM25 as sparse vectors, the book's vocabulary, and spelling."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from zlib import crc32

from rapidfuzz import process
from rapidfuzz.distance import OSA

from rag.search.store import SparseTerms
from rag.text import STOPWORDS, content_terms, stem, terms, words

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
    """In how many passages each term occurs; words as written are listed too, for spelling."""
    frequencies: Counter[str] = Counter()
    for text in texts:
        frequencies.update({*terms(text), *(w.lower() for w in words(text))})
    return dict(sorted(frequencies.items()))


class Lexicon:
    """The book's vocabulary: how rare a term is, and what a misspelt word meant."""

    def __init__(self, frequencies: Mapping[str, int], passages: int) -> None:
        """Take the vocabulary of a published book."""
        self._frequencies = frequencies
        self._passages = passages
        # Short words have too many neighbours to correct towards.
        self._spellings = [w for w in frequencies if len(w) >= 4 and w.isalpha()]

    def rarity(self, term: str) -> float:
        """BM25's inverse document frequency; a term the book never uses is the rarest."""
        df = self._frequencies.get(term, 0)
        return math.log(1 + (self._passages - df + 0.5) / (df + 0.5))

    def knows(self, term: str) -> bool:
        """Whether the book uses a term."""
        return term in self._frequencies

    def query_terms(self, text: str) -> SparseTerms:
        """A question's terms, weighted by rarity; the dot product with a passage is BM25."""
        wanted = {t for t in terms(text) if t not in STOPWORDS and self.knows(t)}
        weighted = {crc32(t.encode()): self.rarity(t) for t in sorted(wanted)}
        return SparseTerms(list(weighted), list(weighted.values()))

    def coverage(self, question: str, passage: str) -> float:
        """The share of the question's content, weighted by rarity, that a passage mentions."""
        wanted = content_terms(question)
        total = sum(self.rarity(t) for t in wanted)
        if not total:
            return 0.0
        there = set(terms(passage))
        return sum(self.rarity(t) for t in wanted if t in there) / total

    def correct(self, text: str) -> str:
        """The text with words the book does not know replaced by near ones that it does."""
        return re.sub(r"[^\W\d_]{4,}", lambda found: self._spelling(found.group()), text)

    def _spelling(self, word: str) -> str:
        plain = word.lower()
        if plain in STOPWORDS or plain in self._frequencies or stem(word) in self._frequencies:
            return word
        slack = 1 if len(plain) < 8 else 2
        found = process.extractOne(
            plain, self._spellings, scorer=OSA.distance, score_cutoff=slack
        )
        # People misspell the middle of a word; its first letter is nearly always right.
        return str(found[0]) if found and found[0][0] == plain[0] else word
