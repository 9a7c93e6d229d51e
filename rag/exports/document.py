"""A conversation as a Markdown document: questions, answers with links, and their sources."""

from collections.abc import Callable, Sequence

from rag.domain.answer import AgentResponse, AnswerSource, Citation, ResponseStatus
from rag.domain.answered import Answered, Rating
from rag.exports.harmless import literal, quoted, safe_answer

Address = Callable[[Citation], str]
_RATED = {Rating.UP: "helpful", Rating.DOWN: "not helpful"}


def to_markdown(title: str, answers: Sequence[Answered], address: Address, book: str = "") -> str:
    """A conversation as a document in which every marker is a link to where `address` says.

    Nothing else in it is alive: all that a person, a book or a model wrote is only text.
    """
    parts = [f"# {literal(title) or 'Conversation'}", _about(book, answers)]
    for answered in answers:
        parts += _turn(answered, address)
    return "\n\n".join(part for part in parts if part) + "\n"


def _about(book: str, answers: Sequence[Answered]) -> str:
    """The book, and the days between which it was asked."""
    days = sorted({answered.question.timestamp.date().isoformat() for answered in answers})
    when = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""
    name = literal(book)
    return ", ".join(part for part in (name and f"*{name}*", when) if part)


def _turn(answered: Answered, address: Address) -> list[str]:
    asked = [f"## {literal(answered.question.text)}", quoted(answered.question.passage)]
    return [*asked, *_reply(answered.response, address), _opinion(answered)]


def _reply(response: AgentResponse, address: Address) -> list[str]:
    """What was answered, or why there is no answer."""
    links = {c.index: c.as_link(address(c)) for c in response.citations}
    if response.status is ResponseStatus.ERROR:
        reason = literal(response.error.user_message) if response.error else ""
        return [safe_answer(response.answer, links), f"There was no answer: {reason}"]
    if response.status is ResponseStatus.INSUFFICIENT_CONTEXT:
        return _refusal(response, address)
    parts = [safe_answer(response.answer, links)]
    if response.citations:
        sources = [_source(citation, address) for citation in response.citations]
        parts += ["Sources:", "\n".join(sources)]
    if response.source is AnswerSource.BOOK:
        confidence = response.confidence
        parts.append(f"Confidence: {confidence.level} ({confidence.overall:.2f})")
    return parts


def _refusal(response: AgentResponse, address: Address) -> list[str]:
    """That the book is silent, and its nearest sections as links, once."""
    if not response.nearest:
        return [safe_answer(response.answer, {})]
    named = "\n".join(f"- {citation.label}" for citation in response.nearest)
    links = "\n".join(f"- {c.as_link(address(c))}" for c in response.nearest)
    said = response.answer.removesuffix(named)
    introduced = [] if said != response.answer else ["The nearest sections are:"]
    return [safe_answer(said.strip(), {}), *introduced, links]


def _source(citation: Citation, address: Address) -> str:
    quote = f": “{literal(citation.quote)}”" if citation.quote else ""
    link = citation.as_link(address(citation))
    return f"{citation.index}. {link}{quote} (similarity {citation.score:.2f})"


def _opinion(answered: Answered) -> str:
    if answered.rating is None:
        return ""
    comment = literal(answered.comment)
    return f"Rated {_RATED[answered.rating]}" + (f": “{comment}”" if comment else "")
