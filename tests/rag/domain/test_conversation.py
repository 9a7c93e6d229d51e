"""Rules of messages, tool calls and the conversation they make."""

import json
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from rag.domain.conversation import Conversation, Message, RetrieveArguments, Role, ToolCall
from tests.builders import NOON, make_citation, make_message, make_system


def call(**arguments: object) -> ToolCall:
    return ToolCall.model_validate({"arguments": {"query": "ROS 2 basics", **arguments}})


def opened(count: int = 0, max_history: int = 20, tokens: int = 10) -> Conversation:
    """A conversation with so many messages, numbered from 1."""
    conversation = Conversation.opened(make_system(token_count=5), max_history)
    for n in range(1, count + 1):
        role = Role.USER if n % 2 else Role.ASSISTANT
        conversation = conversation.add_message(make_message(role, f"{n}", token_count=tokens))
    return conversation


# --- tool calls ---


def test_only_retrieve_context_can_be_called() -> None:
    assert call().name == "retrieve_context"
    with pytest.raises(ValidationError):
        ToolCall.model_validate({"name": "delete_everything", "arguments": {"query": "x"}})


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "  "}, {"top_k": 3}])
def test_tool_call_needs_a_query(arguments: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        ToolCall.model_validate({"arguments": arguments})


@pytest.mark.parametrize("top_k", [0, 11, -1, 2.5, "many"])
def test_tool_call_top_k_is_1_to_10(top_k: object) -> None:
    assert call(top_k=1).arguments.top_k == 1
    assert call(top_k=10).arguments.top_k == 10
    with pytest.raises(ValidationError):
        call(top_k=top_k)


@pytest.mark.parametrize("threshold", [-0.1, 1.1, float("nan")])
def test_tool_call_threshold_is_0_to_1(threshold: float) -> None:
    assert call(threshold=0.7).arguments.threshold == 0.7
    with pytest.raises(ValidationError):
        call(threshold=threshold)


def test_tool_call_top_k_and_threshold_are_optional() -> None:
    assert call().arguments == RetrieveArguments(query="ROS 2 basics")


def test_tool_call_refuses_other_arguments() -> None:
    with pytest.raises(ValidationError):
        call(collection="other")


# --- messages ---


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_role_is_system_user_assistant_or_tool(role: str) -> None:
    assert make_message(role).role == role


def test_any_other_role_is_refused() -> None:
    with pytest.raises(ValidationError):
        make_message("robot")


def test_function_role_is_read_as_tool() -> None:
    message = Message.model_validate_json('{"role": "function", "function_response": "3 chunks"}')
    assert (message.role, message.tool_result) == (Role.TOOL, "3 chunks")


def test_old_function_calls_are_read_as_tool_calls() -> None:
    seed = """{
        "role": "assistant",
        "function_call": {
            "name": "retrieve_context",
            "arguments": {"query": "ROS 2 basics", "top_k": 5, "threshold": 0.70}
        },
        "timestamp": "2025-12-23T18:30:16Z"
    }"""
    message = Message.model_validate_json(seed)
    assert message.tool_call is not None
    assert message.tool_call.arguments == RetrieveArguments(
        query="ROS 2 basics", top_k=5, threshold=0.7
    )


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("content", ["", " \n"])
def test_a_message_needs_content(role: Role, content: str) -> None:
    with pytest.raises(ValidationError, match="needs content"):
        make_message(role, content)


def test_a_tool_call_needs_no_content() -> None:
    assert make_message(Role.ASSISTANT, "", tool_call=call()).content == ""


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.USER, Role.TOOL])
def test_only_an_assistant_calls_a_tool(role: Role) -> None:
    with pytest.raises(ValidationError, match="only an assistant calls"):
        make_message(role, tool_call=call())


@pytest.mark.parametrize("role", [Role.SYSTEM, Role.USER, Role.ASSISTANT])
def test_only_a_tool_message_carries_a_tool_result(role: Role) -> None:
    with pytest.raises(ValidationError, match="only a tool message"):
        make_message(role, tool_result="3 chunks")


def test_token_count_is_not_negative() -> None:
    with pytest.raises(ValidationError):
        make_message(token_count=-1)


def test_to_api_format_is_role_and_content() -> None:
    message = make_message(citations=(make_citation(),), metadata={"a": 1}, token_count=9)
    assert message.to_api_format() == {"role": "user", "content": "What is ROS 2?"}


def test_a_tool_call_and_its_result_go_to_the_api_as_it_takes_them_today() -> None:
    asked = call(top_k=3)
    shown = make_message(Role.ASSISTANT, "", tool_call=asked).to_api_format()
    (sent,) = shown["tool_calls"]
    assert (sent["id"], sent["type"]) == (asked.id, "function")
    assert sent["function"]["name"] == "retrieve_context"
    assert json.loads(sent["function"]["arguments"]) == {"query": "ROS 2 basics", "top_k": 3}
    result = make_message(
        Role.TOOL, "", tool_result="3 chunks", metadata={"tool_call_id": asked.id}
    )
    assert result.to_api_format() == {
        "role": "tool",
        "tool_call_id": asked.id,
        "content": "3 chunks",
    }


def test_a_message_survives_json() -> None:
    message = make_message(
        Role.ASSISTANT, "Yes [1].", citations=(make_citation(),), tool_call=call(top_k=3)
    )
    assert Message.model_validate_json(message.model_dump_json()) == message


# --- the conversation ---


def test_first_message_is_the_system_message() -> None:
    with pytest.raises(ValidationError, match="first message must be the system message"):
        Conversation(messages=(make_message(),))
    with pytest.raises(ValidationError, match="first message must be the system message"):
        Conversation().add_message(make_message())


def test_there_is_only_one_system_message() -> None:
    with pytest.raises(ValidationError, match="only the first message"):
        Conversation(messages=(make_system(), make_system()))


def test_messages_are_ordered_oldest_first() -> None:
    late = make_message(timestamp=NOON)
    early = make_message(timestamp=NOON - timedelta(seconds=1))
    assert Conversation(messages=(make_system(), early, late)).dialogue == (early, late)
    with pytest.raises(ValidationError, match="oldest first"):
        Conversation(messages=(make_system(), late, early))


def test_a_clock_set_back_does_not_lose_a_message() -> None:
    conversation = opened().add_message(make_message(content="before", timestamp=NOON))
    after = make_message(content="after", timestamp=NOON - timedelta(hours=1))
    assert [m.content for m in conversation.add_message(after).dialogue] == ["before", "after"]


@pytest.mark.parametrize("max_history", [0, -1, 101])
def test_max_history_is_1_to_100(max_history: int) -> None:
    with pytest.raises(ValidationError):
        Conversation(max_history=max_history)
    assert Conversation(max_history=1).max_history == 1
    assert Conversation(max_history=100).max_history == 100


def test_max_history_is_20_by_default() -> None:
    assert Conversation().max_history == 20
    assert len(opened(30).dialogue) == 20


def test_a_conversation_longer_than_max_history_is_refused() -> None:
    messages = (make_system(), *(make_message() for _ in range(3)))
    with pytest.raises(ValidationError, match="at most max_history"):
        Conversation(messages=messages, max_history=2)


def test_the_oldest_messages_leave_the_window_and_the_system_message_stays() -> None:
    conversation = opened(7, max_history=3)
    assert conversation.messages[0].role is Role.SYSTEM
    assert [m.content for m in conversation.dialogue] == ["5", "6", "7"]


def test_adding_leaves_the_original_conversation_alone() -> None:
    before = opened(1)
    assert len(before.add_message(make_message()).dialogue) == 2
    assert len(before.dialogue) == 1


def test_total_tokens_is_the_sum_of_the_messages() -> None:
    assert Conversation().total_tokens == 0
    assert opened(3, tokens=10).total_tokens == 35


def test_messages_for_api_are_in_order_with_the_system_message_first() -> None:
    assert [m["role"] for m in opened(3).messages_for_api()] == [
        "system",
        "user",
        "assistant",
        "user",
    ]


def test_trimming_removes_the_oldest_messages_first() -> None:
    trimmed = opened(4, tokens=10).trim_to_budget(25)
    assert [m.content for m in trimmed.dialogue] == ["3", "4"]
    assert trimmed.total_tokens == 25


def test_trimming_never_loses_the_newest_message() -> None:
    assert [m.content for m in opened(4, tokens=10).trim_to_budget(0).dialogue] == ["4"]


def test_trimming_what_fits_changes_nothing() -> None:
    conversation = opened(4, tokens=10)
    assert conversation.trim_to_budget(45) == conversation


def test_clear_keeps_only_the_system_message() -> None:
    conversation = opened(5)
    cleared = conversation.clear()
    assert cleared.messages == conversation.messages[:1]
    assert cleared.id == conversation.id
    assert Conversation().clear().messages == ()


# --- properties ---


@st.composite
def conversations(draw: st.DrawFn) -> Conversation:
    """Any conversation that add_message can make."""
    conversation = Conversation.opened(
        make_system(token_count=draw(st.integers(0, 600))), draw(st.integers(1, 100))
    )
    counts = draw(st.lists(st.integers(0, 3000), max_size=30))
    roles = st.sampled_from([Role.USER, Role.ASSISTANT, Role.TOOL])
    for n, tokens in enumerate(counts):
        conversation = conversation.add_message(
            make_message(draw(roles), f"{n}", token_count=tokens)
        )
    return conversation


@given(conversation=conversations(), content=st.text(min_size=1).filter(str.strip))
def test_the_window_holds_whatever_is_added(conversation: Conversation, content: str) -> None:
    message = make_message(content=content)
    longer = conversation.add_message(message)
    assert len(longer.dialogue) <= longer.max_history
    assert longer.messages[0] == conversation.messages[0]
    assert longer.messages[-1].id == message.id
    kept = longer.dialogue[:-1]
    assert kept == conversation.dialogue[len(conversation.dialogue) - len(kept) :]


@given(conversation=conversations(), budget=st.integers(0, 20_000))
def test_trimming_keeps_the_newest_that_fit(conversation: Conversation, budget: int) -> None:
    trimmed = conversation.trim_to_budget(budget)
    dialogue, kept = conversation.dialogue, trimmed.dialogue
    assert kept == dialogue[len(dialogue) - len(kept) :]
    assert trimmed.messages[0] == conversation.messages[0]
    assert trimmed.total_tokens <= budget or len(kept) <= 1
    assert bool(kept) == bool(dialogue), "the newest message is never lost"
    if len(kept) < len(dialogue):
        next_oldest = dialogue[len(dialogue) - len(kept) - 1]
        assert trimmed.total_tokens + next_oldest.token_count > budget


@given(conversation=conversations())
def test_a_conversation_survives_json(conversation: Conversation) -> None:
    assert Conversation.model_validate_json(conversation.model_dump_json()) == conversation
