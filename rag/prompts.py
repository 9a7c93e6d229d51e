"""Question, chunks and history become the messages a model reads, within the window."""

from typing import NamedTuple

from rag.domain.agent import AgentConfig
from rag.domain.conversation import Message, Role
from rag.domain.errors import ContextOverflow
from rag.domain.ledger import LedgerLine, Part, TokenLedger
from rag.domain.retrieval import Fate, Retrieval, passage
from rag.tokens import MESSAGE_OVERHEAD, count_tokens

# An answer needs at least this much room to say anything with its citations.
MIN_ANSWER_TOKENS = 256
_CONTEXT_HEADER = "Context from book:"


class Prompt(NamedTuple):
    """What is sent, what was left out of the retrieval, and the account of it."""

    messages: tuple[Message, ...]
    retrieval: Retrieval
    ledger: TokenLedger


def system_message(config: AgentConfig, book: str) -> Message:
    """The rules, with the book's title in them."""
    text = config.system_prompt.replace("{book}", book)
    return Message(role=Role.SYSTEM, content=text, token_count=count_tokens(text))


def compose(
    config: AgentConfig, question: str, retrieval: Retrieval, conversation: tuple[Message, ...]
) -> Prompt:
    """The messages for one question: rules, what was said before, passages, question."""
    system, dialogue = conversation[0], conversation[1:]
    asked = f"\n\nQuestion: {question}"
    system_cost = count_tokens(system.content) + MESSAGE_OVERHEAD
    question_cost = count_tokens(asked) + MESSAGE_OVERHEAD
    given = allot(config, system_cost, question_cost)
    retrieval, context_lines = _fit_context(retrieval, given[Part.CONTEXT])
    kept, history_lines = _fit_history(dialogue, given[Part.HISTORY])
    ledger = TokenLedger(
        window=config.context_window,
        given=given,
        lines=(
            LedgerLine(part=Part.SYSTEM, label="system prompt", tokens=system_cost),
            *context_lines,
            *history_lines,
            LedgerLine(part=Part.QUESTION, label="question", tokens=question_cost),
        ),
    )
    content = retrieval.format_for_prompt() + asked
    user = Message(role=Role.USER, content=content, token_count=count_tokens(content))
    return Prompt((system, *kept, user), retrieval, ledger)


def allot(config: AgentConfig, system: int, question: int) -> dict[Part, int]:
    """What each part of the window gets; a long question or prompt borrows from the others."""
    shares = config.shares.scaled(config.context_window)
    reserve = max(shares.exchange - question, MIN_ANSWER_TOKENS)
    system_given = max(shares.system, system)
    owed = (system_given - shares.system) + (question + reserve - shares.exchange)
    history = max(shares.history - owed, 0)
    owed -= shares.history - history
    context = shares.context - owed
    if context < 0:
        raise ContextOverflow(
            f"question ({question} tokens) and system prompt ({system}) do not fit "
            f"a window of {config.context_window}"
        )
    return {
        Part.SYSTEM: system_given,
        Part.CONTEXT: context,
        Part.HISTORY: history,
        Part.QUESTION: question,
        Part.RESERVE: reserve,
    }


def _fit_context(retrieval: Retrieval, budget: int) -> tuple[Retrieval, list[LedgerLine]]:
    """The passages that fit, best first, and a line for each that was selected."""
    selected = retrieval.used
    numbers = {c.chunk.chunk_id: n for n, c in enumerate(selected, start=1)}
    costs = {
        c.chunk.chunk_id: count_tokens("\n\n" + passage(numbers[c.chunk.chunk_id], c.chunk))
        for c in selected
    }
    header = count_tokens(_CONTEXT_HEADER)
    fitted = retrieval.trim_to_budget(max(budget - header, 0), lambda c: costs[c.chunk.chunk_id])
    fates = {c.chunk.chunk_id: c.fate for c in fitted.chunks}
    lines = [LedgerLine(part=Part.CONTEXT, label="header", tokens=min(header, budget))]
    for candidate in selected:
        name = candidate.chunk.chunk_id
        fits = fates[name] is not Fate.OVER_BUDGET
        lines.append(
            LedgerLine(
                part=Part.CONTEXT,
                label=f"[{numbers[name]}] {candidate.chunk.place}",
                tokens=costs[name],
                included=fits,
                reason="" if fits else f"does not fit the {budget} tokens given to context",
            )
        )
    return fitted, lines


def _fit_history(
    dialogue: tuple[Message, ...], budget: int
) -> tuple[tuple[Message, ...], list[LedgerLine]]:
    """The newest messages that fit, oldest first, and a line for every message."""
    left, kept, lines = budget, [], []
    full = False
    for message in reversed(dialogue):
        cost = count_tokens(message.content) + MESSAGE_OVERHEAD
        full = full or cost > left
        if not full:
            left -= cost
            kept.append(message)
        lines.append(
            LedgerLine(
                part=Part.HISTORY,
                label=f"{message.role.value}: {message.content[:60]}",
                tokens=cost,
                included=not full,
                reason=f"older than what fits the {budget} tokens given to history" if full else "",
            )
        )
    return tuple(reversed(kept)), lines[::-1]
