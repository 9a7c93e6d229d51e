"""Starter questions come from the book, and the book can answer them."""

from types import SimpleNamespace
from typing import cast

from rag.domain.agent import AgentConfig
from rag.domain.book import Chunk
from rag.domain.question import Question
from rag.tutor import Tutor
from tests.builders import make_chunk
from ui.starters import starters


def _tutor(*refused: str) -> Tutor:
    """A tutor whose book answers all but these."""

    def retrieve(question: Question, query: str, weight: float) -> SimpleNamespace:
        return SimpleNamespace(used=() if question.text in refused else (1,))

    retriever = SimpleNamespace(retrieve=retrieve)
    return cast(Tutor, SimpleNamespace(config=AgentConfig(), retriever=retriever))


def _section(n: int, module: str, heading: str, title: str = "Bread") -> Chunk:
    return make_chunk(n, module=module, page_title=title, heading_path=(title, heading))


def test_headings_that_ask_are_taken_from_each_module_in_turn() -> None:
    book = [
        _section(1, "Flour", "What is flour?"),
        _section(2, "Flour", "What is rye?"),
        _section(3, "Water", "Hydration"),
        _section(4, "Water", "How much water?"),
    ]
    assert starters(_tutor(), book, 3) == ("What is flour?", "How much water?", "What is rye?")


def test_a_question_the_book_cannot_answer_is_not_offered() -> None:
    book = [_section(1, "Flour", "What is flour?"), _section(2, "Flour", "What is rye?")]
    assert starters(_tutor("What is flour?"), book, 1) == ("What is rye?",)


def test_a_book_without_questions_offers_its_chapters() -> None:
    book = [_section(1, "", "Kneading", "Dough."), _section(2, "", "Resting", "Dough.")]
    assert starters(_tutor(), book) == ("What does the book say about Dough?",)


def test_long_and_two_part_headings_are_left_out() -> None:
    book = [_section(1, "A", "Bread: why?"), _section(2, "A", "x" * 60 + "?")]
    assert starters(_tutor(), book) == ("What does the book say about Bread?",)


def test_an_empty_book_offers_nothing() -> None:
    assert starters(_tutor(), []) == ()
