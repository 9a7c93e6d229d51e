"""What Lectern says in its own words: greetings, looks back, refusals."""

import re
from collections.abc import Sequence

from rag.domain.answer import REFUSAL_PHRASE, Citation, Confidence, shorten
from rag.domain.retrieval import Retrieval
from rag.text import content_words

_NEAREST = 3
_NAMED = 3
_LONGEST_LINE = 160
_LONGEST_SOUGHT = 80
_ORDINALS = {"second": 1, "third": 2, "fourth": 3, "fifth": 4}


def greeting(text: str, title: str, topics: Sequence[str]) -> str:
    """A short friendly reply that says what the book covers."""
    if re.search(r"\b(?:thank|thanks|thx|ty|cheers)\b", text, re.IGNORECASE):
        return f"You're welcome! Ask me anything else about *{title}*."
    if re.search(r"\b(?:bye|goodbye|see you)\b", text, re.IGNORECASE):
        return f"Goodbye! *{title}* and I will be here."
    if re.search(r"\b(?:book|textbook|course|list|show|contents|topics)\b", text, re.IGNORECASE):
        return f"*{title}* covers {_listed(topics)}." if topics else f"This is *{title}*."
    covers = f" It covers {_listed(topics)}." if topics else ""
    return (
        f"Hello! I answer questions about *{title}* from the book itself and show where each "
        f"answer stands.{covers} What would you like to know?"
    )


def _listed(names: Sequence[str], joint: str = "and") -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + f" {joint} " + names[-1]


def look_back(text: str, asked: Sequence[str]) -> str:
    """What was asked before, from the conversation itself."""
    if not asked:
        return "We haven't discussed anything yet: this is the beginning of our conversation."
    shown = [_in_one_line(question) for question in asked]
    for ordinal, at in _ORDINALS.items():
        if at < len(shown) and re.search(rf"\b{ordinal}\b", text, re.IGNORECASE):
            return f"Your {ordinal} question was: “{shown[at]}”"
    if re.search(r"\bfirst\b|\bstart|\bbeg[iau]n", text, re.IGNORECASE):
        return f"You first asked: “{shown[0]}”"
    if re.search(r"\b(?:last|latest|previous|just)\b", text, re.IGNORECASE):
        return f"Just before this you asked: “{shown[-1]}”"
    lines = "\n".join(f"{n}. {question}" for n, question in enumerate(shown, start=1))
    return f"So far you asked:\n\n{lines}"


def _in_one_line(question: str) -> str:
    """A question as a line of a list: a page-long one is only hinted at."""
    flat = " ".join(question.split())
    short = shorten(flat, _LONGEST_LINE)
    return flat if short == flat else f"{short} …"


def refusal(title: str, retrieval: Retrieval, nearest: Sequence[Citation]) -> str:
    """That the book doesn't tell, what was looked for in it, and where it comes nearest."""
    sought = _sought(retrieval.query)
    if retrieval.question.passage:
        sentence = f"{REFUSAL_PHRASE} about that in this passage of *{title}*."
        sentence += f" I looked for “{sought}” in it." if sought else ""
        return f"{sentence}{_lacking(retrieval)} You can ask the whole book instead."
    sentence = f"{REFUSAL_PHRASE} about that in *{title}*."
    if sought:
        sentence += f" I looked for “{sought}” and found no passage that answers it."
    sentence += _lacking(retrieval)
    if not nearest:
        return sentence
    sections = "\n".join(f"- {citation.label}" for citation in nearest)
    return f"{sentence} The nearest sections are:\n\n{sections}"


def _sought(query: str) -> str:
    """The telling words of a query as they were searched: nothing in them can be markup."""
    telling = " ".join(content_words(query))
    short = shorten(telling, _LONGEST_SOUGHT)
    return telling if short == telling else f"{short} …"


def _lacking(retrieval: Retrieval) -> str:
    """Which words the book never mentions, as a sentence."""
    lacking = [f"“{word}”" for word in retrieval.unknown_words[:_NAMED]]
    return f" The book never mentions {_listed(lacking, 'or')}." if lacking else ""


def nearest_sections(retrieval: Retrieval) -> tuple[Citation, ...]:
    """The sections of the best candidates, each once, for a refusal to point at."""
    sections: dict[str, Citation] = {}
    for candidate in retrieval.chunks:
        quote = shorten(candidate.chunk.text)
        place = Citation.to(len(sections) + 1, candidate.chunk, candidate.similarity, quote)
        sections.setdefault(place.label, place)
        if len(sections) == _NEAREST:
            break
    return tuple(sections.values())


def refusal_confidence(retrieval: Retrieval) -> Confidence:
    """How near the book came; nothing was answered, so nothing else counts."""
    return Confidence(retrieval_quality=retrieval.top_similarity)
