"""What a person does in Lectern, in a browser's words."""

import re

from playwright.sync_api import Locator, Page, TimeoutError, expect

# Nothing tells that a smooth scroll has ended; a dozen frames at one place do.
_AT_REST = """() => new Promise(done => {
    const main = document.querySelector("main")
    let last, still = 0
    const look = () => {
        still = main.scrollTop === last ? still + 1 : 0
        last = main.scrollTop
        still > 12 ? done() : requestAnimationFrame(look)
    }
    look()
})"""


def settled(page: Page) -> None:
    """Wait until the script has run and nothing is left to draw."""
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def open_app(page: Page, address: str) -> None:
    """Open an address and wait until the app is there."""
    page.goto(address)
    page.get_by_role("navigation").first.wait_for(state="attached")
    settled(page)


def question_box(page: Page) -> Locator:
    """Where questions are typed."""
    return page.get_by_role("textbox", name=re.compile("^Ask (a question )?about"))


def send(page: Page, question: str) -> None:
    """Type a question and send it."""
    expect(question_box(page)).to_be_enabled()
    question_box(page).fill(question)
    question_box(page).press("Enter")


def at_rest(page: Page) -> None:
    """Wait until the page has scrolled to where it wants to be."""
    page.evaluate(_AT_REST)


def answers(page: Page) -> Locator:
    """Everything the tutor has said on this page."""
    return page.get_by_role("group", name="Chat message from assistant")


def said(answer: Locator) -> str:
    """What a finished answer says, without the line on what was found."""
    whole = answer.get_by_test_id("stMarkdown").first.inner_text()
    return re.sub(r"^Found \d+ passages?\.\s*", "", whole)


def finished(page: Page, count: int) -> Locator:
    """Wait for so many finished answers; the last one."""
    expect(page.get_by_role("button", name="Ask again")).to_have_count(count)
    settled(page)
    at_rest(page)
    return answers(page).last


def ask(page: Page, question: str) -> Locator:
    """Ask, and wait for the finished answer."""
    before = page.get_by_role("button", name="Ask again").count()
    send(page, question)
    return finished(page, before + 1)


def asked(page: Page) -> Locator:
    """The questions on this page."""
    return page.get_by_role("group", name="Chat message from user")


def citation(answer: Locator, number: int = 1) -> Locator:
    """The first marker of that number in an answer."""
    return answer.get_by_role("link", name=f"[{number}]", exact=True).first


def point_at(marker: Locator) -> Locator:
    """Hold the mouse over a citation, also while the page still moves; its tooltip."""
    tip = marker.page.get_by_role("tooltip")
    for _ in range(5):
        marker.hover()
        try:
            tip.wait_for(timeout=1000)
        except TimeoutError:
            marker.page.mouse.move(0, 0)
        else:
            break
    return tip


def follow(link: Locator) -> Page:
    """Click a link that opens a new tab; that tab."""
    with link.page.context.expect_page() as opened:
        link.click()
    return opened.value


def words(text: str) -> str:
    """A text without its line breaks and doubled spaces."""
    return " ".join(text.split())


def letters(text: str) -> str:
    """What is left of a text when its marks and spaces are not looked at."""
    return re.sub(r"[\W_]+", "", text)


def is_no_wider_than_the_window(page: Page) -> bool:
    """Whether nobody has to scroll sideways."""
    return bool(
        page.evaluate(
            """() => [document.scrollingElement, document.querySelector("main")]
                .every(e => e.scrollWidth <= e.clientWidth)"""
        )
    )
