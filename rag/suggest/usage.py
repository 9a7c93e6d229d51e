"""How a book writes its words: which are names, and which articles they take."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rag.domain.book import Chunk
from rag.text import content_words

_CODE = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
# Behind a word without a capital, one with a capital is a name, and not the next of a title.
_INSIDE = re.compile(r"(?<![^\s(])[a-z][\w'’-]*[,;]? $")
_ARTICLE = re.compile(r"(?:^|\W)(an?|the)\s$", re.IGNORECASE)
_SEEN_BEFORE = 24
# How much more often than without its capital a name is written with it.
_NAME = 3
_CAPITALISED = re.compile(r"(?<![\w.+#/-])[A-Z][a-z]*(?:-[A-Za-z]+)*(?![\w+#/*-])")


class Usage(NamedTuple):
    """A book's prose, to be asked how it writes a word."""

    prose: str

    @classmethod
    def of(cls, chunks: Iterable[Chunk]) -> "Usage":
        """The usage of a whole book."""
        return cls(_CODE.sub("", "\n".join(chunk.text for chunk in chunks)).replace("*", ""))

    def has(self, word: str) -> bool:
        """Whether the book uses a word in this very form."""
        return any(True for _ in self._before(word))

    def is_name(self, phrase: str) -> bool:
        """Whether a capitalised phrase keeps its capitals inside a sentence."""
        as_written, plain = (
            sum(bool(_INSIDE.search(before)) for before in self._before(form))
            for form in (phrase, phrase.lower())
        )
        return as_written > _NAME * plain

    def articles(self, phrase: str) -> Counter[str]:
        """How often a phrase stands behind `the`, behind `a` or `an`, and behind neither."""
        found = (_ARTICLE.search(before) for before in self._before(phrase))
        counted = Counter(article[1].lower() if article else "" for article in found)
        opening = re.escape(phrase[:1].upper() + phrase[1:]) + r"(?: \([^)]*\))? [a-z]"
        # Where a sentence opens with it; a label, which proves nothing, stands before a colon.
        counted[""] += len(re.findall(opening, self.prose))
        return +counted

    def _before(self, phrase: str) -> Iterator[str]:
        """What stands before each place where a phrase stands as whole words."""
        at = self.prose.find(phrase)
        while at >= 0:
            end = at + len(phrase)
            if not re.search(r"[\w-]", self.prose[at - 1 : at] + self.prose[end : end + 1]):
                yield self.prose[max(at - _SEEN_BEFORE, 0) : at]
            at = self.prose.find(phrase, end)


def lowered(phrase: str, usage: Usage) -> str:
    """A heading or term as it stands inside a sentence: names keep their capitals."""
    if usage.is_name(phrase):
        return phrase
    # Where other words have no capital, one that has it behind the first is a name.
    telling = [word for word in content_words(phrase) if word.isalpha() and len(word) > 3]
    is_title = all(word[0].isupper() for word in telling)

    def plain(found: re.Match[str]) -> str:
        word = found.group()
        inner = not is_title and (found.start() > 0 or not word[1:].islower())
        if usage.is_name(word) or (inner and len(word) > 1):
            return word
        return word.lower() if is_title else word[0].lower() + word[1:]

    return _CAPITALISED.sub(plain, phrase)
