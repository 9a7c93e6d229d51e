"""An answer as JSON in the shape other programs read, and back without loss."""

from typing import Any

from rag.domain.answer import AgentResponse, AnswerSource, Citation, ResponseStatus


def response_to_json(response: AgentResponse) -> dict[str, Any]:
    """An answer with its sources, confidence and metadata, ready for json.dumps."""
    plain = response.model_dump(mode="json")
    confidence, timings = plain["confidence"], plain["timings"]
    return {
        "query_id": response.question_id,
        "status": plain["status"],
        "source": plain["source"],
        "answer": response.answer,
        "grounded": response.grounded,
        "confidence": {
            "retrieval_quality": confidence["retrieval_quality"],
            "coverage_score": confidence["coverage"],
            "entailment_score": confidence["entailment"],
            "lexical_overlap": confidence["lexical_overlap"],
            "overall": response.confidence.overall,
            "level": response.confidence.level,
        },
        "sources": [citation_to_json(c) for c in response.citations],
        "nearest": [citation_to_json(c) for c in response.nearest],
        "dropped_markers": response.dropped_markers,
        "retrieval_count": response.retrieval_count,
        "metadata": {
            "model": response.model_used,
            "temperature": response.temperature,
            "total_time_ms": timings["total_ms"],
            "retrieval_time_ms": timings["retrieval_ms"],
            "generation_time_ms": timings["generation_ms"],
            "tokens_used": response.tokens_used,
            "timestamp": plain["timestamp"],
        },
        "error": plain["error"],
        "error_message": response.error.user_message if response.error else None,
    }


def citation_to_json(citation: Citation) -> dict[str, Any]:
    """A citation as a source reference."""
    return {
        "chunk_id": citation.chunk_id,
        "citation_index": citation.index,
        "relevance_score": citation.score,
        "excerpt": citation.quote,
        "metadata": {
            "page_number": citation.page_number,
            "page_title": citation.title,
            "section_title": citation.heading,
            "module": citation.module,
            "chapter": citation.chapter_id,
            "url": citation.url,
            "chunk_index": citation.position,
        },
    }


def response_from_json(data: dict[str, Any]) -> AgentResponse:
    """Read an answer back; what only we write may be missing, as in JSON of the seed's shape."""
    confidence, metadata = data["confidence"], data["metadata"]
    succeeded = data["status"] == ResponseStatus.SUCCESS
    return AgentResponse.model_validate(
        {
            "question_id": data["query_id"],
            "status": data["status"],
            "source": data.get("source", AnswerSource.BOOK),
            "answer": data["answer"] or "",
            "grounded": data.get("grounded", succeeded),
            "citations": [citation_from_json(s) for s in data["sources"]],
            "nearest": [citation_from_json(s) for s in data.get("nearest", [])],
            "dropped_markers": data.get("dropped_markers", 0),
            "confidence": {
                "retrieval_quality": confidence["retrieval_quality"],
                "coverage": confidence["coverage_score"],
                "entailment": confidence["entailment_score"],
                "lexical_overlap": confidence["lexical_overlap"],
            },
            "retrieval_count": data.get("retrieval_count", len(data["sources"])),
            "model_used": metadata["model"],
            "temperature": metadata["temperature"],
            "tokens_used": metadata["tokens_used"] or 0,
            "timings": {
                "total_ms": metadata["total_time_ms"],
                "retrieval_ms": metadata["retrieval_time_ms"],
                "generation_ms": metadata["generation_time_ms"],
            },
            "timestamp": metadata["timestamp"],
            "error": data.get("error"),
        }
    )


def citation_from_json(data: dict[str, Any]) -> Citation:
    """Read a source reference back."""
    place = data["metadata"]
    section = place["section_title"] or ""
    return Citation(
        index=data["citation_index"],
        title=place.get("page_title", section or place["chapter"]),
        heading=section if "page_title" in place else "",
        url=place["url"],
        chunk_id=data["chunk_id"],
        score=data["relevance_score"],
        quote=data["excerpt"],
        module=place.get("module", ""),
        chapter_id=place["chapter"],
        position=place["chunk_index"],
        page_number=place["page_number"],
    )
