"""The chat as a person uses it, in Chromium, on the bundled book."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import Visit
from tests.browser.server import ROOT, streamlit_server

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(indexed_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    home = tmp_path_factory.mktemp("browser") / "home"
    shutil.copytree(indexed_home, home)
    with streamlit_server(ROOT / "streamlit_app.py", {"LECTERN_HOME": str(home)}) as url:
        yield url


@pytest.fixture
def unvisited(bundled_home: Path) -> Iterator[str]:
    """A server that nobody has opened yet."""
    settings = {"LECTERN_HOME": str(bundled_home)}
    with streamlit_server(ROOT / "streamlit_app.py", settings) as url:
        yield url


def _input(visit: Visit) -> Locator:
    return visit.page.get_by_test_id("stChatInputTextArea")


def _ask(visit: Visit, question: str) -> Locator:
    """Type and send; the message that answers."""
    before = visit.page.get_by_test_id("stChatMessage").count()
    _input(visit).fill(question)
    _input(visit).press("Enter")
    answer = visit.page.get_by_test_id("stChatMessage").nth(before + 1)
    answer.wait_for()
    visit.settled()
    return answer


def test_a_learner_asks_and_gets_a_cited_answer(visit: Visit, address: str) -> None:
    visit.page.goto(address)
    answer = _ask(visit, "What is ROS 2?")
    expect(answer).to_contain_text("[1]")
    expect(answer).to_contain_text("confidence")
    expect(answer.get_by_test_id("stExpander")).to_contain_text("Similarity 0.")
    expect(answer.get_by_test_id("stExpander")).to_contain_text("›")
    expect(
        answer.locator("[data-testid=stMarkdown] a, [data-testid=stMarkdown] img")
    ).to_have_count(0)
    expect(visit.page).to_have_title("Lectern")


def test_a_refusal_names_the_nearest_sections(visit: Visit, address: str) -> None:
    visit.page.goto(address)
    answer = _ask(visit, "What's the weather today?")
    expect(answer).to_contain_text("I don't have information")
    answer.get_by_text("What these sections say").click()
    expect(answer.get_by_text("Similarity 0.").first).to_be_visible()


def test_a_starter_question_is_answered_at_a_click(visit: Visit, address: str) -> None:
    visit.page.goto(address)
    visit.page.get_by_role("button", name="What is").first.click()
    expect(visit.page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("[1]")
    visit.settled()
    visit.page.get_by_role("button", name="New conversation").click()
    expect(visit.page.get_by_test_id("stChatMessage")).to_have_count(0)


def test_a_question_that_is_too_long_comes_back_to_be_shortened(visit: Visit, address: str) -> None:
    visit.page.goto(address)
    _input(visit).fill("x" * 2001)
    _input(visit).press("Enter")
    expect(visit.page.get_by_test_id("stAlert")).to_contain_text("2001 characters")
    expect(visit.page.get_by_test_id("stAlert")).to_be_in_viewport()
    expect(_input(visit)).to_have_value("x" * 2001)


def test_the_keyboard_is_enough(visit: Visit, address: str) -> None:
    visit.page.goto(address)
    visit.settled()
    for _ in range(30):
        visit.page.keyboard.press("Tab")
        if _input(visit).evaluate("element => element === document.activeElement"):
            break
    visit.page.keyboard.type("What is URDF?")
    visit.page.keyboard.press("Enter")
    expect(visit.page.get_by_test_id("stChatMessage").nth(1)).to_contain_text("[1]")
    visit.settled()


def test_a_phone_shows_everything_without_scrolling_sideways(visit: Visit, address: str) -> None:
    visit.page.set_viewport_size({"width": 400, "height": 800})
    visit.page.goto(address)
    answer = _ask(visit, "What is ROS 2?")
    expect(answer).to_contain_text("[1]")
    wide = "() => [...document.querySelectorAll('[data-testid=stMain] *')].filter(e => "
    wide += "e.getBoundingClientRect().right > 401 && !e.closest('pre')).length"
    assert visit.page.evaluate(wide) == 0


def test_a_page_that_streamlit_runs_alone_stands(unvisited: str, visit: Visit) -> None:
    """In a fresh process a page's own address runs its file without streamlit_app.py."""
    missing: list[str] = []
    visit.page.on("response", lambda r: missing.append(r.url) if r.status == 404 else None)
    visit.page.goto(f"{unvisited}/chat")
    expect(_ask(visit, "What is ROS 2?")).to_contain_text("[1]")
    expect(visit.page.get_by_role("button", name="New conversation")).to_be_visible()
    # Streamlit looks for itself below the page's address first; that is not ours to mend.
    assert all(url.startswith(f"{unvisited}/chat/_stcore/") for url in missing)
    visit.errors = [error for error in visit.errors if "404" not in error]
