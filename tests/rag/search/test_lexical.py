"""Lexical matching, rarity, coverage and spelling."""

import math

import pytest

from rag.embed.words import english_rarity
from rag.search.lexical import Lexicon, document_terms, spellings, vocabulary
from rag.search.store import Manifest, SparseTerms

PASSAGES = [
    "Call create_publisher to publish on /cmd_vel with a durability setting.",
    "The durability setting keeps the last messages for late subscribers.",
    "A navigation stack plans a path and follows it with a controller.",
]


@pytest.fixture
def lexicon() -> Lexicon:
    book = Manifest(
        title="Book",
        fingerprint="f",
        embedding_model="fake",
        dimensions=1,
        chunk_count=len(PASSAGES),
        document_frequencies=vocabulary(PASSAGES),
        spellings=spellings(PASSAGES),
    )
    return Lexicon(book, english_rarity)


def dot(query: SparseTerms, passage: SparseTerms) -> float:
    weights = dict(zip(*passage, strict=True))
    return sum(v * weights.get(i, 0.0) for i, v in zip(*query, strict=True))


def best(lexicon: Lexicon, question: str) -> int:
    scores = [dot(lexicon.query_terms(question), document_terms(p)) for p in PASSAGES]
    return scores.index(max(scores))


def test_the_dot_product_is_bm25(lexicon: Lexicon) -> None:
    df, n, k1, b, average = 1, 3, 1.2, 0.75, 200
    rarity = math.log(1 + (n - df + 0.5) / (df + 0.5))
    passage = "controller"
    expected = rarity * (k1 + 1) / (1 + k1 * (1 - b + b / average))
    assert dot(lexicon.query_terms("controller"), document_terms(passage)) == pytest.approx(
        expected
    )


@pytest.mark.parametrize("question", ["create_publisher", "how to create a publisher", "/cmd_vel"])
def test_an_identifier_is_found_whole_and_by_its_parts(lexicon: Lexicon, question: str) -> None:
    assert best(lexicon, question) == 0


def test_forms_of_a_word_meet(lexicon: Lexicon) -> None:
    assert best(lexicon, "planning paths, navigate") == 2


def test_words_the_book_lacks_and_stop_words_carry_no_weight(lexicon: Lexicon) -> None:
    assert lexicon.query_terms("what is the weather?") == SparseTerms([], [])


def test_a_rare_word_weighs_more_than_a_common_one(lexicon: Lexicon) -> None:
    assert lexicon.rarity("navig") > lexicon.rarity("durabl")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("what is durabilty", "what is durability"),
        ("navigaton contoller", "navigation controller"),
        ("settign", "setting"),
    ],
)
def test_a_slip_is_corrected_towards_the_book(lexicon: Lexicon, typed: str, meant: str) -> None:
    assert lexicon.correct(typed) == meant


@pytest.mark.parametrize(
    "text",
    ["setting sitting", "the lost path", "PLANZ", "bath", "settled controls", "x_pathz", "zzzzzz"],
)
def test_real_words_names_and_strangers_are_left_alone(lexicon: Lexicon, text: str) -> None:
    assert lexicon.correct(text) == text


def test_coverage_is_whole_when_every_telling_word_is_there(lexicon: Lexicon) -> None:
    assert lexicon.coverage("What does the durability setting do?", PASSAGES[1]) == 1.0


def test_a_missing_technical_word_costs_more_than_a_missing_everyday_one(lexicon: Lexicon) -> None:
    everyday = lexicon.coverage("durability setting for my house", PASSAGES[1])
    technical = lexicon.coverage("durability setting for my zigbee", PASSAGES[1])
    assert technical < everyday < 1.0


@pytest.mark.parametrize("text", ["what is this?", "???"])
def test_a_question_without_telling_words_is_covered_by_nothing(
    lexicon: Lexicon, text: str
) -> None:
    assert lexicon.coverage(text, PASSAGES[0]) == 0.0


def test_a_stop_word_in_capitals_is_a_name(lexicon: Lexicon) -> None:
    assert lexicon.query_terms("what is a FOR?") != lexicon.query_terms("what is a for?")


def test_a_stem_is_no_spelling(lexicon: Lexicon) -> None:
    assert lexicon.correct("navigatio") == "navigation"


def test_an_identifier_is_covered_by_its_parts(lexicon: Lexicon) -> None:
    assert lexicon.coverage("durabilitySetting", PASSAGES[1]) == 1.0


def test_unknown_words_are_named_as_typed(lexicon: Lexicon) -> None:
    asked = "Is Zigbee a navigation protocol like Zigbee?"
    assert lexicon.unknown_words(asked) == ("Zigbee", "protocol")


def test_english_rarity_orders_words() -> None:
    common, rare, stranger = map(english_rarity, ("house", "pendulum", "zigbeeee"))
    assert 0 <= common < rare < stranger == 1.0
