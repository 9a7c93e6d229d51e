"""Messages and the conversation they make."""

from enum import StrEnum
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from rag.domain.answer import Citation
from rag.domain.base import Count, Fraction, Moment, NonBlank, Value, new_id, utc_now

DEFAULT_MAX_HISTORY = 20
# What the API called these before it had tools.
_OLD_FIELDS = {"function_call": "tool_call", "function_response": "tool_result"}


class Role(StrEnum):
    """Who speaks."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


class RetrieveArguments(Value):
    """What a model may ask the retrieval tool for."""

    query: NonBlank
    top_k: Annotated[int, Field(ge=1, le=10)] | None = None
    threshold: Fraction | None = None


class ToolCall(Value):
    """A model's request to search the book."""

    name: Literal["retrieve_context"] = "retrieve_context"
    arguments: RetrieveArguments
    id: str = Field(default_factory=new_id)


class Message(Value):
    """One message of a conversation."""

    id: str = Field(default_factory=new_id)
    role: Role
    content: str = ""
    timestamp: Moment = Field(default_factory=utc_now)
    citations: tuple[Citation, ...] = ()
    token_count: Count = 0
    tool_call: ToolCall | None = None
    tool_result: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _read_old_json(cls, data: Any) -> Any:  # noqa: ANN401 - whatever was in the JSON
        if not isinstance(data, dict):
            return data
        renamed = {_OLD_FIELDS.get(name, name): value for name, value in data.items()}
        if renamed.get("role") == "function":
            renamed["role"] = Role.TOOL
        return renamed

    @model_validator(mode="after")
    def _fits_its_role(self) -> Self:
        if self.tool_call is not None and self.role is not Role.ASSISTANT:
            raise ValueError("only an assistant calls a tool")
        if self.tool_result is not None and self.role is not Role.TOOL:
            raise ValueError("only a tool message carries a tool result")
        if not self.content.strip() and self.tool_call is None and self.tool_result is None:
            raise ValueError("a message needs content")
        return self

    def to_api_format(self) -> dict[str, Any]:
        """The message as chat-completion endpoints take it."""
        if self.role is Role.TOOL:
            return {
                "role": "tool",
                "tool_call_id": str(self.metadata.get("tool_call_id", "")),
                "content": self.tool_result or self.content,
            }
        shown: dict[str, Any] = {"role": self.role.value, "content": self.content}
        if self.tool_call is not None:
            arguments = self.tool_call.arguments.model_dump_json(exclude_none=True)
            function = {"name": self.tool_call.name, "arguments": arguments}
            shown["tool_calls"] = [
                {"id": self.tool_call.id, "type": "function", "function": function}
            ]
        return shown


class Conversation(Value):
    """Messages, oldest first, the system message first; a window of the newest ones."""

    id: str = Field(default_factory=new_id)
    messages: tuple[Message, ...] = ()
    started_at: Moment = Field(default_factory=utc_now)
    max_history: Annotated[int, Field(ge=1, le=100)] = DEFAULT_MAX_HISTORY

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        if self.messages and self.messages[0].role is not Role.SYSTEM:
            raise ValueError("the first message must be the system message")
        if any(m.role is Role.SYSTEM for m in self.messages[1:]):
            raise ValueError("only the first message may be a system message")
        times = [m.timestamp for m in self.messages[1:]]
        if times != sorted(times):
            raise ValueError("messages must be ordered oldest first")
        if len(self.dialogue) > self.max_history:
            raise ValueError("a conversation keeps at most max_history messages")
        return self

    @classmethod
    def opened(cls, system: Message, max_history: int = DEFAULT_MAX_HISTORY) -> "Conversation":
        """A new conversation that holds its system message."""
        return cls(messages=(system,), max_history=max_history)

    @property
    def dialogue(self) -> tuple[Message, ...]:
        """All messages but the system message."""
        return tuple(m for m in self.messages if m.role is not Role.SYSTEM)

    @property
    def total_tokens(self) -> int:
        """What the messages cost together."""
        return sum(m.token_count for m in self.messages)

    def add_message(self, message: Message) -> Self:
        """The conversation with one more message; the oldest beyond the window go."""
        earlier = self.dialogue
        if earlier and message.timestamp < earlier[-1].timestamp:
            # A clock that was set back must not cost anybody an answer.
            message = message.model_copy(update={"timestamp": earlier[-1].timestamp})
        return self._with_dialogue((*earlier, message)[-self.max_history :])

    def messages_for_api(self) -> list[dict[str, Any]]:
        """The messages as chat-completion endpoints take them."""
        return [m.to_api_format() for m in self.messages]

    def trim_to_budget(self, budget: int) -> Self:
        """Without the oldest messages that do not fit; the system and the newest one stay."""
        kept = list(self.dialogue)
        total = self.total_tokens
        while len(kept) > 1 and total > budget:
            total -= kept.pop(0).token_count
        return self._with_dialogue(tuple(kept))

    def clear(self) -> Self:
        """Only the system message."""
        return self._with_dialogue(())

    def _with_dialogue(self, dialogue: tuple[Message, ...]) -> Self:
        system = tuple(m for m in self.messages[:1] if m.role is Role.SYSTEM)
        return type(self).model_validate(
            self.model_copy(update={"messages": (*system, *dialogue)}).__dict__
        )
