"""Conversations as a learner keeps them: found, opened, renamed, deleted and taken back."""

import re
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from rag.domain.answered import Rating
from rag.domain.errors import StorageError
from rag.memory import Memory
from tests.pages.sheets import sheets
from ui.session import WINDOW, Chat

ROOT = Path(__file__).parents[2]
ANNA, BERT = "anna-anna-anna-anna-anna", "bert-bert-bert-bert-bert"

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("with_book")]


def _open(learner: str = ANNA, conversation: str = "") -> AppTest:
    page = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=20)
    page.session_state["learner"] = learner
    if conversation:
        page.query_params["conversation"] = conversation
    page.run()
    assert not page.exception
    return page


def _ask(page: AppTest, question: str) -> str:
    """Ask; the conversation's id in the address."""
    page.chat_input[0].set_value(question).run()
    assert not page.exception
    return str(page.query_params["conversation"])


def _listed(page: AppTest) -> list[str]:
    lists = [html for html in sheets(page) if "Your conversations" in html]
    return re.findall(r"<a [^>]*>([^<]*)</a>", lists[0]) if lists else []


def _questions(page: AppTest) -> list[str]:
    return [m.text[0].value for m in page.main.chat_message if m.name == "user"]


def _chat(page: AppTest) -> Chat:
    found: Chat = page.session_state["chat"]
    return found


def test_a_conversation_comes_back_by_its_address() -> None:
    page = _open()
    conversation = _ask(page, "What is ROS 2?")
    _ask(page, "How do I install it?")
    again = _open(conversation=conversation)
    assert _questions(again) == ["What is ROS 2?", "How do I install it?"]
    assert _ask(again, "What is a node?") == conversation
    assert _chat(again).answered[-1].number == 3


def test_nobody_sees_somebody_elses_conversation() -> None:
    conversation = _ask(_open(), "What is ROS 2?")
    other = _open(BERT, conversation)
    assert _questions(other) == []
    assert "somebody else" in other.error[0].value
    assert "conversation" not in other.query_params
    assert _listed(other) == []
    assert _listed(_open()) == ["What is ROS 2?"]


def test_an_address_that_names_no_conversation_opens_an_empty_chat() -> None:
    page = _open(conversation="no-such-thing")
    assert "isn't here" in page.error[0].value.replace("\\", "")
    _ask(page, "What is ROS 2?")
    assert not page.error


def test_the_newest_conversation_comes_first_and_search_finds_by_any_question() -> None:
    page = _open()
    _ask(page, "What is ROS 2?")
    _ask(page, "How do I write a launch file?")
    page.sidebar.button(key="new_conversation").click().run()
    _ask(page, "What is URDF?")
    assert _listed(page) == ["What is URDF?", "What is ROS 2?"]
    page.sidebar.text_input(key="search_conversations").set_value("LAUNCH").run()
    assert _listed(page) == ["What is ROS 2?"]
    page.sidebar.text_input(key="search_conversations").set_value("100%").run()
    assert _listed(page) == []
    assert any("No conversation has these words" in m.value for m in page.sidebar.markdown)


def _manage(page: AppTest, conversation: str, button: str, title: str = "") -> None:
    """Press a button of a conversation's dialog, which its ⋯ button opens."""
    page.session_state["managed_conversation"] = conversation
    page.run()
    # AppTest runs the whole page where a browser runs only the dialog: it must be opened again.
    page.session_state["managed_conversation"] = conversation
    if title:
        page.text_input(key="new_title").set_value(title)
    page.button(key=button).click().run()
    assert not page.exception


def test_a_conversation_is_renamed() -> None:
    page = _open()
    conversation = _ask(page, "What is ROS 2?")
    _manage(page, conversation, "rename", "Week 1 <b>")
    assert _listed(page) == ["Week 1 &lt;b&gt;"]


def test_a_title_of_nothing_is_refused_in_words() -> None:
    page = _open()
    conversation = _ask(page, "What is ROS 2?")
    _manage(page, conversation, "rename", "   ")
    assert page.error
    assert _listed(_open()) == ["What is ROS 2?"]


def test_a_deleted_conversation_is_taken_back() -> None:
    page = _open()
    conversation = _ask(page, "What is ROS 2?")
    _manage(page, conversation, "delete")
    assert _questions(page) == []
    assert _listed(page) == []
    page.button(key="undo_delete").click().run()
    assert _listed(page) == ["What is ROS 2?"]
    assert _questions(page) == ["What is ROS 2?"]
    assert not [b for b in page.button if b.key == "undo_delete"]


def test_feedback_is_saved_and_comes_back() -> None:
    page = _open()
    conversation = _ask(page, "What is ROS 2?")
    turn = _chat(page).answered[0].turn_id
    page.feedback(key=f"rating_{turn}").set_value(1).run()
    page.text_input(key=f"comment_{turn}").set_value(" clear ").run()
    assert not page.exception
    again = _open(conversation=conversation)
    assert again.feedback(key=f"rating_{turn}").value == 1
    assert again.text_input(key=f"comment_{turn}").value == "clear"
    again.feedback(key=f"rating_{turn}").set_value(0).run()
    assert _chat(again).answered[0].rating is Rating.DOWN
    assert _chat(_open(conversation=conversation)).answered[0].rating is Rating.DOWN


def test_asking_again_adds_a_turn() -> None:
    page = _open()
    _ask(page, "What is ROS 2?")
    turn = _chat(page).answered[0].turn_id
    page.button(key=f"again_{turn}").click().run()
    assert _questions(page) == ["What is ROS 2?", "What is ROS 2?"]


def test_a_long_conversation_opens_with_its_end() -> None:
    page = _open()
    for number in range(WINDOW + 3):
        conversation = _ask(page, f"What is ROS {number}?")
    assert len(_questions(page)) == WINDOW
    again = _open(conversation=conversation)
    assert _questions(again)[0] == "What is ROS 3?"
    again.button(key="earlier").click().run()
    assert _questions(again)[0] == "What is ROS 0?"
    assert not [b for b in again.button if b.key == "earlier"]
    assert len(_questions(again)) == WINDOW + 3


def test_a_database_that_fails_leaves_the_chat_usable(monkeypatch: pytest.MonkeyPatch) -> None:
    page = _open()
    _ask(page, "What is ROS 2?")

    def broken(*_: object) -> None:
        raise StorageError("The disk is gone.")

    monkeypatch.setattr(Memory, "conversations", broken)
    page.run()
    assert "The disk is gone" in page.sidebar.warning[0].value
    assert _questions(page) == ["What is ROS 2?"]
    monkeypatch.setattr(Memory, "rate", broken)
    turn = _chat(page).answered[0].turn_id
    page.feedback(key=f"rating_{turn}").set_value(1).run()
    assert any("could not be saved" in w.value for w in page.main.warning)
