"""A page of the book as safe HTML, with a quoted passage marked in it."""

from rag.reading.fragments import text_fragment
from rag.reading.links import Links, follow
from rag.reading.passages import passage
from rag.reading.writing import Reading, Section, nowhere, render

__all__ = [
    "Links",
    "Reading",
    "Section",
    "follow",
    "nowhere",
    "passage",
    "render",
    "text_fragment",
]
