"""Which passages an answer cites, in the order it first does."""

import re
from collections.abc import Sequence
from urllib.parse import unquote

from rag.domain.retrieval import RetrievedChunk


class Citing:
    """Resolves what a model wrote to a passage, and numbers the passages anew."""

    def __init__(self, passages: Sequence[RetrievedChunk]) -> None:
        """Take the passages of the prompt, numbered from 1."""
        self._passages = passages
        self.cited: list[RetrievedChunk] = []

    def number(self, passage: RetrievedChunk) -> int:
        """The number a reader sees for a passage."""
        if passage not in self.cited:
            self.cited.append(passage)
        return self.cited.index(passage) + 1

    def numbered(self, number: int) -> RetrievedChunk | None:
        """The passage of this number in the prompt."""
        return self._passages[number - 1] if 1 <= number <= len(self._passages) else None

    def at(self, address: str) -> RetrievedChunk | None:
        """The passage a link means; a page without an anchor means its best passage."""
        wanted = _plain_address(address)
        urls = [passage.chunk.url for passage in self._passages if wanted]
        for urls_as_meant in (urls, [url.partition("#")[0] for url in urls]):
            for passage, url in zip(self._passages, urls_as_meant, strict=False):
                if wanted == _plain_address(url):
                    return passage
        return None

    def titled(self, title: str) -> RetrievedChunk | None:
        """The best passage of a page or section of this title."""
        for passage in self._passages:
            names = (passage.chunk.page_title, passage.chunk.heading, passage.chunk.place)
            if title.casefold() in (name.casefold() for name in names):
                return passage
        return None


def _plain_address(address: str) -> str:
    """An address without what Markdown and HTML write differently."""
    plain = re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", address).replace("&amp;", "&")
    return unquote(plain).rstrip("/")
