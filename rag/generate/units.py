"""A passage taken apart into what an extractive answer may quote."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rag.domain.retrieval import RetrievedChunk
from rag.text import Block, blocks, sentences

# A sentence that opens like this means something said just before it.
_LEANS_BACK = re.compile(
    r"(?:\*\*)?(?:it|its|this|that|these|those|they|their|such|both|then|however|but|so|also|"
    r"instead|therefore|thus|hence|otherwise|for example|for instance|here|neither|either|"
    r"each of|the same|the former|the latter|in that case|as a result|by contrast|in contrast)\b",
    re.IGNORECASE,
)
# A bold line of its own, such as the name of the file that a listing shows.
_LABEL = re.compile(r"\*\*[^*]+\*\*")


class Unit(NamedTuple):
    """A sentence or a whole block, with its place among the passages."""

    passage: int
    block: int
    sentence: int
    kind: str
    text: str
    heading: str

    @property
    def leans_back(self) -> bool:
        """Whether it needs the sentence before it to be understood."""
        return self.kind == "text" and bool(_LEANS_BACK.match(self.text))

    @property
    def introduces(self) -> bool:
        """Whether what follows belongs to it: it ends with a colon, or does not end at all."""
        return self.kind == "text" and self.text.rstrip("*_ ")[-1:] not in (".", "!", "?", ")")


def units(passages: Sequence[RetrievedChunk]) -> list[Unit]:
    """Every sentence and block of the passages, in reading order within each."""
    found: list[Unit] = []
    for number, candidate in enumerate(passages, start=1):
        heading = candidate.chunk.heading
        for place, block in enumerate(blocks(candidate.chunk.text)):
            if block.kind == "heading":
                heading = block.text.lstrip("# ").strip()
            if block.kind == "heading" or _LABEL.fullmatch(block.text.strip()):
                continue
            for i, piece in enumerate(_pieces(block)):
                found.append(Unit(number, place, i, block.kind, piece, heading))
    return found


def _pieces(block: Block) -> list[str]:
    if block.kind != "text":
        return [block.text]
    return [" ".join(piece.split()) for piece in sentences(block.text)]
