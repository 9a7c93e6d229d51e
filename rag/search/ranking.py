"""One pure step from candidates to a ranking: fuse, apply the threshold and top_k, name fates."""

from collections.abc import Sequence

from rag.domain.retrieval import Fate, RetrievalParameters, RetrievedChunk
from rag.search.store import Hit


def rank(hits: Sequence[Hit], parameters: RetrievalParameters) -> tuple[RetrievedChunk, ...]:
    """Every candidate, best first, with its fused score and its fate."""
    fused = fuse(hits, parameters.lexical_weight)
    order = sorted(
        range(len(hits)), key=lambda i: (-fused[i], -hits[i].similarity, hits[i].chunk.chunk_id)
    )
    chosen: list[RetrievedChunk] = []
    seen: set[str] = set()
    room = parameters.top_k
    for position, i in enumerate(order, start=1):
        fate = _fate(hits[i], seen, room, parameters.threshold)
        room -= fate is Fate.USED
        seen.add(_same_text(hits[i]))
        chosen.append(
            RetrievedChunk(
                chunk=hits[i].chunk,
                similarity=hits[i].similarity,
                lexical=hits[i].lexical,
                fused=fused[i],
                dense_rank=hits[i].dense_rank,
                lexical_rank=hits[i].lexical_rank,
                rank=position,
                fate=fate,
            )
        )
    return tuple(chosen)


def _fate(hit: Hit, seen: set[str], room: int, threshold: float) -> Fate:
    if _same_text(hit) in seen:
        return Fate.DUPLICATE
    if hit.similarity < threshold:
        return Fate.BELOW_THRESHOLD
    return Fate.USED if room else Fate.BEYOND_TOP_K


def _same_text(hit: Hit) -> str:
    return " ".join(hit.chunk.text.lower().split())


def fuse(hits: Sequence[Hit], lexical_weight: float) -> list[float]:
    """Similarity and lexical score, each stretched to 0..1 over the candidates, then weighed.

    Weighing scores kept more of the best passages first than weighing ranks (RRF) did.
    """
    dense = _stretched([hit.similarity for hit in hits])
    lexical = _stretched([hit.lexical for hit in hits])
    return [
        (1 - lexical_weight) * d + lexical_weight * x for d, x in zip(dense, lexical, strict=True)
    ]


def _stretched(scores: list[float]) -> list[float]:
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    if high == low:
        return [0.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]
