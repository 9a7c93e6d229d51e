"""Settings come from the environment, once, and say in words what is wrong."""

from pathlib import Path

import pytest

from rag.domain.errors import SetupError
from rag.settings import load_settings


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_everything_has_a_default() -> None:
    settings = load_settings()
    assert (settings.top_k, settings.threshold) == (5, None)
    assert settings.home == Path(".lectern")


def test_the_environment_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_HOME", "somewhere")
    monkeypatch.setenv("LECTERN_TOP_K", "7")
    settings = load_settings()
    assert (settings.home, settings.top_k) == (Path("somewhere"), 7)


def test_an_option_wins_over_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_HOME", "somewhere")
    assert load_settings(home=Path("here")).home == Path("here")
    assert load_settings(home=None).home == Path("somewhere")


def test_a_dotenv_file_is_read_and_strangers_in_it_are_ignored(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("LECTERN_THRESHOLD=0.7\nOTHER_APP=1\n")
    assert load_settings().threshold == 0.7


@pytest.mark.parametrize(
    ("name", "value"),
    [("LECTERN_TOP_K", "21"), ("LECTERN_THRESHOLD", "1.1"), ("LECTERN_LEXICAL_WEIGHT", "much")],
)
def test_a_bad_value_is_named_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SetupError, match=name):
        load_settings()
