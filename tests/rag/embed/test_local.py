"""The local model: verified, deterministic, and it says what is wrong with its files."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from rag.domain.errors import ModelFileError
from rag.embed import local
from rag.embed.local import BUNDLED_SHA256, LocalEmbedder, bundled_embedder, bundled_folder

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return bundled_embedder()


def test_vectors_are_unit_length_and_of_the_named_size(embedder: LocalEmbedder) -> None:
    rows = embedder.embed_documents(["a robot walks", "a kite flies in the wind over the sea"])
    assert rows.shape == (2, embedder.dimensions)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1.0, 1.0], abs=1e-5)


def test_meaning_is_nearer_than_words(embedder: LocalEmbedder) -> None:
    asked = embedder.embed_query("How do I keep a biped from falling over?")
    near, far = embedder.embed_documents(["Balance control of legged robots.", "Falling prices."])
    assert float(asked @ near) > float(asked @ far)


def test_a_vector_does_not_depend_on_its_neighbours(embedder: LocalEmbedder) -> None:
    alone = embedder.embed_documents(["a robot walks"])[0]
    together = embedder.embed_documents(["a robot walks", "word " * 300])[0]
    assert np.array_equal(alone, together)


def test_no_texts_give_no_rows(embedder: LocalEmbedder) -> None:
    assert embedder.embed_documents([]).shape == (0, embedder.dimensions)


def test_the_window_is_512_of_the_models_own_tokens(embedder: LocalEmbedder) -> None:
    assert embedder.fits("word " * 510)
    assert not embedder.fits("word " * 511)
    assert embedder.embed_query("word " * 2000).shape == (embedder.dimensions,)


def test_constructing_makes_no_call(tmp_path: Path) -> None:
    assert LocalEmbedder(tmp_path / "nothing here").dimensions == 384


def test_a_missing_model_file_says_what_to_run(tmp_path: Path) -> None:
    shutil.copy(bundled_folder() / "tokenizer.json", tmp_path)
    with pytest.raises(ModelFileError, match=r"model\.onnx.*pip install"):
        LocalEmbedder(tmp_path, BUNDLED_SHA256).embed_query("x")


def test_a_missing_tokenizer_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"tokenizer\.json"):
        LocalEmbedder(tmp_path).fits("x")


def test_a_wrong_checksum_is_refused_before_anything_is_loaded(tmp_path: Path) -> None:
    shutil.copy(bundled_folder() / "tokenizer.json", tmp_path)
    model = (bundled_folder() / "model.onnx").read_bytes()
    (tmp_path / "model.onnx").write_bytes(model[:-1] + bytes([model[-1] ^ 1]))
    with pytest.raises(ModelFileError, match="checksum"):
        LocalEmbedder(tmp_path, BUNDLED_SHA256).embed_query("x")


def test_a_missing_package_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda _: None)
    with pytest.raises(ModelFileError, match=r"pip install -r requirements\.txt"):
        bundled_folder()


def test_another_folder_has_another_name_in_the_index(tmp_path: Path) -> None:
    assert LocalEmbedder(tmp_path / "my-model").name == "onnx:my-model"
    assert bundled_embedder().name == "bge-small-en-v1.5"
