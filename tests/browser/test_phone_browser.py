"""The whole way on a phone, and with nothing but a keyboard."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import person
from tests.browser.conftest import Arrive, Visit

pytestmark = pytest.mark.browser

_LONGEST_WAY = 80
_FOCUSED = "element => element === document.activeElement"


def _fits(page: Page) -> None:
    """Nobody has to scroll sideways, and nothing stands outside the window."""
    assert person.is_no_wider_than_the_window(page)
    outside = page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter(e => e.checkVisibility()
            && e.offsetHeight && e.getBoundingClientRect().right > innerWidth + 1
            && !e.closest("pre, .table, [data-testid=stTable], math, .katex-display"))
            .map(e => e.outerHTML.slice(0, 200))"""
    )
    assert outside == []


def test_a_phone_is_enough(arrive: Arrive, address: str) -> None:
    visit = arrive(width=400)
    page = visit.page
    person.open_app(page, address)
    _fits(page)
    answer = person.ask(page, "How do I install ROS 2?")
    _fits(page)
    answer.get_by_role("button", name="confidence").click()
    expect(page.get_by_text("of 1 says how far to trust").first).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    reader = person.follow(person.citation(answer))
    expect(reader.locator("#cited")).to_be_in_viewport()
    person.settled(reader)
    _fits(reader)
    reader.close()

    page.get_by_role("main").get_by_role("link", name="Reader", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    person.settled(page)
    _fits(page)
    page.get_by_role("main").get_by_role("link", name="Chat", exact=True).click()
    expect(person.asked(page)).to_have_text("How do I install ROS 2?")
    person.settled(page)

    page.get_by_role("button", name="sidebar").locator("visible=true").first.click()
    new = page.get_by_role("button", name="New conversation")
    expect(new).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Manage “How do I install ROS 2?”").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="Rename")).to_be_in_viewport(ratio=1)
    expect(dialog.get_by_role("button", name="JSON")).to_be_in_viewport(ratio=1)
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    new.click()
    expect(person.asked(page)).to_have_count(0)


def test_a_phone_shows_every_kind_of_page(arrive: Arrive, address: str) -> None:
    page = arrive(width=400).page
    for chapter in (
        "module-1-ros2/installing-ros-2",
        "module-1-ros2/what-is-ros-2",
        "module-4-humanoid-motion/forward-kinematics",
    ):
        person.open_app(page, f"{address}/reader?page={chapter}")
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        _fits(page)
    person.open_app(page, address)
    person.ask(page, "What's the weather today?")
    _fits(page)


def _tab_to(page: Page, target: Locator, key: str = "Tab") -> None:
    """Press Tab until a thing has the focus."""
    for _ in range(_LONGEST_WAY):
        page.keyboard.press(key)
        if target.count() and target.first.evaluate(_FOCUSED):
            return
    raise AssertionError(f"The keyboard does not reach {target}")


def _opened_by(page: Page, act: Callable[[], None]) -> Page:
    with page.context.expect_page() as opened:
        act()
    return opened.value


def test_the_keyboard_is_enough(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    _tab_to(page, person.question_box(page))
    page.keyboard.type("What is ROS 2?")
    page.keyboard.press("Enter")
    answer = person.finished(page, 1)

    marker = person.citation(answer)
    _tab_to(page, marker, "Shift+Tab")
    reader = _opened_by(page, lambda: page.keyboard.press("Enter"))
    expect(reader.locator("#cited")).to_be_in_viewport(ratio=1)
    _tab_to(reader, reader.get_by_role("button", name="Ask about this section"))
    expect(reader.get_by_role("button", name="Ask about this section").first).to_be_in_viewport()
    reader.close()

    confidence = answer.get_by_role("button", name="confidence")
    _tab_to(page, confidence)
    page.keyboard.press("Enter")
    expect(page.get_by_text("How close the best passage is")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_text("How close the best passage is")).to_have_count(0)
    person.settled(page)
    suggestion = page.get_by_role("main").get_by_role("button", name=re.compile(r"\?$")).first
    _tab_to(page, suggestion)
    page.keyboard.press("Enter")
    answer = person.finished(page, 2)

    thumb = answer.get_by_role("radio", name="Thumbs up")
    _tab_to(page, thumb)
    page.keyboard.press("Space")
    expect(answer.get_by_text("Your feedback is saved")).to_be_visible()
    person.settled(page)
    manage = page.get_by_role("button", name="Manage “What is ROS 2?”")
    _tab_to(page, manage, "Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    person.settled(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    _tab_to(page, page.get_by_role("button", name="New conversation"), "Shift+Tab")
    page.keyboard.press("Enter")
    expect(person.asked(page)).to_have_count(0)
    person.settled(page)
    _tab_to(page, page.get_by_role("link", name="What is ROS 2?"))
    page.keyboard.press("Enter")
    expect(person.asked(page)).to_have_count(2)
