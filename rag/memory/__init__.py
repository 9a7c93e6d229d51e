"""Conversations and turns in a database: SQLite by default, another by its address."""

from rag.memory.schema import BUSY_SECONDS, SCHEMA_VERSION
from rag.memory.store import ConversationSummary, Memory
from rag.memory.typed import MAX_COMMENT_CHARS, MAX_TITLE_CHARS

__all__ = [
    "BUSY_SECONDS",
    "MAX_COMMENT_CHARS",
    "MAX_TITLE_CHARS",
    "SCHEMA_VERSION",
    "ConversationSummary",
    "Memory",
]
