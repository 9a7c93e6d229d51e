"""axe's verdict on every page and state, light and dark, at a desk and on a phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.browser import person
from tests.browser.conftest import Arrive
from tests.browser.server import Paced

pytestmark = pytest.mark.browser

LOOKS = [(width, dark) for width in (1280, 400) for dark in (False, True)]
_STILL = """() => Promise.all(document.getAnimations()
    .filter(a => a.effect.getComputedTiming().iterations !== Infinity)
    .map(a => a.finished.catch(() => null)))"""


def _violations(page: Page) -> list[str]:
    """What axe finds wrong: the rule, and where."""
    person.settled(page)
    # Whatever fades in has its full colour first.
    page.evaluate(_STILL)
    found = Axe().run(page).response["violations"]
    return [f"{v['id']}: {n['target']} {n['html'][:160]}" for v in found for n in v["nodes"]]


@pytest.fixture(params=LOOKS, ids=lambda look: f"{look[0]}{'-dark' if look[1] else '-light'}")
def page(request: pytest.FixtureRequest, arrive: Arrive) -> Page:
    width, dark = request.param
    return arrive(width=width, dark=dark).page


def test_every_state_of_the_chat_is_accessible(page: Page, paced: Paced) -> None:
    person.open_app(page, paced.address)
    expect(page.get_by_text("You could begin with")).to_be_visible()
    assert _violations(page) == []
    answer = person.ask(page, "How do I install ROS 2?")
    # Whoever takes the keyboard scrolls where they like.
    page.keyboard.press("Shift")
    person.citation(answer).focus()
    expect(page.get_by_role("tooltip")).to_be_visible()
    assert _violations(page) == []
    page.keyboard.press("Escape")
    answer.get_by_role("button", name="confidence").click()
    expect(page.get_by_text("How close the best passage is")).to_be_visible()
    assert _violations(page) == []
    page.keyboard.press("Escape")
    answer.get_by_role("radio", name="Thumbs down").click()
    expect(answer.get_by_text("Your feedback is saved")).to_be_visible()
    person.ask(page, "What's the weather today?")
    assert _violations(page) == []
    paced.fail("rate_limit", retry_after=60)
    person.send(page, "What is URDF?")
    expect(page.get_by_role("button", name="Try again in")).to_be_visible()
    assert _violations(page) == []


def test_the_sidebar_and_its_dialog_are_accessible(page: Page, address: str) -> None:
    person.open_app(page, address)
    person.ask(page, "What is ROS 2?")
    width = page.viewport_size
    if width is not None and width["width"] < 768:
        page.get_by_role("button", name="sidebar").locator("visible=true").first.click()
    manage = page.get_by_role("button", name="Manage “What is ROS 2?”")
    expect(manage).to_be_in_viewport(ratio=1)
    assert _violations(page) == []
    manage.click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Rename")).to_be_visible()
    assert _violations(page) == []
    dialog.get_by_role("button", name="Delete this conversation").click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    assert _violations(page) == []


def test_the_reader_is_accessible(page: Page, address: str) -> None:
    for chapter in ("module-1-ros2/installing-ros-2", "module-4-humanoid-motion/dynamics"):
        person.open_app(page, f"{address}/reader?page={chapter}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert _violations(page) == []
    quote = "The%20arrows%20carry%20names%2C%20not%20addresses."
    person.open_app(page, f"{address}/reader?page=module-1-ros2/what-is-ros-2&quote={quote}")
    expect(page.locator("#cited")).to_be_in_viewport()
    assert _violations(page) == []


def test_a_search_in_the_reader_is_accessible(page: Page, address: str) -> None:
    person.open_app(page, f"{address}/reader")
    width = page.viewport_size
    if width is not None and width["width"] < 768:
        page.get_by_role("button", name="sidebar").locator("visible=true").first.click()
    search = page.get_by_role("textbox", name="Search the book")
    search.fill("balance")
    search.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Search: balance")
    expect(page.get_by_role("main").get_by_role("listitem").first).to_be_attached()
    assert _violations(page) == []
