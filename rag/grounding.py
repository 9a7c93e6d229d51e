"""Checking an answer: every marker resolves to a passage, every quote stands in it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.domain.answer import Citation, Confidence, shorten
from rag.domain.retrieval import RetrievedChunk
from rag.markers import MARKER
from rag.text import blocks, content_terms, sentences, terms


class Claim(NamedTuple):
    """A sentence or block of an answer and the numbers it cites."""

    text: str
    indices: tuple[int, ...]


def claims(answer: str) -> list[Claim]:
    """What an answer says, piece by piece; a list or code rests on the sentence before it."""
    found: list[Claim] = []
    for block in blocks(answer):
        # A marker stands before or behind the full stop; behind, it is moved before it.
        text = re.sub(r"([.!?])((?:\s*\[\d{1,3}\])+)", r"\2\1", block.text)
        for piece in sentences(text) if block.kind == "text" else [text]:
            indices = tuple(int(n) for n in MARKER.findall(piece))
            bare = MARKER.sub("", piece).strip()
            if not indices and block.kind != "text" and found:
                indices = found[-1].indices
            if content_terms(bare):
                found.append(Claim(bare, indices))
    return found


def support(claim: str, passage: str) -> float:
    """The share of a claim's content that a passage mentions; a number it lacks counts double."""
    wanted = content_terms(claim)
    if not wanted:
        return 0.0
    there = set(terms(passage))
    weight = {t: 2.0 if any(c.isdigit() for c in t) else 1.0 for t in wanted}
    return sum(weight[t] for t in wanted if t in there) / sum(weight.values())


def cite(cited: Sequence[RetrievedChunk], answer: str) -> tuple[Citation, ...]:
    """One citation for each cited passage, with the words of it that carry the claim."""
    said = claims(answer)
    found = []
    for index, candidate in enumerate(cited, start=1):
        about = next((claim.text for claim in said if index in claim.indices), answer)
        quote = best_quote(about, candidate.chunk.text)
        found.append(Citation.to(index, candidate.chunk, candidate.similarity, quote))
    return tuple(found)


def best_quote(claim: str, passage: str) -> str:
    """The sentence of a passage that shares most with a claim, verbatim."""
    pieces: list[str] = []
    for block in blocks(passage):
        pieces.extend(sentences(block.text) if block.kind == "text" else [block.text])
    wanted = set(content_terms(claim))

    def shared(piece: str) -> float:
        there = set(content_terms(piece))
        return len(wanted & there) / (len(there) + 5) if there else 0.0

    return shorten(max(pieces, key=shared, default=passage))


def confidence(
    question: str, answer: str, used: Sequence[RetrievedChunk], cited: Sequence[RetrievedChunk]
) -> Confidence:
    """The four factors, each measured on this answer."""
    context = "\n".join(c.chunk.search_text for c in used)
    said = claims(answer)
    supports = [_best_support(claim, cited) for claim in said]
    wanted = content_terms(question)
    there = set(terms(context))
    return Confidence(
        retrieval_quality=max((c.similarity for c in used), default=0.0),
        coverage=sum(t in there for t in wanted) / len(wanted) if wanted else 0.0,
        entailment=sum(supports) / len(supports) if supports else 0.0,
        lexical_overlap=support(MARKER.sub("", answer), context),
    )


def _best_support(claim: Claim, cited: Sequence[RetrievedChunk]) -> float:
    """How well the passages a claim cites carry it; one that cites none is carried by none."""
    passages = [cited[i - 1].chunk.search_text for i in claim.indices if i <= len(cited)]
    return max((support(claim.text, passage) for passage in passages), default=0.0)
