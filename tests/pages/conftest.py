"""Each page test starts with nothing cached and a home of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import streamlit as st

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No library of another test, and none of the developer's."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("LECTERN_HOME", str(tmp_path / "home"))
    st.cache_resource.clear()
    yield
    st.cache_resource.clear()


@pytest.fixture
def with_book(fresh: None, bundled_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bundled book, ready, in a copy that this test may write to."""
    monkeypatch.setenv("LECTERN_HOME", str(bundled_home))
