"""The chat page on the bundled book: seed 000's five scenarios, and bad input."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from streamlit.testing.v1 import AppTest

from rag.domain.answer import AgentResponse, ResponseStatus
from rag.domain.conversation import Role
from ui.session import Chat

ROOT = Path(__file__).parents[2]

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("with_book")]


def _open() -> AppTest:
    page = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=20).run()
    assert not page.exception
    return page


def _ask(page: AppTest, question: str) -> AgentResponse:
    page.chat_input[0].set_value(question).run()
    assert not page.exception
    return _chat(page).answered[-1].response


def _chat(page: AppTest) -> Chat:
    found: Chat = page.session_state["chat"]
    return found


def _text(page: AppTest) -> str:
    """What the page says, without Markdown's escapes."""
    return re.sub(r"\\(?=[^\w\s])", "", "\n".join(m.value for m in page.main.markdown))


def test_a_single_question_is_answered_with_citations() -> None:
    page = _open()
    response = _ask(page, "What is ROS 2?")
    assert response.grounded
    assert all("Module 1" in c.module for c in response.citations[:1])
    assert "[1]" in _text(page)
    assert "What is ROS 2?" in page.main.chat_message[0].text[0].value
    assert f"{len(response.citations)} source" in page.main.expander[0].label


def test_an_out_of_scope_question_is_refused_kindly() -> None:
    page = _open()
    response = _ask(page, "What's the weather today?")
    assert response.status is ResponseStatus.INSUFFICIENT_CONTEXT
    assert not response.grounded
    assert "I don't have information" in _text(page)
    assert "I looked for" in _text(page)
    for section in response.nearest:
        assert f"](reader?page={quote(section.chapter_id, safe='')}" in _text(page)
    offered = [b for b in page.main.button if (b.key or "").startswith("follow_up_")]
    assert len(offered) >= 2
    offered[0].click().run()
    assert _chat(page).answered[-1].response.grounded


def test_a_follow_up_knows_what_it_is_about() -> None:
    page = _open()
    _ask(page, "What is Isaac Sim?")
    response = _ask(page, "How do I use it for synthetic data?")
    assert response.grounded
    assert any("ynthetic" in f"{c.title} {c.heading}" for c in response.citations)
    assert len(page.main.chat_message) == 4


def test_every_citation_can_be_checked() -> None:
    page = _open()
    response = _ask(page, "How do I write a launch file?")
    chunks = {c.chunk.chunk_id: c for c in _chat(page).state.turns[-1].retrieval.used}  # type: ignore[union-attr]
    for citation in response.citations:
        found = chunks[citation.chunk_id]
        assert citation.url
        assert citation.score == found.similarity
        assert citation.quote in found.chunk.text
        assert f"[[{citation.index}]](reader?page=" in _text(page)


def test_a_new_conversation_clears_all_but_the_system_message() -> None:
    page = _open()
    for topic in ("ROS 2", "URDF", "Isaac Sim", "tf2", "Nav2"):
        _ask(page, f"What is {topic}?")
    page.sidebar.button(key="new_conversation").click().run()
    state = _chat(page).state
    assert [m.role for m in state.conversation.messages] == [Role.SYSTEM]
    assert not page.main.chat_message
    assert _ask(page, "What is ROS 2?").grounded


def test_a_greeting_is_no_refusal() -> None:
    page = _open()
    _ask(page, "hello!")
    assert "Hello!" in _text(page)
    assert not page.main.expander


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("x" * 2001, "The question has 2001 characters; at most 2000 are allowed."),
        ("   ", "Please type a question."),
        ("a\x07b", "The question contains control characters; please type it again."),
    ],
)
def test_bad_input_is_explained(question: str, sentence: str) -> None:
    page = _open()
    page.chat_input[0].set_value(question).run()
    assert not page.exception
    assert sentence in page.error[0].value.replace("\\", "")
    assert not [b for b in page.main.button if b.key == "try_again"]
    assert _ask(page, "What is ROS 2?").grounded
    assert not page.error


def test_an_empty_chat_offers_questions_that_the_book_answers() -> None:
    page = _open()
    offered = [b for b in page.main.button if (b.key or "").startswith("starter_")]
    assert 3 <= len(offered) <= 4
    offered[0].click().run()
    assert _chat(page).answered[-1].response.grounded
    assert not [b for b in page.main.button if (b.key or "").startswith("starter_")]


def test_the_sidebar_says_which_book_and_which_engines() -> None:
    page = _open()
    said = page.sidebar.markdown[-1].value.replace("\\", "")
    assert "Humanoid Robotics" in said
    assert all(engine in said for engine in ("bge-small", "Qdrant", "extractive"))


def test_the_page_stands_when_streamlit_runs_its_file_alone() -> None:
    page = AppTest.from_file(ROOT / "pages" / "chat.py", default_timeout=20).run()
    assert not page.exception
    assert page.sidebar.button(key="new_conversation")
    assert _ask(page, "What is ROS 2?").grounded
