"""One learner's chat: what is kept, and when it is cleared."""

from rag.domain.conversation import Role
from rag.domain.events import Finished
from tests.builders import make_message, make_state, make_turn
from ui.session import Chat


def _answered() -> Chat:
    chat = Chat(make_state())
    turn = make_turn()
    chat.begin(turn.question.text)
    chat.state.enter(chat.state.status.RECEIVED)
    chat.state.remember(turn, make_message(), make_message(Role.ASSISTANT))
    chat.finish(Finished(turn=turn, notice="not saved"))
    return chat


def test_a_question_is_kept_before_it_is_asked() -> None:
    chat = Chat(make_state())
    assert chat.is_empty
    chat.begin("What is ROS 2?")
    assert not chat.is_empty
    assert chat.pending is not None
    assert chat.pending.question == "What is ROS 2?"


def test_a_finished_answer_takes_the_questions_place() -> None:
    chat = _answered()
    assert chat.pending is None
    assert [(s.question, s.notice) for s in chat.shown] == [("What is ROS 2?", "not saved")]


def test_a_queued_question_is_asked_once() -> None:
    chat = Chat(make_state())
    chat.queue("again")
    assert chat.take(None) == "again"
    assert chat.take(None) is None


def test_what_is_typed_comes_before_what_was_queued() -> None:
    chat = Chat(make_state())
    chat.queue("again")
    assert chat.take("typed") == "typed"
    assert chat.take(None) is None


def test_typing_clear_starts_afresh() -> None:
    chat = _answered()
    before = chat.state.conversation.id
    assert chat.take(" Clear ") is None
    assert chat.is_empty
    assert chat.state.conversation.id != before
    assert [m.role for m in chat.state.conversation.messages] == [Role.SYSTEM]


def test_a_chat_in_which_nothing_was_asked_can_be_reset() -> None:
    chat = Chat(make_state())
    chat.begin("stopped")
    chat.reset()
    assert chat.is_empty


def test_a_question_that_must_be_changed_goes_back_with_the_reason() -> None:
    chat = Chat(make_state())
    chat.begin("x" * 2001)
    chat.give_back("x" * 2001, "Too long.")
    assert (chat.draft, chat.complaint, chat.pending) == ("x" * 2001, "Too long.", None)
    chat.begin("shorter")
    assert chat.complaint == ""
