"""The token ledger: what each part of the context window was given and what it used."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from rag.domain.base import Count, Value


class Part(StrEnum):
    """A part of the context window."""

    SYSTEM = "system"
    CONTEXT = "context"
    HISTORY = "history"
    QUESTION = "question"
    RESERVE = "reserve"


class TokenShares(Value):
    """How a window of 8192 tokens is shared; the exchange (question and answer) gets the rest."""

    system: Annotated[int, Field(gt=0)] = 500
    context: Annotated[int, Field(gt=0)] = 4000
    history: Annotated[int, Field(gt=0)] = 2500
    exchange: Annotated[int, Field(gt=0)] = 1192

    def scaled(self, window: int) -> "TokenShares":
        """The shares of another window: context and history grow or shrink, the rest stays."""
        free = window - self.system - self.exchange
        context = free * self.context // (self.context + self.history)
        return self.model_copy(update={"context": context, "history": free - context})


class LedgerLine(Value):
    """One chunk or message: what it costs, and if it was cut, why."""

    part: Part
    label: str
    tokens: Count
    included: bool = True
    reason: str = ""

    @model_validator(mode="after")
    def _a_cut_has_a_reason(self) -> Self:
        if not self.included and not self.reason:
            raise ValueError("what was cut needs a reason")
        return self


class TokenLedger(Value):
    """What each part was given; the parts always sum to the window exactly."""

    window: Annotated[int, Field(gt=0)]
    given: dict[Part, Count]
    lines: tuple[LedgerLine, ...] = ()

    @model_validator(mode="after")
    def _sums_to_the_window(self) -> Self:
        if sum(self.given.values()) != self.window:
            raise ValueError("the parts must sum to the window")
        for part in Part:
            if self.used(part) > self.given.get(part, 0):
                raise ValueError(f"{part.value} uses more than it was given")
        return self

    def used(self, part: Part) -> int:
        """What a part really uses."""
        return sum(line.tokens for line in self.lines if line.part is part and line.included)

    def free(self, part: Part) -> int:
        """What a part was given and did not use."""
        return self.given.get(part, 0) - self.used(part)

    @property
    def prompt_tokens(self) -> int:
        """What is sent: everything but the room kept for the answer."""
        return sum(self.used(part) for part in Part if part is not Part.RESERVE)

    @property
    def max_answer_tokens(self) -> int:
        """The room kept for the answer."""
        return self.given[Part.RESERVE]

    @property
    def cut(self) -> tuple[LedgerLine, ...]:
        """What did not fit, each with its reason."""
        return tuple(line for line in self.lines if not line.included)
