"""What an embedding model must offer, and a fake that needs no model."""

import hashlib
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
Matrix = NDArray[np.float32]


class Embedder(Protocol):
    """Turns questions and passages into unit vectors of one space."""

    @property
    def name(self) -> str:
        """What an index remembers, so that a question is never searched in a foreign space."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    @property
    def threshold(self) -> float:
        """The similarity measured for this model at which a passage is about the question."""

    def embed_query(self, text: str) -> Vector:
        """A question's vector."""

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """One row for each passage, in their order."""

    def fits(self, text: str) -> bool:
        """Whether the model reads the whole text, without cutting its end."""


class HashEmbedder:
    """A fake: words hashed into buckets. Instant, and good enough to tell texts apart."""

    name = "fake-hash-64"
    dimensions = 64
    threshold = 0.3

    def embed_query(self, text: str) -> Vector:
        """A question's vector."""
        row: Vector = self.embed_documents([text])[0]
        return row

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """One row for each passage."""
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[hashlib.sha256(word.strip(".,?!").encode()).digest()[0] % self.dimensions] += 1
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Matrix = rows / np.maximum(norms, 1e-9)
        return unit

    def fits(self, text: str) -> bool:  # noqa: ARG002  # the Protocol's name for it
        """A fake reads anything."""
        return True
