"""A conversation as a file to keep: Markdown to read, JSON to read back."""

from rag.exports.data import Exported, from_json, to_json
from rag.exports.document import to_markdown

__all__ = ["Exported", "from_json", "to_json", "to_markdown"]
