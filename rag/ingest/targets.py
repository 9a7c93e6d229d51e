"""Where links lead, written so that Markdown reads them back."""

import re

_BARE = re.compile(r"(?!<)(?:[^\s()\\|]|\([^\s()\\|]*\))*+")
# What would end a target, or the cell of a table it stands in.
_ENDING = re.compile(r"[<>\\|]")
_SPECIAL = re.compile(r"[\\`*\[\]<$|]|(?<!\w)_|_(?!\w)")


def link(words: str, target: str) -> str:
    """A link in Markdown; the words are Markdown, the target is written already."""
    return f"[{words}]({target})"


def image(words: str, target: str) -> str:
    """An image in Markdown."""
    return f"!{link(words, target)}"


def as_target(address: str) -> str:
    """An address as the target of a link."""
    if _BARE.fullmatch(address):
        return address
    return f"<{_ENDING.sub(lambda mark: f'%{ord(mark[0]):02X}', ' '.join(address.split()))}>"


def as_words(plain: str) -> str:
    """Plain text as Markdown that shows it."""
    return _SPECIAL.sub(r"\\\g<0>", plain)
