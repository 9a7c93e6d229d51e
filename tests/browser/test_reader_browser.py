"""The book in the app: read, searched, and asked about."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser import person
from tests.browser.conftest import Visit

pytestmark = pytest.mark.browser

_SELECT = """passage => {
    const range = document.createRange()
    range.selectNodeContents(passage)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
}"""


def _open(page: Page, address: str, chapter: str = "", section: str = "") -> Locator:
    """Open the reader at a place; the page of the book."""
    place = f"?page={chapter}&section={section}" if chapter else ""
    person.open_app(page, f"{address}/reader{place}")
    sheet = page.get_by_role("main")
    expect(sheet.get_by_role("heading", level=1)).to_be_visible()
    return sheet


def test_a_reader_finds_the_way_through_the_book(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address)
    title = sheet.get_by_role("heading", level=1)
    expect(title).to_have_text("Physical AI & Humanoid Robotics")
    contents = page.get_by_role("navigation", name="Contents")
    modules = contents.locator("summary")
    expect(modules).to_have_count(5)
    modules.nth(1).click()
    contents.get_by_role("link", name="Gazebo").click()
    expect(title).to_contain_text("Gazebo")
    expect(contents.locator("[aria-current=page]")).to_contain_text("Gazebo")
    expect(title).to_be_in_viewport()
    person.settled(page)
    following = sheet.get_by_role("link", name="Next")
    name = following.inner_text().removeprefix("Next").strip()
    following.click()
    expect(title).to_have_text(name)
    expect(title).to_be_in_viewport()
    sheet.get_by_role("link", name="Previous").click()
    expect(title).to_contain_text("Gazebo")
    # A section of the open page, by its name in the contents.
    section = contents.locator("a.inner").last
    wanted = section.inner_text()
    section.click()
    expect(sheet.get_by_role("heading", name=wanted)).to_be_in_viewport()
    title.scroll_into_view_if_needed()
    person.at_rest(page)
    # Once more to the same place.
    section.click()
    expect(sheet.get_by_role("heading", name=wanted)).to_be_in_viewport()
    page.go_back()
    expect(title).to_contain_text("Gazebo")
    expect(title).to_be_in_viewport()


def test_a_search_opens_the_section_with_the_words_marked(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address)
    search = page.get_by_role("textbox", name="Search the book")
    search.fill("zero moment point")
    search.press("Enter")
    expect(sheet.get_by_role("heading", level=1)).to_have_text("Search: zero moment point")
    found = sheet.get_by_role("listitem").filter(has=page.get_by_role("link"))
    expect(found.nth(2)).to_be_visible()
    heading = found.first.get_by_role("link").inner_text().split(" › ")[-1]
    words = found.first.get_by_role("paragraph").inner_text()
    found.first.get_by_role("link").click()
    expect(page.locator("#cited")).to_be_in_viewport(ratio=1)
    expect(sheet.get_by_role("heading", name=heading).first).to_be_visible()
    marked = " ".join(sheet.locator("mark").all_inner_texts())
    assert person.letters(marked) == person.letters(words)
    expect(search).to_have_value("")


def test_tabs_switch_by_click_and_by_arrow_keys(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address, "module-1-ros2/installing-ros-2")
    desktop = sheet.get_by_role("tab", name="Desktop (recommended)")
    base = sheet.get_by_role("tab", name="Base (robot)")
    expect(desktop).to_have_attribute("aria-selected", "true")
    expect(sheet.get_by_role("tabpanel")).to_have_count(1)
    expect(sheet.get_by_role("tabpanel")).to_contain_text("ros-jazzy-desktop")
    base.click()
    expect(sheet.get_by_role("tabpanel")).to_contain_text("ros-jazzy-ros-base")
    page.keyboard.press("ArrowRight")
    expect(sheet.get_by_role("tab", name="From source")).to_be_focused()
    expect(sheet.get_by_role("tabpanel")).to_contain_text("colcon build")
    page.keyboard.press("ArrowRight")
    expect(desktop).to_be_focused()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    expect(base).to_have_attribute("aria-selected", "true")
    expect(sheet.get_by_role("tabpanel")).to_have_count(1)


def test_a_page_shows_what_a_book_is_made_of(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address, "module-1-ros2/installing-ros-2")
    warning = sheet.locator(".box-warning")
    expect(warning).to_contain_text("Conda and virtual environments")
    expect(sheet.locator("pre.code").filter(has_text="printenv ROS_DISTRO").first).to_be_visible()
    sheet = _open(page, address, "module-1-ros2/what-is-ros-2")
    expect(sheet.get_by_role("columnheader", name="Humanoid example")).to_be_visible()
    expect(sheet.get_by_role("cell", name="/joint_states")).to_be_visible()
    expect(sheet.locator("pre.code").filter(has_text="flowchart LR")).to_be_visible()
    expect(sheet.locator("img, iframe, svg")).to_have_count(0)
    sheet = _open(page, address, "module-4-humanoid-motion/forward-kinematics")
    formula = sheet.locator("math[display=block]").first
    expect(formula).to_be_visible()
    box = formula.bounding_box()
    assert box is not None
    assert box["width"] > 50
    assert "$" not in sheet.inner_text()


def test_a_link_of_the_book_stays_in_the_reader(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address, "module-1-ros2/what-is-ros-2")
    sheet.get_by_role("link", name="chapter on nodes and topics").click()
    expect(sheet.get_by_role("heading", level=1)).to_have_text("Nodes, Topics and Messages")
    expect(page).to_have_url(re.compile(r"/reader\?page=module-1-ros2%2Fnodes-and-topics"))


def test_an_address_that_leads_nowhere_says_so(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address, "no/such<b>page")
    expect(sheet.get_by_text("There is no page “no/such<b>page” in this book.")).to_be_visible()
    expect(sheet.get_by_role("heading", level=1)).to_have_text("Physical AI & Humanoid Robotics")
    person.open_app(page, f"{address}/reader?page=intro&quote=Words%20that%20nobody%20wrote")
    expect(sheet.get_by_text("The cited words are not on this page any more")).to_be_visible()


def test_a_selected_passage_is_asked_about(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address, "module-1-ros2/what-is-ros-2", "what-dds-is-and-why-ros-2-uses-it")
    contents = page.get_by_role("navigation", name="Contents")
    contents.get_by_role("link", name="The ROS 2 computation graph").click()
    passage = sheet.get_by_text("The arrows carry names, not addresses.")
    expect(page).to_have_url(re.compile("section=computation-graph"))
    person.settled(page)
    expect(sheet.get_by_role("button", name="Ask about this", exact=True)).to_be_hidden()
    passage.evaluate(_SELECT)
    sheet.get_by_role("button", name="Ask about this", exact=True).click()
    above = page.get_by_text("About a passage of “The ROS 2 computation graph”")
    expect(above).to_contain_text("The arrows carry names, not addresses.")
    person.settled(page)
    answer = person.ask(page, "What does this mean?")
    expect(person.asked(page)).to_contain_text("About a passage: “The arrows carry names")
    expect(answer.get_by_role("listitem").filter(has_text="Similarity")).to_have_count(1)
    marker = person.citation(answer)
    expect(person.point_at(marker)).to_contain_text("The ROS 2 computation graph")
    expect(person.follow(marker).locator("#cited")).to_be_in_viewport(ratio=1)
    # The next question is about the whole book again.
    expect(above).to_have_count(0)


def test_a_passage_can_be_dropped_again(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address, "module-1-ros2/what-is-ros-2")
    sheet.get_by_text("The arrows carry names, not addresses.").evaluate(_SELECT)
    sheet.get_by_role("button", name="Ask about this", exact=True).click()
    page.get_by_role("button", name="Ask the whole book").click()
    expect(page.get_by_text("About a passage of")).to_have_count(0)
    person.settled(page)
    answer = person.ask(page, "What is URDF?")
    expect(answer).to_contain_text("Unified Robot Description Format")


def test_a_section_is_asked_about_with_the_keyboard(visit: Visit, address: str) -> None:
    page = visit.page
    sheet = _open(page, address, "module-1-ros2/what-is-ros-2")
    heading = sheet.get_by_role("heading", name="What the RMW layer does")
    heading.get_by_role("button", name="Ask about this section").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("About a passage of “What the RMW layer does”")).to_be_visible()
    person.settled(page)
    answer = person.ask(page, "What is it for?")
    expect(answer.get_by_text("What the RMW layer does").first).to_be_visible()
