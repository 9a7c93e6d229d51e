"""One learner's chat: what is kept, and when it is cleared."""

from rag.domain.answered import Answered
from rag.domain.conversation import Role
from rag.domain.errors import ErrorResponse, ErrorType
from rag.domain.events import Finished
from tests.builders import make_chunk, make_message, make_state, make_turn
from ui.session import WINDOW, Asked, Chat


def _answered() -> Chat:
    chat = Chat(make_state())
    turn = make_turn()
    chat.begin(Asked(turn.question.text))
    chat.state.enter(chat.state.status.RECEIVED)
    chat.state.remember(turn, make_message(), make_message(Role.ASSISTANT))
    chat.finish(Finished(turn=turn, notice="not saved"))
    return chat


def test_a_question_is_kept_before_it_is_asked() -> None:
    chat = Chat(make_state())
    assert chat.is_empty
    chat.begin(Asked("What is ROS 2?"))
    assert not chat.is_empty
    assert chat.pending is not None
    assert chat.pending.asked.text == "What is ROS 2?"


def test_a_finished_answer_takes_the_questions_place() -> None:
    chat = _answered()
    assert chat.pending is None
    assert [a.question.text for a in chat.answered] == ["What is ROS 2?"]
    assert chat.notices == {chat.answered[0].turn_id: "not saved"}


def test_a_queued_question_is_asked_once() -> None:
    chat = Chat(make_state())
    chat.queue("again")
    assert chat.take(None) == Asked("again")
    assert chat.take(None) is None


def test_what_is_typed_comes_before_what_was_queued() -> None:
    chat = Chat(make_state())
    chat.queue("again")
    assert chat.take("typed") == Asked("typed")
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
    chat.begin(Asked("stopped"))
    chat.reset()
    assert chat.is_empty


def test_a_question_that_must_be_changed_goes_back_with_the_reason() -> None:
    chat = Chat(make_state())
    chat.begin(Asked("x" * 2001, make_chunk()))
    chat.give_back("Too long.")
    assert (chat.draft, chat.complaint, chat.pending) == ("x" * 2001, "Too long.", None)
    assert chat.passage == make_chunk()
    chat.begin(Asked("shorter"))
    assert chat.complaint == ""


def test_what_was_written_before_a_stop_stays() -> None:
    chat = Chat(make_state())
    chat.begin(Asked("stopped")).partial = "Half an"
    chat.begin(Asked("next"))
    assert [e.partial for e in chat.entries if not isinstance(e, Answered)] == ["Half an"]


def test_a_question_that_was_stopped_before_a_word_came_leaves_nothing() -> None:
    chat = Chat(make_state())
    chat.begin(Asked("stopped"))
    chat.begin(Asked("next"))
    assert chat.entries == []


def test_only_the_newest_turns_stay_on_the_page() -> None:
    chat = Chat(make_state())
    for number in range(1, WINDOW + 3):
        chat.begin(Asked("again"))
        chat.finish(Finished(turn=make_turn(number)))
    assert [a.number for a in chat.answered] == list(range(3, WINDOW + 3))
    assert chat.earlier


def test_a_passage_is_asked_about_once() -> None:
    chat = Chat(make_state())
    chat.passage = make_chunk()
    assert chat.take("what is this?") == Asked("what is this?", make_chunk())
    assert chat.take("and this?") == Asked("and this?")


def test_a_suggestion_leaves_the_passage_for_what_is_typed() -> None:
    chat = Chat(make_state())
    chat.passage = make_chunk()
    chat.queue("something else")
    assert chat.take(None) == Asked("something else")
    assert chat.passage == make_chunk()


def test_a_service_that_asks_for_patience_gets_it() -> None:
    pending = Chat(make_state()).begin(Asked("why?"))
    assert pending.wait_seconds == 0
    pending.fail("Busy.", ErrorResponse.of(ErrorType.RATE_LIMIT, "429", 30))
    assert 29 < pending.wait_seconds <= 30
    pending.failed_at -= 31
    assert pending.wait_seconds == 0
