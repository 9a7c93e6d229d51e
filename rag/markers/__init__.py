"""The `[n]` markers of an answer, read while it streams: renumbered, resolved, never half shown."""

from rag.markers.stream import MarkerStream
from rag.markers.syntax import MARKER

__all__ = ["MARKER", "MarkerStream"]
