"""Composing the messages: nothing overflows the window, and what is cut is accounted for."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.domain.agent import AgentConfig
from rag.domain.conversation import Message, RetrieveArguments, Role, ToolCall
from rag.domain.errors import ContextOverflow
from rag.domain.ledger import Part
from rag.domain.retrieval import Fate, Retrieval, RetrievalParameters
from rag.prompts import MIN_ANSWER_TOKENS, Prompt, allot, compose, system_message
from rag.tokens import MESSAGE_OVERHEAD, count_tokens
from tests.builders import make_chunk, make_message, make_retrieval, make_retrieved, make_system

SYSTEM = make_system()
# What costs one, two or many tokens a character, and what costs more joined than apart.
ALPHABETS = ["robot ", "🤖👩‍🚀", "人形机器人", "ÅßçЖ ", "a!?;)\r\n", "\x00\u200b ", "().\n"]


def grown(seed: str, size: int) -> str:
    """A text of a given length out of a few characters, never blank."""
    return ((seed * (size // len(seed) + 1))[:size] or "x").strip() or "x"


texts = st.builds(grown, st.sampled_from(ALPHABETS), st.integers(1, 6000))
questions = st.one_of(
    st.builds(grown, st.sampled_from(ALPHABETS), st.integers(1, 2000)),
    st.text(min_size=1, max_size=300).filter(lambda t: bool(t.strip())),
)
dialogues = st.lists(st.tuples(st.sampled_from(["user", "assistant"]), texts), max_size=12)


def found(chunk_texts: list[str], fates: list[Fate] | None = None) -> Retrieval:
    """A retrieval of these passages, best first."""
    fates = fates or [Fate.USED] * len(chunk_texts)
    chunks = tuple(
        make_retrieved(n, similarity=0.6, chunk=make_chunk(n, text=text), fate=fate)
        for n, (text, fate) in enumerate(zip(chunk_texts, fates, strict=True), start=1)
    )
    parameters = RetrievalParameters(top_k=20)
    return make_retrieval(chunks=chunks, parameters=parameters, total_candidates=len(chunks))


def config(window: int = 8192) -> AgentConfig:
    return AgentConfig(context_window=window, max_tokens=1024)


def talk(*contents: str) -> tuple[Message, ...]:
    roles = (Role.USER, Role.ASSISTANT)
    return (SYSTEM, *(make_message(roles[i % 2], text) for i, text in enumerate(contents)))


def cost(message: Message) -> int:
    return count_tokens(message.content) + MESSAGE_OVERHEAD


def check(prompt: Prompt, window: int, question: str) -> None:
    """What must hold of every prompt."""
    ledger = prompt.ledger
    sent = sum(cost(m) for m in prompt.messages)
    assert sent + ledger.max_answer_tokens <= window
    assert sent <= ledger.prompt_tokens
    assert sum(ledger.given.values()) == window
    assert ledger.max_answer_tokens >= MIN_ANSWER_TOKENS
    assert prompt.messages[-1].content.endswith(f"Question: {question}")
    assert prompt.messages[-1].role is Role.USER
    assert all(line.reason for line in ledger.cut)


@given(
    window=st.integers(2048, 200_000),
    chunk_texts=st.lists(texts, min_size=1, max_size=20),
    dialogue=dialogues,
    question=questions,
)
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
def test_nothing_overflows_any_window(
    window: int, chunk_texts: list[str], dialogue: list[tuple[str, str]], question: str
) -> None:
    history = tuple(make_message(role, text) for role, text in dialogue)
    retrieval = found(chunk_texts)
    needed = cost(SYSTEM) + count_tokens(f"\n\nQuestion: {question}") + MESSAGE_OVERHEAD
    if needed + MIN_ANSWER_TOKENS > window:
        with pytest.raises(ContextOverflow):
            compose(config(window), question, retrieval, (SYSTEM, *history))
        return
    prompt = compose(config(window), question, retrieval, (SYSTEM, *history))
    check(prompt, window, question)
    kept = prompt.messages[1:-1]
    fitting = [m for m in history if cost(m) <= prompt.ledger.given[Part.HISTORY]]
    assert kept[-1:] == tuple(fitting[-1:])
    where = [history.index(m) for m in kept]
    assert where == list(range(where[0], where[0] + len(where))) if where else True
    fates = [c.fate for c in prompt.retrieval.chunks]
    used = fates.count(Fate.USED)
    assert fates == [Fate.USED] * used + [Fate.OVER_BUDGET] * (len(fates) - used)
    assert len(prompt.ledger.lines) == 2 + bool(used) + len(chunk_texts) + len(history)


@given(window=st.integers(2048, 200_000), system=st.integers(5, 3000), asked=st.integers(5, 9000))
def test_the_allotment_sums_to_the_window_or_refuses(window: int, system: int, asked: int) -> None:
    fits = system + asked + MIN_ANSWER_TOKENS <= window
    if not fits:
        with pytest.raises(ContextOverflow):
            allot(config(window), system, asked)
        return
    given = allot(config(window), system, asked)
    assert sum(given.values()) == window
    assert min(given.values()) >= 0
    assert given[Part.SYSTEM] >= system
    assert given[Part.QUESTION] == asked
    assert given[Part.RESERVE] >= MIN_ANSWER_TOKENS


def test_the_default_window_is_shared_as_the_specification_says() -> None:
    assert allot(config(), 200, 92) == {
        Part.SYSTEM: 500,
        Part.CONTEXT: 4000,
        Part.HISTORY: 2500,
        Part.QUESTION: 92,
        Part.RESERVE: 1100,
    }


def test_a_long_question_borrows_idle_room_then_history_then_context() -> None:
    spare = allot(config(), 200, 1192 - MIN_ANSWER_TOKENS + 300)
    assert (spare[Part.SYSTEM], spare[Part.HISTORY], spare[Part.CONTEXT]) == (200, 2500, 4000)
    history = allot(config(), 200, 1192 - MIN_ANSWER_TOKENS + 400)
    assert (history[Part.HISTORY], history[Part.CONTEXT]) == (2400, 4000)
    context = allot(config(), 200, 1192 - MIN_ANSWER_TOKENS + 2900)
    assert (context[Part.HISTORY], context[Part.CONTEXT]) == (0, 3900)


def test_texts_that_cost_more_together_are_counted_together() -> None:
    passages = ["a statement();\r\n"] * 20
    together = found(passages)
    header_and_all = together.format_for_prompt()
    apart = count_tokens("Context from book:") + sum(
        count_tokens(f"\n\n[{n}] Source: ROS 2 Basics ({c.chunk.url})\n{c.chunk.text}")
        for n, c in enumerate(together.used, start=1)
    )
    assert count_tokens(header_and_all) > apart
    for window in range(2400, 2700):
        check(compose(config(window), "Why?", together, (SYSTEM,)), window, "Why?")


def test_a_passage_over_budget_says_so_and_the_others_keep_their_fates() -> None:
    fates = [Fate.USED, Fate.USED, Fate.BELOW_THRESHOLD, Fate.DUPLICATE, Fate.BEYOND_TOP_K]
    retrieval = found(["word " * 900, "word " * 3200, "c", "d", "e"], fates)
    prompt = compose(config(), "Why?", retrieval, (SYSTEM,))
    assert [c.fate for c in prompt.retrieval.chunks] == [
        Fate.USED,
        Fate.OVER_BUDGET,
        *fates[2:],
    ]
    (cut,) = prompt.ledger.cut
    assert cut.reason == "does not fit the 4000 tokens given to context"
    assert cut.label.startswith("[2] ")


def test_the_best_passage_finds_room_even_in_the_smallest_window() -> None:
    retrieval = found([("word " * 512).strip()] * 3)
    prompt = compose(config(2048), "Why?", retrieval, talk("old " * 100, "older " * 100))
    check(prompt, 2048, "Why?")
    assert [c.fate for c in prompt.retrieval.chunks][:2] == [Fate.USED, Fate.OVER_BUDGET]


def test_a_passage_no_window_part_can_hold_takes_nothing_from_the_others() -> None:
    prompt = compose(config(2048), "Why?", found(["word " * 3000]), talk("short", "answer"))
    check(prompt, 2048, "Why?")
    assert prompt.retrieval.used == ()
    assert prompt.messages[-1].content == "Question: Why?"
    assert len(prompt.messages) == 4


def test_without_passages_no_header_is_sent() -> None:
    prompt = compose(config(), "Why?", make_retrieval(Fate.BELOW_THRESHOLD), (SYSTEM,))
    assert prompt.messages[-1].content == "Question: Why?"
    assert prompt.ledger.used(Part.CONTEXT) == 0


def test_messages_are_rules_then_history_then_passages_and_question() -> None:
    conversation = talk("What is ROS 2?", "A framework [1].")
    prompt = compose(config(), "Why?", found(["Alpha.", "Beta."]), conversation)
    assert prompt.messages[:3] == conversation
    content = prompt.messages[-1].content
    assert content.index("[1] Source:") < content.index("Alpha.") < content.index("[2] Source:")
    assert content.endswith("Beta.\n\nQuestion: Why?")
    assert prompt.messages[-1].token_count == count_tokens(content)


def test_older_history_goes_first_and_the_reason_says_why() -> None:
    conversation = talk("first " * 1200, "second " * 1700, "third " * 600, "fourth " * 300)
    prompt = compose(config(), "Why?", found(["Alpha."]), conversation)
    assert prompt.messages[1:-1] == conversation[3:]
    reasons = [line.reason for line in prompt.ledger.cut]
    assert reasons == ["older than what fits the 2500 tokens given to history"] * 2


def test_a_message_larger_than_the_whole_share_does_not_cost_the_one_before_it() -> None:
    conversation = talk("What is ROS 2?", "long " * 3000)
    prompt = compose(config(), "Why?", found(["Alpha."]), conversation)
    assert prompt.messages[1:-1] == conversation[1:2]
    assert [line.reason for line in prompt.ledger.cut] == [
        "larger than the 2500 tokens given to history"
    ]


def test_tool_calls_and_results_cost_too() -> None:
    call = ToolCall(arguments=RetrieveArguments(query="balance " * 50))
    asked = Message(role=Role.ASSISTANT, tool_call=call)
    told = Message(role=Role.TOOL, content="", tool_result="result " * 400)
    prompt = compose(config(), "Why?", found(["Alpha."]), (SYSTEM, asked, told))
    lines = [line for line in prompt.ledger.lines if line.part is Part.HISTORY]
    assert lines[0].tokens > 50
    assert lines[1].tokens > 400


def test_the_system_message_names_the_book() -> None:
    message = system_message(config(), 'Robots {and} "Minds"')
    assert 'textbook "Robots {and} "Minds""' in message.content
    assert "{book}" not in message.content
    assert message.token_count == count_tokens(message.content)
