"""One shard of Qdrant's embedded engine: written once, then only read."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Self
from uuid import UUID

from rag.domain.book import Chunk
from rag.embed.base import Vector
from rag.search.store import Entry, Hit, SparseTerms

if TYPE_CHECKING:
    import qdrant_edge as edge

_DENSE, _TERMS = "dense", "terms"
_BATCH = 256
_Scores = dict[UUID, float]


class EngineError(Exception):
    """The engine failed; its owner knows what that means to a person."""


@contextmanager
def _engine_errors() -> Iterator[None]:
    """The engine raises bare exceptions, and panics that are not even those."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise EngineError(str(error)) from error
        raise


class Shard:
    """A shard that is open for reading. Threads may share it until it is closed."""

    def __init__(self, shard: "edge.EdgeShard") -> None:
        """Take over an open shard of the engine."""
        self._shard = shard

    @classmethod
    def load(cls, path: Path) -> Self:
        """Open a shard that was written before."""
        from qdrant_edge import EdgeShard

        with _engine_errors():
            return cls(EdgeShard.load(str(path)))

    def close(self) -> None:
        """Let go of the shard's files."""
        with _engine_errors():
            self._shard.close()

    def count(self) -> int:
        """How many chunks there are."""
        with _engine_errors():
            return self._shard.info().points_count

    def chunks(self) -> list[Chunk]:
        """Every chunk, in no order to rely on."""
        from qdrant_edge import ScrollRequest

        with _engine_errors():
            records, _ = self._shard.scroll(ScrollRequest(limit=self.count(), with_payload=True))
            return [Chunk.model_validate(record.payload) for record in records]

    def get(self, points: Sequence[UUID]) -> dict[UUID, Chunk]:
        """The chunks of these points that exist."""
        with _engine_errors():
            records = self._shard.retrieve(list(points), with_payload=True, with_vector=False)
            return {_uuid(r.id): Chunk.model_validate(r.payload) for r in records}

    def search(self, vector: Vector, terms: SparseTerms, limit: int) -> list[Hit]:
        """The best by similarity and the best by terms, each with both scores; nearest first."""
        with _engine_errors():
            nearest, matching = self._scores(vector, terms, limit)
        chunks = self.get(list(nearest.scores))
        return [
            Hit(
                chunk=chunks[point],
                similarity=min(max(score, 0.0), 1.0),
                lexical=matching.scores.get(point, 0.0),
                dense_rank=nearest.ranks.get(point),
                lexical_rank=matching.ranks.get(point),
            )
            for point, score in _best_first(nearest.scores)
        ]

    def _scores(self, vector: Vector, terms: SparseTerms, limit: int) -> tuple["_Found", "_Found"]:
        from qdrant_edge import Query, SparseVector

        dense = Query.Nearest(vector.tolist(), using=_DENSE)
        sparse = Query.Nearest(SparseVector(*terms), using=_TERMS)
        nearest = _Found(self._best(dense, limit))
        matching = _Found(self._best(sparse, limit) if terms.indices else {})
        # What one search brought gets its other score from the engine too, so that a score
        # never depends on which search found the chunk.
        nearest.add(self._query_among(dense, matching.scores.keys() - nearest.scores.keys()))
        if terms.indices:
            matching.add(self._query_among(sparse, nearest.scores.keys() - matching.scores.keys()))
        return nearest, matching

    def _query(self, query: "edge.Query", limit: int, only: "edge.Filter | None" = None) -> _Scores:
        from qdrant_edge import QueryRequest

        request = QueryRequest(limit=limit, query=query, filter=only)
        return {_uuid(found.id): found.score for found in self._shard.query(request)}

    def _best(self, query: "edge.Query", limit: int) -> _Scores:
        """The best points; of those that tie for the last place, the ones with the least ids.

        The engine itself cuts through a tie at random, and a replayed question must not change.
        """
        wanted = limit + 1
        while True:
            found = _best_first(self._query(query, wanted))
            if len(found) < wanted or found[limit - 1][1] > found[-1][1]:
                return dict(found[:limit])
            wanted *= 2

    def _query_among(self, query: "edge.Query", points: set[UUID]) -> _Scores:
        from qdrant_edge import Filter, HasIdCondition

        if not points:
            return {}
        return self._query(query, len(points), Filter(must=[HasIdCondition(set(points))]))


class _Found:
    """What a search brought, with ranks; scores of other points may be added."""

    def __init__(self, scores: _Scores) -> None:
        self.scores = dict(scores)
        self.ranks = {point: rank for rank, (point, _) in enumerate(_best_first(scores), start=1)}

    def add(self, scores: _Scores) -> None:
        """Scores of points that this search did not bring, and so did not rank."""
        self.scores.update(scores)


def _best_first(scores: _Scores) -> list[tuple[UUID, float]]:
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def _uuid(point: "edge.PointId") -> UUID:
    return point if isinstance(point, UUID) else UUID(str(point))


def write_shard(path: Path, dimensions: int, entries: Sequence[Entry]) -> None:
    """Write a whole shard into an empty folder, and put it on the disk."""
    from qdrant_edge import EdgeShard, UpdateOperation

    if len({entry.chunk.chunk_id for entry in entries}) < len(entries):
        raise ValueError("two chunks of the book share an id")
    with _engine_errors():
        shard = EdgeShard.create(str(path), _config(dimensions))
        try:
            for start in range(0, len(entries), _BATCH):
                points = [_as_point(entry) for entry in entries[start : start + _BATCH]]
                shard.update(UpdateOperation.upsert_points(points))
            shard.flush()
        finally:
            shard.close()


def _config(dimensions: int) -> "edge.EdgeConfig":
    """Exhaustive search over 16-bit vectors, no graph, no log: docs/decisions/0001."""
    from qdrant_edge import (
        Distance,
        EdgeConfig,
        EdgeSparseVectorParams,
        EdgeVectorParams,
        VectorStorageDatatype,
    )

    return EdgeConfig(
        vectors={
            _DENSE: EdgeVectorParams(
                size=dimensions,
                distance=Distance.Cosine,
                datatype=VectorStorageDatatype.Turbo16,
            )
        },
        sparse_vectors={_TERMS: EdgeSparseVectorParams()},
        wal_enabled=False,
    )


def _as_point(entry: Entry) -> "edge.Point":
    from qdrant_edge import Point, SparseVector

    vectors = {_DENSE: entry.vector.tolist(), _TERMS: SparseVector(*entry.terms)}
    return Point(UUID(entry.chunk.chunk_id), vectors, entry.chunk.model_dump(mode="json"))


def space_needed(dimensions: int, entries: Sequence[Entry]) -> int:
    """More bytes than a shard of these entries takes, on any file system."""
    # Even an empty shard's files are 103 MB of holes, which not every file system has for free.
    smallest = 128 << 20
    return smallest + sum(
        2 * (4 * dimensions + 16 * len(entry.terms.indices) + 8 * len(entry.chunk.text))
        for entry in entries
    )
