"""What a generator must offer, and a fake that says what it is told."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

from rag.domain.conversation import Message
from rag.domain.retrieval import RetrievedChunk


class GenerationRequest(NamedTuple):
    """Everything a generator may look at: passages numbered from 1, and the composed messages.

    `question` is what was searched for; where a learner only pointed at a passage, its own text.
    """

    question: str
    passages: tuple[RetrievedChunk, ...]
    messages: tuple[Message, ...]
    model: str
    temperature: float
    max_tokens: int


class Generator(Protocol):
    """Writes an answer from passages."""

    @property
    def name(self) -> str:
        """What is recorded as the model of an answer."""

    def stream(self, request: GenerationRequest) -> Iterator[str]:
        """The answer in pieces, its claims marked [n] with the passages' numbers."""


class ScriptedGenerator:
    """A fake: streams given pieces and remembers what it was asked."""

    name = "scripted"

    def __init__(self, pieces: Sequence[str]) -> None:
        """Take the pieces to stream."""
        self._pieces = pieces
        self.requests: list[GenerationRequest] = []

    def stream(self, request: GenerationRequest) -> Iterator[str]:
        """The given pieces."""
        self.requests.append(request)
        yield from self._pieces
