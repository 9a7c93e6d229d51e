"""One question and its answer, with everything needed to see why."""

from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from rag.domain.answer import AgentResponse, AnswerSource, ResponseStatus
from rag.domain.base import Moment, NonBlank, Value, new_id, utc_now
from rag.domain.conversation import ToolCall
from rag.domain.ledger import TokenLedger
from rag.domain.question import Question
from rag.domain.retrieval import Retrieval
from rag.domain.states import Timeline


class Turn(Value):
    """A question, what was found for it, and the answer: immutable once made."""

    id: str = Field(default_factory=new_id)
    conversation_id: NonBlank
    number: Annotated[int, Field(ge=1)]
    question: Question
    standalone: NonBlank
    tool_calls: tuple[ToolCall, ...] = ()
    retrieval: Retrieval | None = None
    ledger: TokenLedger | None = None
    response: AgentResponse
    timeline: Timeline
    config: dict[str, Any] = Field(default_factory=dict)
    config_fingerprint: NonBlank
    timestamp: Moment = Field(default_factory=utc_now)
    duration_seconds: Annotated[float, Field(gt=0)]

    @model_validator(mode="after")
    def _an_answer_needs_chunks(self) -> Self:
        answered = self.response.status is ResponseStatus.SUCCESS
        from_book = self.response.source is AnswerSource.BOOK
        if answered and from_book and (self.retrieval is None or not self.retrieval.used):
            raise ValueError("a turn without retrieved chunks must say it has no information")
        return self
