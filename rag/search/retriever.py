"""From a question to a Retrieval: embed, search, rank. The candidates of a question are kept."""

import time
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple

import numpy as np

from rag.domain.book import Chunk
from rag.domain.errors import BookError, IndexMismatch
from rag.domain.question import Question
from rag.domain.retrieval import (
    Retrieval,
    RetrievalParameters,
    RetrievalTimings,
    RetrievedChunk,
)
from rag.embed.base import Embedder
from rag.search.gate import BEST, required_similarity
from rag.search.lexical import Lexicon, WordRarity
from rag.search.passage import lexical_score
from rag.search.ranking import decide, order
from rag.search.store import Hit, Manifest, Store

# How many candidates each search brings; the Inspector shows them all.
POOL = 30
# How many sentences of the passages are compared with the question by meaning.
_EMBEDDED_SENTENCES = 16
# How many questions' candidates are kept, so that asking again costs no model and no search.
_KEPT = 256


class Candidates(NamedTuple):
    """What a search brought, before any threshold."""

    hits: tuple[Hit, ...]
    query: str
    timings: RetrievalTimings


class Retriever:
    """Finds passages in one published book."""

    def __init__(self, store: Store, embedder: Embedder, rarity: WordRarity) -> None:
        """Take ready collaborators; nothing is opened yet."""
        self._store = store
        self._embedder = embedder
        self._rarity = rarity
        self._lock = Lock()
        self._lexicon: tuple[str, Lexicon] | None = None
        self._kept: OrderedDict[tuple[str, str], Candidates] = OrderedDict()

    def book(self) -> Manifest:
        """The published book, checked to be of the embedding model in use."""
        manifest = self._store.manifest()
        if manifest is None:
            raise BookError("The library is empty. Run: python -m rag ingest PATH-TO-A-BOOK")
        check_model(manifest, self._embedder)
        return manifest

    def lexicon(self) -> Lexicon:
        """The published book's vocabulary."""
        book = self.book()
        with self._lock:
            if self._lexicon is None or self._lexicon[0] != book.fingerprint:
                loaded = Lexicon(book, self._rarity)
                self._lexicon = (book.fingerprint, loaded)
            return self._lexicon[1]

    def retrieve(self, question: Question, query: str, lexical_weight: float) -> Retrieval:
        """The ranked candidates for a question that can be searched by itself."""
        total = self.book().chunk_count
        return self._ranked(question, self.candidates(query), lexical_weight, total)

    def retrieve_within(
        self, question: Question, query: str, chunk: Chunk, lexical_weight: float
    ) -> Retrieval:
        """The same for one passage: nothing is searched, and it is the only candidate."""
        return self._ranked(question, self._only(query, chunk), lexical_weight, 1)

    def _ranked(
        self, question: Question, candidates: Candidates, lexical_weight: float, total: int
    ) -> Retrieval:
        lexicon = self.lexicon()
        started = time.perf_counter()
        ordered = order(candidates.hits, lexical_weight)
        coverage = _best_coverage(lexicon, candidates.query, ordered, question.threshold)
        required = required_similarity(question.threshold, coverage)
        chunks = decide(ordered, question.top_k, question.threshold, required)
        ranked = (time.perf_counter() - started) * 1000
        return Retrieval(
            question=question,
            query=candidates.query,
            chunks=chunks,
            parameters=RetrievalParameters(
                top_k=question.top_k,
                threshold=question.threshold,
                lexical_weight=lexical_weight,
                collection_name=self._store.collection_name,
                embedding_model=self._embedder.name,
            ),
            total_candidates=total,
            filtered_count=sum(c.similarity >= question.threshold for c in chunks),
            coverage=coverage,
            required=required,
            unknown_words=lexicon.unknown_words(candidates.query),
            timings=candidates.timings.model_copy(update={"rank_ms": ranked}),
        )

    def candidates(self, query: str) -> Candidates:
        """What the book has for a query; from memory where it was asked before."""
        key = (self.book().fingerprint, " ".join(query.lower().split()))
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]._replace(timings=RetrievalTimings())
        found = self._search(query)
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def _search(self, query: str) -> Candidates:
        lexicon = self.lexicon()
        corrected = lexicon.correct(query)
        started = time.perf_counter()
        vector = self._embedder.embed_query(corrected)
        embedded = time.perf_counter()
        hits = tuple(self._store.search(vector, lexicon.query_terms(corrected), POOL))
        searched = time.perf_counter()
        timings = RetrievalTimings(
            embed_ms=(embedded - started) * 1000, search_ms=(searched - embedded) * 1000
        )
        return Candidates(hits, corrected, timings)

    def _only(self, query: str, chunk: Chunk) -> Candidates:
        """One passage as the candidates of a query, scored as the index scores its chunks."""
        lexicon = self.lexicon()
        # The book's own words are spelt as they are meant.
        corrected = query if query == chunk.text else lexicon.correct(query)
        started = time.perf_counter()
        asked = self._embedder.embed_query(corrected)
        (row,) = self._embedder.embed_documents([chunk.search_text])
        embed_ms = (time.perf_counter() - started) * 1000
        lexical = lexical_score(lexicon.query_terms(corrected), chunk)
        hit = Hit(chunk, float(np.clip(row @ asked, 0, 1)), lexical, 1, 1 if lexical else None)
        return Candidates((hit,), corrected, RetrievalTimings(embed_ms=embed_ms))

    def score_sentences(
        self, question: str, headings: Sequence[str], sentences: Sequence[str]
    ) -> list[float]:
        """How well each sentence answers: its similarity, and the question's telling words in it.

        Its heading says what a sentence is about, but lends it only half of its words: not every
        sentence under a heading answers it. Only sentences with the most telling words are run
        through the model: the others cannot win, and the model is what costs.
        """
        lexicon = self.lexicon()
        placed = [f"{heading}: {text}" for heading, text in zip(headings, sentences, strict=True)]
        covered = [
            (lexicon.coverage(question, text) + lexicon.coverage(question, whole)) / 2
            for text, whole in zip(sentences, placed, strict=True)
        ]
        worth = sorted(range(len(sentences)), key=lambda i: -covered[i])[:_EMBEDDED_SENTENCES]
        scores = [0.5 * share for share in covered]
        if worth:
            asked = self._embedder.embed_query(question)
            rows = self._embedder.embed_documents([placed[i] for i in worth])
            for i, similarity in zip(worth, np.clip(rows @ asked, 0, 1), strict=True):
                scores[i] += 0.5 * float(similarity)
        return scores


def _best_coverage(
    lexicon: Lexicon, query: str, ordered: Sequence[RetrievedChunk], threshold: float
) -> float:
    """The most that one of the best passages mentions of a question's telling words."""
    # What is too dissimilar to be used vouches for nothing.
    able = [c.chunk.search_text for c in ordered[:BEST] if c.similarity >= threshold]
    return max((lexicon.coverage(query, text) for text in able), default=0.0)


def check_model(manifest: Manifest, embedder: Embedder) -> None:
    """Refuse to search an index with another model than the one that made it."""
    made_by = (manifest.embedding_model, manifest.dimensions)
    if made_by != (embedder.name, embedder.dimensions):
        raise IndexMismatch(
            f"This library was indexed with {manifest.embedding_model}, but {embedder.name} is in "
            "use. Run `python -m rag ingest PATH` to index the book again, or set the model back."
        )
