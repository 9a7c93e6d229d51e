"""The command line as a person uses it: what is printed, where, and the exit code."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rag.cli import main
from rag.home import Home
from tests.conftest import GOLDEN, ROOT


@pytest.fixture
def home(bundled_home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(ROOT)
    return str(bundled_home)


def test_ask_prints_a_cited_answer(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "What is ROS 2?", "--home", home]) == 0
    shown = capsys.readouterr()
    assert "framework" in shown.out
    assert "[1]" in shown.out
    assert shown.err == ""


def test_ask_shows_citations_when_asked_to(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "What is ROS 2?", "--show-citations", "--home", home]) == 0
    assert "similarity 0." in capsys.readouterr().out


def test_ask_as_json_is_one_document(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "What is ROS 2?", "--json", "--home", home]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "success"
    assert answer["sources"][0]["citation_index"] == 1


def test_a_refusal_exits_with_1(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "What's the weather today?", "--home", home]) == 1
    assert "I don't have information" in capsys.readouterr().out


def test_flags_are_obeyed_not_ignored(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "What is ROS 2?", "--threshold", "1.0", "--home", home]) == 1
    capsys.readouterr()
    assert main(["search", "What is ROS 2?", "--top-k", "2", "--json", "--home", home]) == 0
    fates = [c["fate"] for c in json.loads(capsys.readouterr().out)["chunks"]]
    assert fates.count("used") == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["ask", ""], "Please type a question"),
        (["ask", " \t "], "Please type a question"),
        (["ask", "x" * 2001], "2001 characters"),
        (["ask", "what\x07 is"], "control characters"),
        (["ask", "What?", "--top-k", "0"], "from 1 to 20; it was 0"),
        (["ask", "What?", "--top-k", "21"], "from 1 to 20; it was 21"),
        (["ask", "What?", "--threshold", "-0.1"], "from 0 to 1; it was -0.1"),
        (["ask", "What?", "--threshold", "1.1"], "from 0 to 1; it was 1.1"),
        (["search", "  "], "Please type a question"),
        (["search", "What?", "--top-k", "0"], "from 1 to 20"),
    ],
)
def test_bad_input_exits_with_2_and_a_sentence(
    home: str, capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    assert main([*arguments, "--home", home]) == 2
    shown = capsys.readouterr()
    assert sentence in shown.err
    assert shown.out == ""


def test_a_failure_as_json_is_json_too(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", " ", "--json", "--home", home]) == 2
    failure = json.loads(capsys.readouterr().out)
    assert failure["status"] == "error"
    assert failure["error"]["error_type"] == "invalid_input"


def test_a_folder_that_does_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nowhere = str(tmp_path / "nowhere")
    assert main(["ingest", nowhere, "--home", str(tmp_path / "home")]) == 2
    assert nowhere in capsys.readouterr().err


def test_a_folder_without_markdown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "book").mkdir()
    assert main(["ingest", str(tmp_path / "book"), "--home", str(tmp_path / "home")]) == 2
    assert "no Markdown" in capsys.readouterr().err


def test_a_home_that_cannot_be_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("in the way")
    assert main(["status", "--home", str(tmp_path / "file" / "home")]) == 2
    assert "--home" in capsys.readouterr().err


def test_a_corrupt_index_says_how_to_mend_it(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    for manifest in Home(Path(home)).index.rglob("manifest.json"):
        manifest.write_text("{")
    assert main(["ask", "What is ROS 2?", "--home", home]) == 2
    assert "python -m rag ingest" in capsys.readouterr().err


def test_a_corrupt_database_does_not_lose_the_answer(
    home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Home(Path(home)).database.write_bytes(b"not a database" * 500)
    assert main(["ask", "What is ROS 2?", "--home", home]) == 0
    shown = capsys.readouterr()
    assert "[1]" in shown.out
    assert "could not be saved" in shown.err
    assert "damaged" in shown.err


def test_a_second_process_gets_one_clear_sentence(
    home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with Home(Path(home)).open_lock():
        assert main(["ask", "What is ROS 2?", "--home", home]) == 3
    assert "open in another Lectern process" in capsys.readouterr().err


def test_an_unforeseen_failure_is_a_sentence_not_a_trace(
    home: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(**_: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("rag.cli.load_settings", explode)
    assert main(["status", "--home", home]) == 3
    shown = capsys.readouterr()
    assert "Something went wrong inside Lectern: boom" in shown.err
    assert "Traceback" not in shown.err


def test_a_bad_setting_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LECTERN_TOP_K", "99")
    assert main(["status", "--home", str(tmp_path)]) == 2
    assert "LECTERN_TOP_K" in capsys.readouterr().err


def test_ctrl_c_exits_with_130(
    home: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    assert main(["chat", "--home", home]) == 130
    assert "Interrupted." in capsys.readouterr().err


def chat(monkeypatch: pytest.MonkeyPatch, home: str, *lines: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    return main(["chat", "--home", home])


def test_chat_follows_up_cites_and_resets(
    home: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["What is Isaac Sim?", "How do I use it for synthetic data?", "citations", "help"]
    assert chat(monkeypatch, home, *lines, "reset", "What did we discuss first?", "quit") == 0
    out = capsys.readouterr().out
    assert "Replicator" in out
    assert "similarity 0." in out
    assert "reset, clear" in out
    assert "A new conversation." in out
    assert "haven't discussed anything" in out


@pytest.mark.parametrize("word", ["exit", "quit", "bye", "EXIT"])
def test_chat_ends_at_a_word(
    home: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    assert chat(monkeypatch, home, "citations", "?", word, "never read") == 0
    assert "Ask something first." in capsys.readouterr().out


def test_chat_ends_at_the_end_of_input(home: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert chat(monkeypatch, home, "", "  ") == 0


def test_ingest_twice_says_that_nothing_changed(
    home: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ingest", "textbook/docs", "--home", home]) == 0
    assert "Nothing changed" in capsys.readouterr().out


def test_ingest_if_empty_leaves_a_book_alone(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ingest", "--if-empty", "--home", home]) == 0
    assert capsys.readouterr().out == ""


def test_ingest_names_what_it_skipped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "good.md").write_text("# Good\n\nA sentence about kites.\n")
    (book / "bad.md").write_bytes(b"# Bad\n\n\xff\xfe\xfa")
    assert main(["ingest", str(book), "--home", str(tmp_path / "home")]) == 0
    shown = capsys.readouterr()
    assert "Skipped bad.md" in shown.err
    assert "Indexed 1 page as 1 passage:" in shown.out


def test_a_base_url_makes_citations_of_the_website(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "01-kites.md").write_text("# Kites\n\n## How kites fly\n\nKites fly.\n")
    home = str(tmp_path / "home")
    site = "https://kites.example/docs"
    main(["ingest", str(tmp_path / "book"), "--base-url", site, "--home", home])
    capsys.readouterr()
    assert main(["search", "How do kites fly?", "--json", "--home", home]) == 0
    chunk = json.loads(capsys.readouterr().out)["chunks"][0]["chunk"]
    assert chunk["url"] == f"{site}/kites#how-kites-fly"


def test_status_says_what_is_in_use(home: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "--json", "--home", home]) == 0
    status = json.loads(capsys.readouterr().out)
    assert status["book"] == "Physical AI & Humanoid Robotics"
    assert status["embedding"] == "bge-small-en-v1.5"
    assert status["passages"] > 300


def test_status_of_an_empty_library_says_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["status", "--home", str(tmp_path / "new")]) == 0
    assert "python -m rag ingest" in capsys.readouterr().out


def test_eval_prints_the_metrics(
    home: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    few = tmp_path / "few.jsonl"
    few.write_text("\n".join(GOLDEN.read_text().splitlines()[:3]))
    assert main(["eval", str(few), "--home", home]) == 0
    out = capsys.readouterr().out
    for metric in ("hit at 1", "hit at 5", "mrr at 10", "answered", "citation validity"):
        assert metric in out


def test_eval_of_a_bad_file_names_the_line(
    home: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"question": "What?"}\n{"questio')
    assert main(["eval", str(bad), "--home", home]) == 2
    assert "Line 2" in capsys.readouterr().err


def test_as_a_program_with_a_broken_pipe_and_an_unknown_command(home: str) -> None:
    environment = {**os.environ, "LECTERN_HOME": home}
    run = [sys.executable, "-m", "rag"]
    unknown = subprocess.run(
        [*run, "frobnicate"], capture_output=True, text=True, env=environment, cwd=ROOT
    )
    assert unknown.returncode == 2
    assert "Traceback" not in unknown.stderr
    piped = subprocess.run(
        f"{sys.executable} -m rag search 'What is ROS 2?' | head -1",
        shell=True,
        capture_output=True,
        text=True,
        env=environment,
        cwd=ROOT,
    )
    assert len(piped.stdout.splitlines()) == 1
    assert "Traceback" not in piped.stderr


def test_a_model_folder_without_a_model_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "page.md").write_text("# Kites\n\nKites fly.\n")
    monkeypatch.setenv("LECTERN_EMBEDDING_FOLDER", str(tmp_path / "model"))
    assert main(["ingest", str(tmp_path / "book"), "--home", str(tmp_path / "home")]) == 2
    assert "model" in capsys.readouterr().err
