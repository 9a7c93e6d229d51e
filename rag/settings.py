"""Everything read from the environment, once."""

from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from rag.domain.base import Fraction, TopK
from rag.domain.errors import SetupError

BUNDLED_BOOK = Path(__file__).parent.parent / "textbook" / "docs"


class Settings(BaseSettings):
    """Lectern's settings; each is an environment variable LECTERN_<NAME>."""

    model_config = SettingsConfigDict(
        env_prefix="LECTERN_", env_file=".env", extra="ignore", frozen=True
    )

    home: Path = Field(Path(".lectern"), description="where the library lives")
    book: Path = Field(BUNDLED_BOOK, description="the book an empty library is filled with")
    embedding_folder: Path | None = Field(
        None, description="a folder with another ONNX model: model.onnx and tokenizer.json"
    )
    top_k: TopK = Field(5, description="how many passages an answer may use")
    threshold: Fraction | None = Field(
        None, description="least similarity; by default the value measured for the model"
    )
    lexical_weight: Fraction = Field(0.45, description="weight of words against meaning")


def load_settings(**overrides: object) -> Settings:
    """The settings, or a sentence that says which one is wrong."""
    given = {name: value for name, value in overrides.items() if value is not None}
    try:
        return Settings(**given)  # type: ignore[arg-type]  # checked by pydantic, right here
    except ValidationError as error:
        first = error.errors()[0]
        name = "LECTERN_" + "_".join(str(part) for part in first["loc"]).upper()
        raise SetupError(f"{name} is not valid: {first['msg']}.") from error
