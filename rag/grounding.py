"""Checking an answer: every marker resolves to a passage, every quote stands in it."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.domain.answer import MAX_QUOTE_CHARS, Citation, Confidence, shorten
from rag.domain.book import Chunk
from rag.domain.retrieval import RetrievedChunk
from rag.markers import MARKER
from rag.text import Block, blocks, content_terms, sentences, terms


class Claim(NamedTuple):
    """A sentence or block of an answer and the numbers it cites."""

    text: str
    indices: tuple[int, ...]


# How an extractive answer introduces a table or listing; it claims nothing.
_OUR_LABEL = re.compile(r"From “[^”]*”:?")
# A marker behind a sentence's end belongs to that sentence.
_LATE_MARKERS = re.compile(r"([.!?…]+[\"”’)*_]*)((?:\s*\[\d{1,3}\])+)")
_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


def claims(answer: str) -> list[Claim]:
    """What an answer says, piece by piece; a list or code rests on the sentence before it."""
    found: list[Claim] = []
    introduced: tuple[int, ...] = ()
    for block in blocks(answer):
        if block.kind == "heading":
            continue
        pieces = _pieces(block)
        own = _numbers(block.text) if block.kind not in ("code", "math") else ()
        for piece in pieces:
            numbers = _numbers(piece) if own else ()
            bare = re.sub(rf"\s*{MARKER.pattern}", "", piece).strip() if own else piece
            inherited = () if block.kind == "text" else introduced or own
            if content_terms(bare) and not _OUR_LABEL.fullmatch(bare):
                found.append(Claim(bare, numbers or inherited))
            if block.kind == "text" or numbers:
                introduced = numbers
    return found


def _pieces(block: Block) -> list[str]:
    """A paragraph's sentences, a list's items; anything else is one piece."""
    if block.kind == "text":
        return list(sentences(_LATE_MARKERS.sub(r"\2\1", block.text)))
    if block.kind == "list":
        return re.split(r"\n(?=[ \t]*(?:[-*+]|\d+[.)])\s)", block.text)
    return [block.text]


def _numbers(piece: str) -> tuple[int, ...]:
    """The markers of a piece, each once; what stands in code is no marker."""
    return tuple(dict.fromkeys(int(n) for n in MARKER.findall(_CODE.sub("", piece))))


def support(claim: str, passage: str) -> float:
    """The share of a claim's content that a passage mentions; a number it lacks counts double."""
    wanted = content_terms(claim)
    if not wanted:
        return 0.0
    there = set(terms(passage))
    weight = {t: 2.0 if any(c.isdigit() for c in t) else 1.0 for t in wanted}
    return sum(weight[t] for t in wanted if t in there) / sum(weight.values())


def cite(question: str, cited: Sequence[RetrievedChunk], answer: str) -> tuple[Citation, ...]:
    """One citation for each cited passage, with the words of it that carry the answer."""
    said = claims(answer)
    found = []
    for index, candidate in enumerate(cited, start=1):
        behind = [claim.text for claim in said if index in claim.indices]
        # Of several claims, the one that speaks most of what was asked.
        about = max(behind, key=lambda text: support(question, text), default=answer)
        quote = best_quote(about, candidate.chunk.text)
        place = section_of(quote, candidate.chunk)
        found.append(Citation.to(index, place, candidate.similarity, quote))
    return tuple(found)


def section_of(quote: str, chunk: Chunk) -> Chunk:
    """The chunk with the place of the innermost section in it that a quote stands under."""
    headings = [block for block in blocks(chunk.text) if block.kind == "heading"]
    before = chunk.text[: max(chunk.text.find(quote), 0)]
    passed = sum(block.text in before for block in headings)
    if not passed or len(headings) > len(chunk.anchors):
        return chunk
    anchor = chunk.anchors[len(chunk.anchors) - len(headings) + passed - 1]
    title = headings[passed - 1].text.lstrip("# ").strip()
    return chunk.at_section(title, anchor)


def best_quote(claim: str, passage: str) -> str:
    """The words of a passage that share most with a claim, verbatim."""
    pieces = [piece for block in blocks(passage) for piece in _quotable(block)]
    wanted = set(content_terms(claim))

    def shared(piece: str) -> float:
        there = set(content_terms(piece))
        return len(wanted & there) / (len(there) + 5) if there else 0.0

    return max(pieces, key=shared, default=shorten(passage))


def _quotable(block: Block) -> list[str]:
    """What may be quoted of a block: its sentences, or as many of its lines as a quote holds."""
    if block.kind == "text":
        return [shorten(piece) for piece in sentences(block.text)]
    if block.kind == "heading":
        return []
    lines = block.text.split("\n")
    found = []
    for start in range(len(lines)):
        end = start + 1
        while end < len(lines) and len("\n".join(lines[start : end + 1])) <= MAX_QUOTE_CHARS:
            end += 1
        found.append(shorten("\n".join(lines[start:end])))
        if end == len(lines):
            break
    return [piece for piece in found if piece]


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
    passages = [cited[i - 1].chunk.search_text for i in claim.indices if 1 <= i <= len(cited)]
    return max((support(claim.text, passage) for passage in passages), default=0.0)
