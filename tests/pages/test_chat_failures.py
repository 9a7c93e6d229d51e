"""The chat page when something goes wrong: a sentence, nothing lost, one click to try again."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from rag.domain.errors import ErrorType, IndexMismatch, LibraryBusy
from rag.domain.events import Event, TextDelta
from tests.builders import make_chunk, make_citation
from tests.pages.sheets import sheets
from tests.ui.fakes import FakeTutor, answers, fails, install
from ui import resources
from ui.session import Asked

ROOT = Path(__file__).parents[2]


def _open() -> AppTest:
    return AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=20).run()


def _ask(page: AppTest, question: str = "Why?") -> None:
    page.chat_input[0].set_value(question).run()
    assert not page.exception


def _said(page: AppTest) -> str:
    return "\n".join(m.value for m in page.main.markdown).replace("\\", "")


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (ErrorType.AUTH_ERROR, "Authentication failed. Please check your API keys."),
        (ErrorType.API_ERROR, "There was a problem connecting to the AI service."),
        (ErrorType.RETRIEVAL_ERROR, "Could not search the book content. Please try again."),
        (ErrorType.CONTEXT_OVERFLOW, "Type 'clear' to start fresh."),
    ],
)
def test_each_failure_has_its_sentence_and_trying_again_works(
    kind: ErrorType, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tutor = install(monkeypatch, FakeTutor([fails(kind), answers()]))
    page = _open()
    _ask(page)
    assert sentence in page.main.error[0].value.replace("\\", "")
    assert page.main.chat_message[0].text[0].value == "Why?"
    page.main.button(key="try_again").click().run()
    assert tutor.asked == ["Why?", "Why?"]
    assert not page.main.error
    assert "It rises" in _said(page)
    assert len(page.main.chat_message) == 2


def test_a_failure_stays_on_the_page_until_something_else_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(monkeypatch, FakeTutor([fails(ErrorType.API_ERROR, partial="Half an"), answers()]))
    page = _open()
    _ask(page)
    page.run()
    assert page.main.error
    assert "Half an" in _said(page)
    _ask(page, "How?")
    assert not page.main.error


def test_a_stopped_question_is_kept_with_what_was_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tutor = install(monkeypatch, FakeTutor([answers()]))
    page = _open()
    page.session_state["chat"].begin(Asked("Why?")).partial = "It ri"
    page.run()
    assert page.main.chat_message[0].text[0].value == "Why?"
    assert "It ri" in _said(page)
    assert "Stopped" in page.main.info[0].value
    page.main.button(key="try_again").click().run()
    assert tutor.asked == ["Why?"]
    assert not page.main.info


def test_technical_detail_is_for_the_log(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    install(monkeypatch, FakeTutor([fails(ErrorType.API_ERROR, "HTTP 503 at host:99")]))
    page = _open()
    _ask(page)
    assert "503" not in page.main.error[0].value
    assert "HTTP 503 at host:99" in caplog.text


def test_a_failure_of_the_library_in_mid_question_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def play(text: str) -> Iterator[Event]:
        yield TextDelta(text="Hm")
        raise IndexMismatch("The index is of another model.")

    install(monkeypatch, FakeTutor([play, answers()]))
    page = _open()
    _ask(page)
    assert "The index is of another model" in page.main.error[0].value.replace("\\", "")
    page.main.button(key="try_again").click().run()
    assert "It rises" in _said(page)


def test_an_answer_that_could_not_be_saved_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(text: str) -> Iterator[Event]:
        for event in answers()(text):
            full = {"notice": "This answer could not be saved. The disk is full."}
            yield event.model_copy(update=full) if event.type == "finished" else event

    install(monkeypatch, FakeTutor([play]))
    page = _open()
    _ask(page)
    assert "could not be saved" in page.main.warning[0].value


def test_an_answer_is_drawn_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, FakeTutor([answers("See ![x](http://evil/) and :red[x] for $5 [1].")]))
    page = _open()
    _ask(page)
    drawn = page.main.markdown[0].value.partition("\n\n")[2]
    assert drawn.startswith(
        r"See !\[x\](`http://evil/`) and \:red\[x\] for \$5 :small[[\[1\]](https"
    )
    # The one link is the citation's own; an escaped bracket opens none.
    assert re.findall(r"(?<!\\)\]\((\S+)", drawn) == [make_citation().url]


def test_a_quote_is_drawn_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    cited = [
        make_citation(1, quote="**See** [x](http://evil/) <img src=x> :red[x]"),
        make_citation(2, quote="```python\nx[0] = ![y](http://evil/)"),
    ]
    install(monkeypatch, FakeTutor([answers("It rises [1][2].", citations=cited)]))
    page = _open()
    _ask(page)
    (sources,) = [html for html in sheets(page) if 'class="sources"' in html]
    assert "<strong>See</strong>" in sources
    assert "&lt;img src=x&gt;" in sources
    assert "<img" not in sources
    assert 'href="http://evil' not in sources


def test_a_service_that_is_busy_is_left_alone_for_as_long_as_it_asks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tutor = install(monkeypatch, FakeTutor([fails(ErrorType.RATE_LIMIT), answers()]))
    page = _open()
    _ask(page)
    assert "Please wait 30 seconds" in page.main.error[0].value
    waiting = page.main.button(key="try_again")
    assert waiting.disabled
    assert re.fullmatch(r"Try again in (29|30) s", waiting.label)
    page.session_state["chat"].pending.failed_at -= 31
    page.run()
    assert page.main.button(key="try_again").label == "Try again"
    page.main.button(key="try_again").click().run()
    assert tutor.asked == ["Why?", "Why?"]
    assert "It rises" in _said(page)


def test_a_failed_question_about_a_passage_is_tried_again_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tutor = install(monkeypatch, FakeTutor([fails(ErrorType.API_ERROR), answers()]))
    page = _open()
    page.session_state["chat"].passage = make_chunk()
    page.run()
    assert any("About a passage" in m.value for m in page.markdown)
    _ask(page)
    page.main.button(key="try_again").click().run()
    assert tutor.passages == [make_chunk(), make_chunk()]


def test_typing_clear_starts_a_new_conversation(monkeypatch: pytest.MonkeyPatch) -> None:
    tutor = install(monkeypatch, FakeTutor([answers()]))
    page = _open()
    _ask(page)
    _ask(page, "clear")
    assert tutor.asked == ["Why?"]
    assert not page.main.chat_message
    assert page.main.title[0].value.replace("\\", "") == "A *Small* Book"


def test_the_tutor_is_let_go_of_after_each_question(monkeypatch: pytest.MonkeyPatch) -> None:
    tutor = install(monkeypatch, FakeTutor([answers()]))
    page = _open()
    _ask(page)
    assert tutor.closed == 1


def test_a_library_that_cannot_be_opened_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def busy(settings: object) -> None:
        raise LibraryBusy("The library in /x is open in another process.")

    monkeypatch.setattr(resources, "Library", busy)
    page = _open()
    assert not page.exception
    assert "open in another process" in page.main.error[0].value.replace("\\", "")
    assert not page.chat_input
    assert page.main.button(key="reopen")


def test_a_wrong_setting_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_TOP_K", "many")
    page = _open()
    assert not page.exception
    assert "LECTERN_TOP_K is not valid" in page.main.error[0].value.replace("\\", "")


def test_an_empty_library_is_indexed_with_a_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = tmp_path / "book"
    book.mkdir()
    (book / "bread.md").write_text("# Bread\n\n## What is bread?\n\nBread is baked dough.\n")
    monkeypatch.setenv("LECTERN_BOOK", str(book))
    page = _open()
    assert not page.exception
    assert not page.main.error
    _ask(page, "What is bread?")
    assert "Bread is baked dough" in _said(page)


def test_a_book_that_is_not_there_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LECTERN_BOOK", "/no/such/book")
    page = _open()
    assert not page.exception
    assert "/no/such/book" in page.main.error[0].value.replace("\\", "")
