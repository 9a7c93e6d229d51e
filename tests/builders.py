"""Valid values with one line each; a test overrides only what it is about."""

from datetime import UTC, datetime

from rag.domain.agent import AgentConfig, AgentState
from rag.domain.answer import (
    AgentResponse,
    AnswerSource,
    Citation,
    Confidence,
    ResponseStatus,
    Timings,
)
from rag.domain.book import Chunk
from rag.domain.conversation import Message, Role
from rag.domain.errors import ErrorResponse, ErrorType
from rag.domain.question import Question
from rag.domain.retrieval import Fate, Retrieval, RetrievalParameters, RetrievedChunk
from rag.domain.states import Timeline, TurnState
from rag.domain.turn import Turn

SITE = "https://book.example/docs"
NOON = datetime(2025, 12, 12, 12, 0, tzinfo=UTC)


def make_question(text: str = "What is ROS 2?", **over: object) -> Question:
    return Question.model_validate({"text": text, **over})


def make_chunk(n: int = 1, **over: object) -> Chunk:
    """The n-th chunk of a small book; two numbers give two different chunks."""
    usual = {
        "chunk_id": f"chunk-{n}",
        "text": f"ROS 2 is a framework for robot software, part {n}.",
        "source_file": "module-1-ros2/ch1-basics.md",
        "chapter_id": "module-1-ros2/ch1-basics",
        "module": "Module 1 Ros2",
        "page_title": "ROS 2 Basics",
        "heading_path": ("ROS 2 Basics", "What is ROS 2?"),
        "anchors": ("", "what-is-ros-2"),
        "url": f"{SITE}/module-1-ros2/ch1-basics#what-is-ros-2",
        "position": n - 1,
        "token_count": 12,
        "content_hash": f"hash-{n}",
    }
    return Chunk.model_validate({**usual, **over})


def make_retrieved(n: int = 1, **over: object) -> RetrievedChunk:
    """The n-th best candidate; `chunk` may be overridden too."""
    usual = {"chunk": make_chunk(n), "similarity": 0.9 - n / 100, "rank": n, "fate": Fate.USED}
    return RetrievedChunk.model_validate({**usual, **over})


def make_retrieval(*fates: Fate, question: Question | None = None, **over: object) -> Retrieval:
    """One candidate for each fate, best first; three used ones unless told otherwise."""
    fates = fates or (Fate.USED,) * 3
    found = []
    for n, fate in enumerate(fates, start=1):
        low = {"similarity": 0.1} if fate is Fate.BELOW_THRESHOLD else {}
        found.append(make_retrieved(n, fate=fate, **low))
    question = question or make_question()
    usual = {
        "question": question,
        "query": question.text,
        "chunks": tuple(found),
        "parameters": RetrievalParameters(collection_name="book", embedding_model="fake"),
        "total_candidates": len(found),
        "filtered_count": sum(f is not Fate.BELOW_THRESHOLD for f in fates),
    }
    return Retrieval.model_validate({**usual, **over})


def make_citation(index: int = 1, chunk: Chunk | None = None, **over: object) -> Citation:
    chunk = chunk or make_chunk(index)
    usual = Citation.to(index, chunk, 0.89, chunk.text[:40]).model_dump()
    return Citation.model_validate({**usual, **over})


def make_response(**over: object) -> AgentResponse:
    """A grounded answer with one citation."""
    usual = {
        "question_id": "question-1",
        "status": ResponseStatus.SUCCESS,
        "answer": "ROS 2 is a framework for robot software [1].",
        "grounded": True,
        "citations": (make_citation(),),
        "confidence": Confidence(
            retrieval_quality=0.89, coverage=0.85, entailment=0.92, lexical_overlap=0.78
        ),
        "retrieval_count": 3,
        "tokens_used": 450,
        "timings": Timings(retrieval_ms=245.3, generation_ms=1605.2, total_ms=1850.5),
    }
    return AgentResponse.model_validate({**usual, **over})


def make_refusal(**over: object) -> AgentResponse:
    """An answer that says the book is silent, and names the nearest section."""
    usual = {
        "question_id": "question-1",
        "status": ResponseStatus.INSUFFICIENT_CONTEXT,
        "answer": "I don't have information about that in the book.",
        "nearest": (make_citation(),),
        "confidence": Confidence(retrieval_quality=0.45),
    }
    return AgentResponse.model_validate({**usual, **over})


def make_failure(error_type: ErrorType = ErrorType.API_ERROR, **over: object) -> AgentResponse:
    """A response that could not be given."""
    usual = {
        "question_id": "question-1",
        "status": ResponseStatus.ERROR,
        "error": ErrorResponse.of(error_type, "HTTP 500 from the endpoint"),
    }
    return AgentResponse.model_validate({**usual, **over})


def make_greeting(**over: object) -> AgentResponse:
    """A reply that needs no book."""
    usual = {
        "question_id": "question-1",
        "status": ResponseStatus.SUCCESS,
        "source": AnswerSource.GREETING,
        "answer": "Hello! Ask me about robots.",
    }
    return AgentResponse.model_validate({**usual, **over})


def make_timeline(*states: TurnState) -> Timeline:
    """A finished timeline, or one through the given states after RECEIVED."""
    usual = (TurnState.VALIDATING, TurnState.RETRIEVING, TurnState.GENERATING, TurnState.COMPLETE)
    timeline = Timeline.begun()
    for state in states or usual:
        timeline = timeline.enter(state)
    return timeline


def make_turn(number: int = 1, question: Question | None = None, **over: object) -> Turn:
    """A finished, grounded turn."""
    question = question or make_question()
    config = AgentConfig()
    usual = {
        "conversation_id": "conversation-1",
        "number": number,
        "question": question,
        "standalone": question.text,
        "retrieval": make_retrieval(question=question),
        "response": make_response(question_id=question.id),
        "timeline": make_timeline(),
        "config": config.model_dump(mode="json"),
        "config_fingerprint": config.fingerprint,
        "duration_seconds": 1.85,
    }
    return Turn.model_validate({**usual, **over})


def make_message(
    role: Role | str = Role.USER, content: str = "What is ROS 2?", **over: object
) -> Message:
    return Message.model_validate({"role": role, "content": content, **over})


def make_system(**over: object) -> Message:
    return make_message(Role.SYSTEM, "Answer from the passages alone, as in [1].", **over)


def make_state(**over: object) -> AgentState:
    """A fresh session; keywords go to its configuration."""
    return AgentState.started(AgentConfig.model_validate(over), make_system())


def make_config(**over: object) -> AgentConfig:
    """The default configuration but for what is told."""
    return AgentConfig.model_validate(over)
