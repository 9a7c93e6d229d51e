"""What every value shares: frozen, no unknown fields, times in UTC."""

from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field


class Value(BaseModel):
    """A frozen value that refuses unknown fields."""

    # JSON has no infinity: a value that held one would not come back from the database.
    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def new_id() -> str:
    """A fresh random identifier."""
    return str(uuid4())


def utc_now() -> datetime:
    """The present moment, in UTC."""
    return datetime.now(UTC)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text


def _is_uuid(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError as error:
        raise ValueError("must be a UUID") from error


def _to_utc(moment: datetime) -> datetime:
    return moment.astimezone(UTC)


UuidText = Annotated[str, AfterValidator(_is_uuid)]
NonBlank = Annotated[str, AfterValidator(_not_blank)]
Moment = Annotated[AwareDatetime, AfterValidator(_to_utc)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]
Count = Annotated[int, Field(ge=0)]
Milliseconds = Annotated[float, Field(ge=0.0)]
TopK = Annotated[int, Field(ge=1, le=20)]
