"""The reader: the book in the app, open at the passage that an answer cites."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.sheets import sheets

ROOT = Path(__file__).parents[2]
PAGE = "module-1-ros2/what-is-ros-2"

pytestmark = [pytest.mark.model, pytest.mark.usefixtures("with_book")]


def _open(**place: str) -> AppTest:
    page = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=20).run()
    page.switch_page("pages/reader.py")
    for name, value in place.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def _article(page: AppTest) -> str:
    (article,) = [html for html in sheets(page) if "<h1>" in html]
    return article


def _contents(page: AppTest) -> str:
    (contents,) = [html for html in sheets(page) if 'aria-label="Contents"' in html]
    return contents


def test_the_book_opens_at_its_beginning() -> None:
    page = _open()
    assert "<h1>Physical AI &amp; Humanoid Robotics</h1>" in _article(page)
    assert 'rel="next"' in _article(page)
    assert 'rel="prev"' not in _article(page)


def test_contents_name_every_module_and_chapter() -> None:
    contents = _contents(_open(page=PAGE))
    assert contents.count("<summary>") == 5
    assert contents.count("<li>") >= 34
    assert contents.count(" open>") == 1
    assert 'aria-current="page">ROS 2 at a Glance<' in contents
    assert 'class="inner">What is ROS 2?<' in contents


def test_a_citation_opens_with_its_words_marked() -> None:
    page = _open(page=PAGE, section="what-is-ros-2", quote="is an open-source framework for")
    assert '<mark id="cited">is an open-source framework for</mark>' in _article(page)
    assert not page.info


def test_words_that_are_not_there_any_more_are_said_to_be_gone() -> None:
    page = _open(page=PAGE, quote="seventeen purple elephants dance")
    assert "not on this page any more" in page.info[0].value
    assert "<mark" not in _article(page)


@pytest.mark.parametrize("wanted", ["no/such/page", "../../etc/passwd", "<script>"])
def test_an_unknown_page_is_a_sentence(wanted: str) -> None:
    page = _open(page=wanted)
    assert "There is no page" in page.info[0].value
    assert "<h1>Physical AI" in _article(page)


def test_search_lists_sections_that_can_be_opened() -> None:
    page = _open(page=PAGE)
    page.sidebar.text_input(key="search_book").set_value("launch file").run()
    (found,) = [html for html in sheets(page) if 'class="found"' in html]
    assert "aunch" in found
    assert 'data-go href="reader?page=' in found
    assert not [html for html in sheets(page) if "<h1>" in html]


def test_a_search_that_is_too_long_is_refused_in_words() -> None:
    page = _open(page=PAGE)
    page.sidebar.text_input(key="search_book").set_value("x" * 2001).run()
    assert "at most 2000" in page.error[0].value


def test_a_selected_passage_goes_to_the_chat() -> None:
    page = _open(page=PAGE)
    page.session_state["asked_about"] = "Despite its name, ROS 2 is not an operating system."
    page.run()
    assert not page.exception
    passage = page.session_state["chat"].passage
    assert passage.text == "Despite its name, ROS 2 is not an operating system."
    page.switch_page("pages/chat.py").run()
    assert any("About a passage" in m.value for m in page.markdown)
    page.chat_input[0].set_value("What does this mean?").run()
    response = page.session_state["chat"].answered[-1].response
    assert response.grounded
    assert response.retrieval_count == 1
    assert response.citations[0].quote in passage.text


def test_what_a_passage_does_not_tell_can_be_asked_of_the_whole_book() -> None:
    page = _open(page=PAGE)
    page.session_state["asked_about"] = "Despite its name, ROS 2 is not an operating system."
    page.run()
    page.switch_page("pages/chat.py").run()
    page.chat_input[0].set_value("What is URDF?").run()
    refused = page.session_state["chat"].answered[-1]
    assert not refused.response.grounded
    page.button(key=f"whole_{refused.turn_id}").click().run()
    assert page.session_state["chat"].answered[-1].response.grounded


def test_what_is_not_the_books_own_text_is_not_asked_about() -> None:
    page = _open(page=PAGE)
    page.session_state["asked_about"] = "The moon is made of green cheese, says the book."
    page.run()
    assert "can't be asked about" in page.warning[0].value
    assert page.session_state["chat"].passage is None


def test_the_page_stands_when_streamlit_runs_its_file_alone() -> None:
    page = AppTest.from_file(ROOT / "pages" / "reader.py", default_timeout=20).run()
    assert not page.exception
    assert "<h1>" in _article(page)


def test_an_index_without_pages_says_what_to_do(bundled_home: Path) -> None:
    for file in (bundled_home / "index").glob("*/pages.json*"):
        file.unlink()
    seal = next((bundled_home / "index").glob("*/seal.json"))
    sums = {k: v for k, v in json.loads(seal.read_text()).items() if not k.startswith("pages.")}
    seal.write_text(json.dumps(sums))
    page = _open()
    assert "rag ingest" in page.error[0].value.replace("\\", "")
