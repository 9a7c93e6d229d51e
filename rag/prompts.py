"""Question, chunks and history become the messages a model reads, within the window."""

from typing import NamedTuple

from rag.domain.agent import AgentConfig
from rag.domain.conversation import Message, Role
from rag.domain.errors import ContextOverflow
from rag.domain.ledger import LedgerLine, Part, TokenLedger
from rag.domain.retrieval import Retrieval, RetrievedChunk, passage
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
    system_cost = _cost(system)
    question_cost = count_tokens(asked) + MESSAGE_OVERHEAD
    given = allot(config, system_cost, question_cost)
    if best := retrieval.used[:1]:
        _make_room(given, _header_cost() + _passage_cost(1, best[0]), system_cost)
    fitted, content, context_lines = _fit_context(retrieval, asked, given[Part.CONTEXT])
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
    user = Message(role=Role.USER, content=content, token_count=count_tokens(content))
    return Prompt((system, *kept, user), fitted, ledger)


def allot(config: AgentConfig, system: int, question: int) -> dict[Part, int]:
    """What each part of the window gets; a long question or prompt borrows from the others."""
    shares = config.shares.scaled(config.context_window)
    given = {
        Part.SYSTEM: max(shares.system, system),
        Part.CONTEXT: shares.context,
        Part.HISTORY: shares.history,
        Part.QUESTION: question,
        Part.RESERVE: max(shares.exchange - question, MIN_ANSWER_TOKENS),
    }
    owed = sum(given.values()) - config.context_window
    # What stands idle goes first, the room to answer in goes last.
    reserve = MIN_ANSWER_TOKENS
    floors = {Part.SYSTEM: system, Part.HISTORY: 0, Part.CONTEXT: 0, Part.RESERVE: reserve}
    if _take(given, owed, floors) < owed:
        raise ContextOverflow(
            f"question ({question} tokens) and system prompt ({system}) do not fit "
            f"a window of {config.context_window}"
        )
    return given


def _take(given: dict[Part, int], wanted: int, floors: dict[Part, int]) -> int:
    """Take what is wanted from the parts in order, none below its floor; what was taken."""
    taken = 0
    for part, floor in floors.items():
        piece = min(given[part] - floor, wanted - taken)
        given[part] -= piece
        taken += piece
    return taken


def _make_room(given: dict[Part, int], needed: int, system: int) -> None:
    """Let the best passage borrow in a small window: without it there is nothing to answer from."""
    lacking = needed - given[Part.CONTEXT]
    floors = {Part.SYSTEM: system, Part.HISTORY: 0, Part.RESERVE: MIN_ANSWER_TOKENS}
    if 0 < lacking <= sum(given[part] - floor for part, floor in floors.items()):
        given[Part.CONTEXT] += _take(given, lacking, floors)


def _cost(message: Message) -> int:
    """What a message costs as it is sent, a tool's arguments and results with it."""
    call = message.tool_call.arguments.model_dump_json() if message.tool_call else ""
    sent = (message.content, message.tool_result or "", call)
    return sum(count_tokens(text) for text in sent if text) + MESSAGE_OVERHEAD


def _header_cost() -> int:
    return count_tokens(_CONTEXT_HEADER)


def _passage_cost(number: int, candidate: RetrievedChunk) -> int:
    return count_tokens("\n\n" + passage(number, candidate.chunk))


def _fit_context(
    retrieval: Retrieval, asked: str, budget: int
) -> tuple[Retrieval, str, list[LedgerLine]]:
    """The passages that fit, best first, the message they make, and a line for each."""
    selected = retrieval.used
    costs = {c.chunk.chunk_id: _passage_cost(n, c) for n, c in enumerate(selected, start=1)}
    room = budget - _header_cost()
    while True:
        fitted = retrieval.trim_to_budget(max(room, 0), lambda c: costs[c.chunk.chunk_id])
        if not fitted.used:
            return fitted, asked.lstrip(), _context_lines(selected, costs, 0, budget)
        content = fitted.format_for_prompt() + asked
        passages = sum(costs[c.chunk.chunk_id] for c in fitted.used)
        # Texts put together can cost more tokens than one by one, so the whole is counted too.
        together = count_tokens(content) - count_tokens(asked)
        if together <= budget:
            header = max(together - passages, 0)
            lines = _context_lines(selected, costs, len(fitted.used), budget, header)
            return fitted, content, lines
        room = passages - 1


def _context_lines(
    selected: tuple[RetrievedChunk, ...],
    costs: dict[str, int],
    kept: int,
    budget: int,
    header: int = 0,
) -> list[LedgerLine]:
    """The account of the context: its header, and each passage that was selected."""
    lines = [LedgerLine(part=Part.CONTEXT, label="header", tokens=header)] if kept else []
    for number, candidate in enumerate(selected, start=1):
        fits = number <= kept
        lines.append(
            LedgerLine(
                part=Part.CONTEXT,
                label=f"[{number}] {candidate.chunk.place}",
                tokens=costs[candidate.chunk.chunk_id],
                included=fits,
                reason="" if fits else f"does not fit the {budget} tokens given to context",
            )
        )
    return lines


def _fit_history(
    dialogue: tuple[Message, ...], budget: int
) -> tuple[tuple[Message, ...], list[LedgerLine]]:
    """The newest messages that fit, oldest first, and a line for every message.

    What is kept is unbroken; only messages too large for the whole share are stepped over before.
    """
    left = budget
    kept: list[Message] = []
    lines: list[LedgerLine] = []
    for message in reversed(dialogue):
        cost = _cost(message)
        reason = ""
        if cost > budget and not kept:
            reason = f"larger than the {budget} tokens given to history"
        elif cost > left:
            reason = f"older than what fits the {budget} tokens given to history"
            left = 0
        else:
            left -= cost
            kept.append(message)
        label = f"{message.role.value}: {' '.join(message.content.split())[:60]}"
        lines.append(
            LedgerLine(
                part=Part.HISTORY, label=label, tokens=cost, included=not reason, reason=reason
            )
        )
    return tuple(reversed(kept)), lines[::-1]
