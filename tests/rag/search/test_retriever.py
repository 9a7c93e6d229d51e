"""From a question to a Retrieval, on the real embedded store."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from rag.domain.errors import BookError, IndexMismatch
from rag.domain.question import Question
from rag.domain.retrieval import Retrieval
from rag.embed.base import HashEmbedder, Vector
from rag.embed.words import english_rarity
from rag.search.lexical import document_terms, spellings, vocabulary
from rag.search.passage import query_within, subject_of
from rag.search.qdrant import EdgeStore
from rag.search.retriever import Retriever
from rag.search.store import Entry, Manifest, PageEntry
from tests.builders import make_chunk

TEXTS = {
    "0b0e6f0a-0000-4000-8000-000000000001": "A gripper closes its fingers around a cup.",
    "0b0e6f0a-0000-4000-8000-000000000002": "A camera sees the cup on the table.",
    "0b0e6f0a-0000-4000-8000-000000000003": "Balance keeps the torso above the feet.",
}


class CountingEmbedder(HashEmbedder):
    def __init__(self) -> None:
        self.queries: list[str] = []

    def embed_query(self, text: str) -> Vector:
        self.queries.append(text)
        return super().embed_query(text)


@pytest.fixture
def embedder() -> CountingEmbedder:
    return CountingEmbedder()


@pytest.fixture
def store(tmp_path: Path, embedder: CountingEmbedder) -> Iterator[EdgeStore]:
    store = EdgeStore(tmp_path / "index")
    chunks = [
        make_chunk(n, chunk_id=key, text=text)
        for n, (key, text) in enumerate(TEXTS.items(), start=1)
    ]
    manifest = Manifest(
        title="Book",
        fingerprint="one",
        embedding_model=embedder.name,
        dimensions=embedder.dimensions,
        chunk_count=len(chunks),
        document_frequencies=vocabulary(c.search_text for c in chunks),
        spellings=spellings(c.search_text for c in chunks),
    )
    vectors = embedder.embed_documents([c.search_text for c in chunks])
    terms = [document_terms(c.search_text) for c in chunks]
    store.publish(manifest, map(Entry, chunks, vectors, terms), [])
    yield store
    store.close()


@pytest.fixture
def retriever(store: EdgeStore, embedder: CountingEmbedder) -> Retriever:
    return Retriever(store, embedder, english_rarity)


def ask(retriever: Retriever, text: str, **over: float) -> Retrieval:
    question = Question.model_validate({"text": text, "threshold": 0.0, **over})
    return retriever.retrieve(question, text, 0.5)


def test_the_right_passage_comes_first_with_all_its_scores(retriever: Retriever) -> None:
    found = ask(retriever, "gripper fingers")
    best = found.chunks[0]
    assert best.chunk.text == "A gripper closes its fingers around a cup."
    assert 0 < best.similarity <= 1
    assert best.lexical > 0
    assert (best.rank, best.lexical_rank) == (1, 1)
    assert found.total_candidates == 3
    assert found.parameters.embedding_model == "fake-hash-64"


def test_an_identical_question_is_answered_from_memory(
    retriever: Retriever, embedder: CountingEmbedder
) -> None:
    first = ask(retriever, "Where is the cup?")
    again = ask(retriever, "  where is  the CUP?", top_k=1)
    assert len(embedder.queries) == 1
    assert [c.similarity for c in again.chunks] == [c.similarity for c in first.chunks]
    assert (again.timings.embed_ms, again.timings.search_ms) == (0.0, 0.0)


def test_only_so_many_questions_are_kept(
    retriever: Retriever, embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.search.retriever._KEPT", 2)
    for text in ("one cup", "two cups", "three cups", "one cup"):
        ask(retriever, text)
    assert embedder.queries.count("one cup") == 2


def test_a_slip_of_spelling_is_searched_as_it_was_meant(retriever: Retriever) -> None:
    found = ask(retriever, "balnace and fingres")
    assert found.query == "balance and fingers"


def test_a_question_whose_telling_words_are_missing_needs_more_similarity(
    retriever: Retriever,
) -> None:
    known = ask(retriever, "gripper fingers cup", threshold=0.3)
    foreign = ask(retriever, "gripper zigbee kubernetes", threshold=0.3)
    assert known.required == 0.3
    assert foreign.required > 0.4
    assert foreign.unknown_words == ("zigbee", "kubernetes")


def test_filtered_count_is_what_meets_the_threshold(retriever: Retriever) -> None:
    found = ask(retriever, "cup", threshold=0.2)
    assert found.filtered_count == sum(c.similarity >= 0.2 for c in found.chunks) > 0


def test_a_passage_too_dissimilar_to_be_used_vouches_for_nothing(retriever: Retriever) -> None:
    assert ask(retriever, "gripper fingers cup", threshold=0.1).coverage == 1.0
    assert ask(retriever, "gripper fingers cup", threshold=0.95).coverage == 0.0


def test_replaying_gives_the_same_chunks_order_and_scores(
    store: EdgeStore, embedder: CountingEmbedder
) -> None:
    one = ask(Retriever(store, embedder, english_rarity), "the cup on the table")
    other = ask(Retriever(store, embedder, english_rarity), "the cup on the table")
    assert one.chunks == other.chunks


def test_an_empty_library_says_what_to_run(tmp_path: Path) -> None:
    retriever = Retriever(EdgeStore(tmp_path / "nothing"), HashEmbedder(), english_rarity)
    with pytest.raises(BookError, match="python -m rag ingest"):
        ask(retriever, "anything")


def test_a_foreign_embedding_model_is_refused_with_the_way_out(store: EdgeStore) -> None:
    class Other(HashEmbedder):
        name = "other-model"

    with pytest.raises(IndexMismatch, match=r"fake-hash-64.*other-model.*python -m rag ingest"):
        ask(Retriever(store, Other(), english_rarity), "anything")


def test_a_model_of_other_dimensions_is_refused_too(store: EdgeStore) -> None:
    class Wider(HashEmbedder):
        dimensions = 65

    with pytest.raises(IndexMismatch):
        ask(Retriever(store, Wider(), english_rarity), "anything")


def test_sentences_are_scored_by_meaning_and_words(retriever: Retriever) -> None:
    scores = retriever.score_sentences("gripper fingers", ["", "", ""], [*TEXTS.values()])
    assert scores[0] == max(scores)
    assert scores[0] > 2 * scores[2]
    assert retriever.score_sentences("gripper", [], []) == []


def test_a_heading_lends_a_sentence_half_of_its_words(retriever: Retriever) -> None:
    own, lent, none = retriever.score_sentences(
        "gripper", ["Hands", "The gripper", "Hands"], ["The gripper.", "It closes.", "It closes."]
    )
    assert own > lent > none


def test_only_the_most_telling_sentences_meet_the_model(
    retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.search.retriever._EMBEDDED_SENTENCES", 1)
    seen: list[str] = []

    def embed(self: HashEmbedder, texts: list[str]) -> np.ndarray:
        seen.extend(texts)
        return np.ones((len(texts), 64), dtype=np.float32) / 8

    monkeypatch.setattr(HashEmbedder, "embed_documents", embed)
    retriever.score_sentences("gripper fingers", ["A", "B", "C"], [*reversed(TEXTS.values())])
    assert seen[-1] == "C: A gripper closes its fingers around a cup."
    assert len(seen) == 2  # the question and one sentence


def test_a_book_of_many_modules_is_told_by_them_and_one_of_few_by_its_pages() -> None:
    def book(modules: int) -> Manifest:
        pages = tuple(
            PageEntry(
                source_file=f"{n}",
                chapter_id=f"{n}",
                module=f"M{n % modules}",
                title=f"P{n}",
                route="",
            )
            for n in range(6)
        )
        return Manifest(
            title="B",
            fingerprint="f",
            embedding_model="m",
            dimensions=1,
            chunk_count=6,
            pages=pages,
        )

    assert book(3).topics == ("M0", "M1", "M2")
    assert book(2).topics == ("P0", "P1", "P2", "P3", "P4", "P5")


GRIPPER, CAMERA, _ = TEXTS


def within(retriever: Retriever, text: str, key: str, **over: float) -> Retrieval:
    question = Question.model_validate({"text": text, "threshold": 0.0, **over})
    passage = make_chunk(int(key[-1]), chunk_id=key, text=TEXTS[key])
    return retriever.retrieve_within(question, text, passage, 0.5)


def test_a_passage_is_scored_as_the_search_scores_it(retriever: Retriever) -> None:
    text = "gripper fingers cup"
    searched = {c.chunk.chunk_id: c for c in ask(retriever, text).chunks}
    for key in TEXTS:
        (only,) = within(retriever, text, key).chunks
        assert only.similarity == pytest.approx(searched[key].similarity, abs=1e-5)
        assert only.lexical == pytest.approx(searched[key].lexical, abs=1e-5)


def test_a_passage_is_the_only_candidate_and_nothing_is_searched(
    retriever: Retriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    retriever.lexicon()
    monkeypatch.setattr(EdgeStore, "search", None)
    found = within(retriever, "gripper fingers", CAMERA)
    assert [c.chunk.chunk_id for c in found.chunks] == [CAMERA]
    assert found.total_candidates == 1
    assert found.parameters.embedding_model == "fake-hash-64"


def test_the_gate_holds_for_a_passage_too(retriever: Retriever) -> None:
    told = within(retriever, "gripper fingers cup", GRIPPER, threshold=0.3)
    untold = within(retriever, "gripper fingers cup", CAMERA, threshold=0.3)
    assert (len(told.used), told.required) == (1, 0.3)
    assert untold.used == ()
    assert untold.filtered_count == sum(c.similarity >= 0.3 for c in untold.chunks)


def test_a_question_about_a_passage_is_spelt_as_it_was_meant(retriever: Retriever) -> None:
    assert within(retriever, "balnace", GRIPPER).query == "balance"
    assert within(retriever, TEXTS[GRIPPER], GRIPPER).query == TEXTS[GRIPPER]


@pytest.mark.parametrize(
    "text",
    """Explain this|What does this mean?|why?|summarise|Summarize this passage|tldr
    |explain it like I'm five|Can you explain this paragraph in simple words?
    |What does this formula mean?|Give me an example""".replace("\n    ", "").split("|"),
)
def test_a_question_that_only_points_looks_for_the_passage_itself(text: str) -> None:
    assert query_within(text, make_chunk(text="A kite flies.")) == "A kite flies."


@pytest.mark.parametrize(
    "text", ["What's the weather?", "Why does the kite fall?", "What does this say about tails?"]
)
def test_a_question_with_words_of_its_own_is_looked_for(text: str) -> None:
    assert query_within(text, make_chunk(text="A kite flies.")) == text


@pytest.mark.parametrize(
    ("heading", "subject"),
    [("What is a kite?", "kite"), ("The bridle", "bridle"), ("Why kites fall", "Kites")],
)
def test_a_passage_is_about_its_heading_or_its_page(heading: str, subject: str) -> None:
    passage = make_chunk(page_title="Kites", heading_path=("Kites", heading))
    assert subject_of(passage) == subject
