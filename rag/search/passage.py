"""A question about one passage: what is looked for in it, and how well it matches."""

from rag.domain.book import Chunk
from rag.followups import topic_of
from rag.followups.english import ASKING, BOOK_NOUNS, read
from rag.search.lexical import document_terms
from rag.search.store import SparseTerms
from rag.text import stem

# Words that name the passage itself, or only say how it is to be told.
_OF_ANY_PASSAGE = BOOK_NOUNS | frozenset(
    """passage paragraph excerpt quote quotation selection extract line listing table list block
    summarise summarize paraphrase restate plain english layman laymen beginner child kid five old
    year simply wording selected highlighted marked""".split()
)
_STEMS = frozenset(stem(word) for word in _OF_ANY_PASSAGE)


def query_within(text: str, passage: Chunk) -> str:
    """What to look for: the question, or the passage itself for one that only points at it."""
    own = (token.word for token in read(text) if token.names)
    return text if any(stem(word) not in _STEMS for word in own) else passage.text


def subject_of(passage: Chunk) -> str:
    """What a passage is about, for the next question to lean on: its heading, or its page's."""
    heading = passage.heading
    # `Why boats float` names no thing; `What is a boat?` does.
    is_clause = heading.partition(" ")[0].lower() in ASKING and not heading.endswith("?")
    return topic_of(passage.page_title if is_clause else heading)


def lexical_score(wanted: SparseTerms, passage: Chunk) -> float:
    """BM25 of a question's terms on one passage, as a store computes it."""
    said = document_terms(passage.search_text)
    weights = dict(zip(said.indices, said.values, strict=True))
    terms = zip(wanted.indices, wanted.values, strict=True)
    return sum(weight * weights.get(term, 0.0) for term, weight in terms)
