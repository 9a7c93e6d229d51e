"""The theme of .streamlit/config.toml: readable in light and dark, and nothing from elsewhere."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
CONFIG: dict[str, Any] = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
AA = 4.5


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("text", ["textColor", "linkColor", "blueTextColor", "grayTextColor"])
def test_text_is_readable_on_every_ground(mode: str, text: str) -> None:
    theme = CONFIG["theme"][mode]
    grounds = [theme["backgroundColor"], theme["secondaryBackgroundColor"]]
    grounds += [theme["sidebar"]["backgroundColor"], theme["sidebar"]["secondaryBackgroundColor"]]
    for ground in grounds:
        assert _contrast(theme[text], ground) >= AA


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("colour", ["green", "orange", "red", "gray"])
def test_badges_are_readable(mode: str, colour: str) -> None:
    theme = CONFIG["theme"][mode]
    assert _contrast(theme[f"{colour}TextColor"], theme[f"{colour}BackgroundColor"]) >= AA


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_marked_words_are_readable(mode: str) -> None:
    theme = CONFIG["theme"][mode]
    assert _contrast(theme["textColor"], theme["yellowBackgroundColor"]) >= AA


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("colour", ["violet", "green", "orange", "gray"])
def test_code_is_readable(mode: str, colour: str) -> None:
    theme = CONFIG["theme"][mode]
    assert _contrast(theme[f"{colour}TextColor"], theme["codeBackgroundColor"]) >= AA


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_white_is_readable_on_the_accent(mode: str) -> None:
    assert _contrast(CONFIG["theme"][mode]["primaryColor"], "#ffffff") >= AA


def test_production_settings() -> None:
    assert CONFIG["server"]["address"] == "127.0.0.1"
    assert CONFIG["browser"]["gatherUsageStats"] is False
    assert CONFIG["runner"]["postScriptGC"] is False
    assert CONFIG["client"]["showErrorDetails"] == "none"
    assert "headless" not in CONFIG["server"]


def test_nothing_is_loaded_from_another_host() -> None:
    assert "http" not in (ROOT / ".streamlit" / "config.toml").read_text()
