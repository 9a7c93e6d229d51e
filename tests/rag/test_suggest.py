"""Suggested questions come from the book, and the book can answer them."""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import cast

import pytest

from rag.build import Library
from rag.domain.agent import AgentConfig
from rag.domain.answer import AgentResponse
from rag.domain.book import Chunk
from rag.domain.events import Finished
from rag.domain.question import Question
from rag.search.retriever import Retriever
from rag.settings import load_settings
from rag.suggest import follow_ups, for_refusal, starters
from tests.builders import make_chunk, make_citation, make_greeting, make_refusal, make_response

CONFIG = AgentConfig()
DOUGH = """\
# Dough

Everything begins with flour and water.

## Kneading by hand

Kneading stretches the dough until it is smooth. Ten minutes of kneading are enough.

## Gluten

**Gluten** is a net of proteins that forms when wet flour is worked; it holds the gas in.

## How to shape a loaf

Fold the edges to the middle, turn the loaf over and pull it towards you on the table.

## Proofing the loaf

To proof it, leave the shaped loaf in a basket until it has nearly doubled in size.

## Exercises

Bake a loaf and compare its crumb with a friend's.
"""
OVEN = """\
# Oven

Heat sets the crumb and colours the crust.

## Why does steam help?

Steam keeps the skin of a loaf soft, so that it can rise in the oven before the crust sets.
"""


@pytest.fixture(scope="module")
def bakery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """A tiny book about bread, with the real model."""
    folder = tmp_path_factory.mktemp("bread")
    (folder / "1-dough.md").write_text(DOUGH)
    (folder / "2-oven.md").write_text(OVEN)
    with Library(load_settings(home=tmp_path_factory.mktemp("home"))) as library:
        library.ingest(folder)
        yield library


def _answered(library: Library, text: str) -> AgentResponse:
    events = list(library.tutor.ask(text, library.tutor.start()))
    last = events[-1]
    assert isinstance(last, Finished)
    return last.turn.response


def _after(library: Library, text: str, *asked: str) -> tuple[str, ...]:
    response = _answered(library, text)
    chunks = library.chunks()
    return follow_ups(
        library.retriever, library.tutor.config, chunks, response, (text, *asked), wanted=3
    )


@pytest.mark.model
def test_what_stands_next_to_the_answer_is_offered(bakery: Library) -> None:
    assert _after(bakery, "What is gluten?") == (
        "How do I shape a loaf?",
        "What does the book say about kneading by hand?",
        "How do I proof the loaf?",
    )


@pytest.mark.model
def test_what_was_asked_in_other_words_is_not_offered_again(bakery: Library) -> None:
    offered = _after(bakery, "What is gluten?", "how can i shape my loaf?", "kneading by hand")
    assert offered[0] == "How do I proof the loaf?"
    assert "How do I shape a loaf?" not in offered
    assert "What does the book say about kneading by hand?" not in offered


@pytest.mark.model
def test_the_end_of_a_page_leads_to_the_next_one(bakery: Library) -> None:
    others = ("shape a loaf", "gluten", "kneading by hand", "dough")
    assert "Why does steam help?" in _after(bakery, "How long do I proof the loaf?", *others)


@pytest.mark.model
def test_every_offer_of_a_tiny_book_is_answered(bakery: Library) -> None:
    for question in ("What is gluten?", "How do I shape a loaf?", "Why does steam help?"):
        offered = _after(bakery, question)
        assert offered
        assert all(_answered(bakery, offer).grounded for offer in offered)


@pytest.mark.model
def test_a_refusal_is_followed_by_what_the_book_does_tell(bakery: Library) -> None:
    refused = _answered(bakery, "Who won the chess championship of 1972?")
    assert not refused.grounded
    offered = follow_ups(
        bakery.retriever, bakery.tutor.config, bakery.chunks(), refused, (), wanted=3
    )
    assert len(offered) >= 2
    assert all(_answered(bakery, offer).grounded for offer in offered)


def _retriever(*refused: str, best: Chunk | None = None) -> Retriever:
    """A retriever whose book answers all but these, from one chunk."""
    found = SimpleNamespace(chunk=best or make_chunk())

    def retrieve(question: Question, query: str, weight: float) -> SimpleNamespace:
        return SimpleNamespace(used=() if question.text in refused else (found,))

    return cast(Retriever, SimpleNamespace(retrieve=retrieve))


def _section(n: int, module: str, heading: str, title: str = "Bread", **over: object) -> Chunk:
    path = {"page_title": title, "heading_path": (title, heading)}
    return make_chunk(n, module=module, **path, **over)


BOOK = [_section(n, "", f"What is {name}?") for n, name in enumerate(("rye", "oat", "malt"), 1)]


def _cited(*chunks: Chunk) -> AgentResponse:
    citations = tuple(make_citation(n, chunk) for n, chunk in enumerate(chunks, start=1))
    marks = " ".join(f"[{c.index}]" for c in citations)
    return make_response(citations=citations, answer=f"Rye {marks}.")


def test_what_follows_comes_before_what_precedes() -> None:
    offered = follow_ups(_retriever(best=make_chunk(9)), CONFIG, BOOK, _cited(BOOK[1]), ())
    assert offered == ("What is malt?", "What is rye?")


def test_what_the_book_refuses_is_not_offered() -> None:
    retriever = _retriever("What is malt?", best=make_chunk(9))
    assert follow_ups(retriever, CONFIG, BOOK, _cited(BOOK[1]), ()) == ("What is rye?",)


def test_two_that_ask_the_same_are_offered_once() -> None:
    book = [*BOOK, _section(4, "", "About malt", text="**Malt** is a sprouted grain.")]
    offered = follow_ups(_retriever(best=make_chunk(9)), CONFIG, book, _cited(BOOK[0]), ())
    assert offered == ("What is oat?", "What is malt?")


def test_a_heading_that_nobody_could_type_is_passed_over() -> None:
    book = [BOOK[0], _section(2, "", "What is \x07 oat?"), BOOK[2]]
    retriever = _retriever(best=make_chunk(9))
    assert follow_ups(retriever, CONFIG, book, _cited(BOOK[0]), ()) == ("What is malt?",)
    assert starters(retriever, CONFIG, book, 2) == ("What is rye?", "What is malt?")


def test_what_would_be_answered_by_the_same_chunk_again_is_not_offered() -> None:
    assert follow_ups(_retriever(best=BOOK[1]), CONFIG, BOOK, _cited(BOOK[1]), ()) == ()


def test_another_section_of_a_cited_chunk_is_news_if_more_than_that_chunk_answers() -> None:
    both = _section(1, "", "Grain", text="Grain is dry.\n\n### What is rye?\n\nA grass.")

    def retrieve(*_: object) -> SimpleNamespace:
        return SimpleNamespace(used=[SimpleNamespace(chunk=chunk) for chunk in used])

    retriever = cast(Retriever, SimpleNamespace(retrieve=retrieve))
    used = [both, make_chunk(9)]
    assert follow_ups(retriever, CONFIG, [both], _cited(both), ()) == ("What is rye?",)
    used = [both]
    assert follow_ups(retriever, CONFIG, [both], _cited(both), ()) == ()


def test_what_would_be_answered_from_elsewhere_is_not_offered() -> None:
    elsewhere = _retriever(best=make_chunk(9, chapter_id="another-page"))
    assert follow_ups(elsewhere, CONFIG, BOOK, _cited(BOOK[1]), ()) == ()


def test_a_passage_counts_as_the_section_it_was_chosen_from() -> None:
    passage = BOOK[1].model_copy(update={"chunk_id": "chosen", "text": "a few words"})
    retriever = _retriever(best=make_chunk(9))
    assert follow_ups(retriever, CONFIG, BOOK, _cited(passage), ()) == (
        "What is malt?",
        "What is rye?",
    )
    assert follow_ups(_retriever(best=BOOK[1]), CONFIG, BOOK, _cited(passage), ()) == ()


def test_only_a_few_questions_are_tried() -> None:
    tried: list[str] = []

    def retrieve(question: Question, query: str, weight: float) -> SimpleNamespace:
        tried.append(query)
        return SimpleNamespace(used=())

    book = [_section(n, "", f"What is flour {'x' * n}?") for n in range(1, 30)]
    retriever = cast(Retriever, SimpleNamespace(retrieve=retrieve))
    assert follow_ups(retriever, CONFIG, book, _cited(book[0]), ()) == ()
    assert len(tried) == 8


def test_a_question_that_leans_on_the_conversation_is_not_offered() -> None:
    book = [BOOK[0], _section(2, "", "Why does it rise?"), _section(3, "", "How it works")]
    assert follow_ups(_retriever(best=make_chunk(9)), CONFIG, book, _cited(BOOK[0]), ()) == ()


def test_sections_inside_a_chunk_are_told_apart() -> None:
    both = _section(1, "", "Grain", text="Grain is dry.\n\n### What is rye?\n\nA grass.")
    oats = _section(2, "", "What is oat?")
    response = _cited(both)
    offered = follow_ups(_retriever(best=make_chunk(9)), CONFIG, [both, oats], response, ())
    assert offered == ("What is rye?", "What is oat?")


def test_nothing_is_offered_after_a_greeting() -> None:
    assert follow_ups(_retriever(), CONFIG, BOOK, make_greeting(), ()) == ()


def test_a_refusal_offers_the_nearest_sections_and_then_starters() -> None:
    refusal = make_refusal(nearest=(make_citation(1, BOOK[2]),))
    retriever = _retriever(best=make_chunk(9))
    assert for_refusal(retriever, CONFIG, BOOK, refusal) == (
        "What is malt?",
        "What is rye?",
        "What is oat?",
    )
    assert follow_ups(retriever, CONFIG, BOOK, refusal, ("what is rye",)) == (
        "What is malt?",
        "What is oat?",
        "What does the book say about Bread?",
    )


def test_headings_that_ask_are_taken_from_each_module_in_turn() -> None:
    book = [
        _section(1, "Flour", "What is flour?"),
        _section(2, "Flour", "What is rye?"),
        _section(3, "Water", "Hydration"),
        _section(4, "Water", "How much water?"),
    ]
    first_three = ("What is flour?", "How much water?", "What is rye?")
    assert starters(_retriever(), CONFIG, book, 3) == first_three


def test_a_starter_the_book_cannot_answer_is_not_offered() -> None:
    book = [_section(1, "Flour", "What is flour?"), _section(2, "Flour", "What is rye?")]
    assert starters(_retriever("What is flour?"), CONFIG, book, 1) == ("What is rye?",)


def test_a_book_whose_headings_ask_nothing_offers_what_it_defines() -> None:
    rye = _section(1, "", "Grain", "Dough.").model_copy(
        update={"text": "A **rye loaf** is a dark bread."}
    )
    assert starters(_retriever(), CONFIG, [rye], 1) == ("What is a rye loaf?",)


def test_nothing_is_offered_twice() -> None:
    asks = _section(1, "", "What is a rye loaf?", "Dough.").model_copy(
        update={"text": "A **rye loaf** is a dark bread."}
    )
    assert starters(_retriever(), CONFIG, [asks], 2) == (
        "What is a rye loaf?",
        "What does the book say about Dough?",
    )


def test_a_book_without_questions_offers_its_chapters() -> None:
    book = [_section(1, "", "Kneading", "Dough."), _section(2, "", "Resting", "Dough.")]
    assert starters(_retriever(), CONFIG, book) == ("What does the book say about Dough?",)


def test_long_and_two_part_headings_are_left_out() -> None:
    book = [_section(1, "A", "Bread: why?"), _section(2, "A", "x" * 60 + "?")]
    assert starters(_retriever(), CONFIG, book) == ("What does the book say about Bread?",)


def test_an_empty_book_offers_nothing() -> None:
    assert starters(_retriever(), CONFIG, []) == ()
    assert for_refusal(_retriever(), CONFIG, [], make_refusal()) == ()
