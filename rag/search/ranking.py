"""From candidates to a ranking, purely: fuse the scores, then give every candidate its fate."""

from collections.abc import Sequence

from rag.domain.retrieval import Fate, RetrievedChunk
from rag.search.store import Hit


def order(hits: Sequence[Hit], lexical_weight: float) -> list[RetrievedChunk]:
    """Every candidate with its fused score, best first."""
    fused = fuse(hits, lexical_weight)
    best_first = sorted(
        range(len(hits)), key=lambda i: (-fused[i], -hits[i].similarity, hits[i].chunk.chunk_id)
    )
    return [
        RetrievedChunk(
            chunk=hits[i].chunk,
            similarity=hits[i].similarity,
            lexical=hits[i].lexical,
            fused=fused[i],
            dense_rank=hits[i].dense_rank,
            lexical_rank=hits[i].lexical_rank,
            rank=rank,
        )
        for rank, i in enumerate(best_first, start=1)
    ]


def decide(
    ordered: Sequence[RetrievedChunk], top_k: int, threshold: float, required: float
) -> tuple[RetrievedChunk, ...]:
    """Every candidate with its fate: the best `top_k` that are similar enough are used.

    One candidate must reach what the gate requires; then the threshold holds for each. So a
    passage never answers while a better one, which the gate alone would have cut, is left out.
    """
    opened = any(candidate.similarity >= required for candidate in ordered)
    least = threshold if opened else required
    decided: list[RetrievedChunk] = []
    seen: set[str] = set()
    room = top_k
    for candidate in ordered:
        text = " ".join(candidate.chunk.text.lower().split())
        if text in seen:
            fate = Fate.DUPLICATE
        elif candidate.similarity < least:
            fate = Fate.BELOW_THRESHOLD
        else:
            fate = Fate.USED if room else Fate.BEYOND_TOP_K
            room -= fate is Fate.USED
        seen.add(text)
        decided.append(candidate.model_copy(update={"fate": fate}))
    return tuple(decided)


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
