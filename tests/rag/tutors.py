"""A small book without a model, tutors of it with a scripted generator, and one way to ask."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.domain.agent import AgentState
from rag.domain.book import Chunk
from rag.domain.events import Event, Finished
from rag.domain.turn import Turn
from rag.embed.base import HashEmbedder
from rag.embed.words import english_rarity
from rag.generate.base import ScriptedGenerator
from rag.memory import Memory
from rag.search.lexical import document_terms, spellings, vocabulary
from rag.search.qdrant import EdgeStore
from rag.search.retriever import Retriever
from rag.search.store import Entry, Manifest, PageEntry
from rag.tutor import Tutor
from tests.builders import make_chunk, make_config

TEXTS = [
    "A gripper closes its fingers around a cup.",
    "A camera sees the cup on the table.",
    "Balance keeps the torso above the feet.",
]


@contextmanager
def small_book(folder: Path) -> Iterator[Retriever]:
    """A retriever over the texts, without a model."""
    store, embedder = EdgeStore(folder), HashEmbedder()
    chunks = [
        make_chunk(n, chunk_id=f"0b0e6f0a-0000-4000-8000-00000000000{n}", text=text)
        for n, text in enumerate(TEXTS, start=1)
    ]
    page = PageEntry(source_file="a.md", chapter_id="a", module="Part 1", title="Hands", route="/a")
    manifest = Manifest(
        title="The Book",
        fingerprint="one",
        embedding_model=embedder.name,
        dimensions=embedder.dimensions,
        pages=(page,),
        chunk_count=len(chunks),
        document_frequencies=vocabulary(c.search_text for c in chunks),
        spellings=spellings(c.search_text for c in chunks),
    )
    vectors = embedder.embed_documents([c.search_text for c in chunks])
    store.publish(
        manifest, map(Entry, chunks, vectors, [document_terms(c.search_text) for c in chunks]), []
    )
    yield Retriever(store, embedder, english_rarity)
    store.close()


def tutor_that_says(retriever: Retriever, memory: Memory, *pieces: str) -> Tutor:
    generator = ScriptedGenerator(pieces)
    return Tutor(retriever, generator, memory, make_config(threshold=0.3, top_k=2))


def ask(
    tutor: Tutor, text: str, state: AgentState, passage: Chunk | None = None
) -> tuple[list[Event], Turn]:
    events = list(tutor.ask(text, state, passage))
    last = events[-1]
    assert isinstance(last, Finished)
    return events, last.turn


def generator_of(tutor: Tutor) -> ScriptedGenerator:
    assert isinstance(tutor.generator, ScriptedGenerator)
    return tutor.generator
