"""How common a word is in English, read off the order of the local model's own vocabulary."""

import math
from functools import lru_cache

from rag.domain.errors import ModelFileError
from rag.embed.local import bundled_folder

# The vocabulary lists whole words by falling frequency after its special and single-letter tokens.
_FIRST_WORD = 1996


@lru_cache(maxsize=1)
def _places() -> dict[str, int]:
    """Each word's place in the vocabulary."""
    file = bundled_folder() / "vocab.txt"
    try:
        lines = file.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise ModelFileError(f"The local model's vocabulary is missing: {file}") from error
    return {word: place for place, word in enumerate(lines)}


def english_rarity(word: str) -> float:
    """0 for the commonest words of English, near 1 for rare ones, 1 for what is no word at all."""
    plain, places = word.lower(), _places()
    place = places.get(plain, places.get(plain.removesuffix("s")))
    if place is None:
        return 1.0
    return min(math.log(max(place - _FIRST_WORD, 1)) / math.log(len(places) - _FIRST_WORD), 0.999)
