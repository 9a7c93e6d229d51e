"""The five testing scenarios of the agent's first design, through the command line."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from rag.build import Library
from rag.cli import main
from rag.domain.conversation import Role
from rag.domain.events import Finished
from tests.conftest import ROOT

pytestmark = pytest.mark.model


def ask(
    home: Path, question: str, capsys: pytest.CaptureFixture[str]
) -> tuple[int, dict[str, Any]]:
    code = main(["ask", question, "--json", "--home", str(home)])
    return code, json.loads(capsys.readouterr().out)


def test_1_a_single_question_is_answered_from_module_1(
    bundled_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer = ask(bundled_home, "What is ROS 2?", capsys)
    assert code == 0
    assert answer["grounded"] is True
    assert all(s["metadata"]["module"].startswith("Module 1") for s in answer["sources"][:1])


def test_2_an_out_of_scope_question_is_refused(
    bundled_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, answer = ask(bundled_home, "What's the weather today?", capsys)
    assert code == 1
    assert answer["grounded"] is False
    assert "I don't have information" in answer["answer"]
    assert answer["sources"] == []
    assert answer["metadata"]["tokens_used"] == 0


def test_3_a_second_turn_understands_it(
    bundled_home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    lines = "What is Isaac Sim?\nHow do I use it for synthetic data?\ncitations\nexit\n"
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main(["chat", "--home", str(bundled_home)]) == 0
    second = capsys.readouterr().out.split("> ")[2]
    assert "Isaac Sim" in second
    assert "synthetic data" in second
    assert "Replicator" in second


def test_4_every_citation_can_be_verified(library: Library) -> None:
    for question in ("What is URDF?", "how do i tune nav2", "zero moment point"):
        turn = next(
            e.turn
            for e in library.tutor.ask(question, library.tutor.start())
            if isinstance(e, Finished)
        )
        chunks = {c.chunk_id: c for c in library.chunks()}
        assert turn.response.citations
        for citation in turn.response.citations:
            chunk = chunks[citation.chunk_id]
            page = chunk.url.partition("&section")[0]
            assert citation.url.startswith(page)
            assert citation.quote in chunk.text
            assert 0 < citation.score <= 1


def test_5_a_reset_keeps_the_system_message_and_the_session(library: Library) -> None:
    state = library.tutor.start()
    for _ in range(5):
        list(library.tutor.ask("What is a node?", state))
    assert len(state.turns) == 5
    state.reset()
    assert [m.role for m in state.conversation.messages] == [Role.SYSTEM]
    assert state.session_status.value == "active"
    last = list(library.tutor.ask("What is a node?", state))[-1]
    assert isinstance(last, Finished)
    assert last.turn.number == 1
