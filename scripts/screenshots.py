"""Takes the pictures in docs/screenshots/ from the running app. Run: make screenshots."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from rag.build import Library  # noqa: E402
from rag.settings import load_settings  # noqa: E402
from tests.browser.server import Paced, paced_lectern  # noqa: E402  # the tests' own way to start it

PICTURES = ROOT / "docs" / "screenshots"
SIZES = {"": (1280, 900), "-phone": (400, 860)}
QUESTIONS = [
    "What is ROS 2?", "What is URDF?", "What is tf2?", "What is a launch file?", "What is Nav2?",
    "What is a topic?", "What is a service?", "What is an action?", "What is Isaac Sim?",
    "What is a Jacobian?", "What is ZMP?", "What is forward kinematics?",
]  # fmt: skip


def settle(page: Page) -> None:
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    # Whatever fades in has done so, and a new answer stands at its question.
    page.wait_for_timeout(1500)


def ask(page: Page, question: str) -> None:
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill(question)
    box.press("Enter")
    page.get_by_test_id("stChatMessage").nth(1).wait_for()


def empty(page: Page, paced: Paced) -> None:
    settle(page)


def searching(page: Page, paced: Paced) -> None:
    paced.hold_search()
    ask(page, "What is ROS 2?")
    page.get_by_text("Searching the book…").wait_for()


def streaming(page: Page, paced: Paced) -> None:
    paced.allow(20, every=0.03)
    ask(page, "What is ROS 2?")
    page.get_by_text("Writing…").wait_for()
    page.get_by_text("open-source").first.wait_for()


def answered(page: Page, paced: Paced) -> None:
    ask(page, "How do I write a launch file?")
    page.get_by_text("You could go on with").wait_for()
    settle(page)


def refused(page: Page, paced: Paced) -> None:
    ask(page, "What's the weather today?")
    page.get_by_text("The book can answer").wait_for()
    settle(page)


def error(page: Page, paced: Paced) -> None:
    paced.fail("rate_limit", retry_after=20)
    ask(page, "What is ROS 2?")
    page.get_by_text("Try again in").wait_for()


def long(page: Page, paced: Paced) -> None:
    for number, question in enumerate(QUESTIONS, start=1):
        ask(page, question)
        page.get_by_text("You could go on with").wait_for()
        shown = min(number, 10)
        page.wait_for_function(
            "n => document.querySelectorAll('[data-testid=stChatMessage]').length === 2 * n"
            " && document.querySelector('[data-test-script-state=notRunning]')",
            arg=shown,
        )
    settle(page)


def reader(page: Page, paced: Paced) -> None:
    ask(page, "What is a quaternion?")
    page.get_by_text("You could go on with").wait_for()
    settle(page)
    page.goto(page.get_by_role("link", name="[1]").first.evaluate("link => link.href"))
    page.locator("#cited").wait_for()
    settle(page)


STATES: dict[str, Callable[[Page, Paced], None]] = {
    "empty": empty,
    "searching": searching,
    "streaming": streaming,
    "answered": answered,
    "refused": refused,
    "error": error,
    "long": long,
    "reader": reader,
}


def take(context: BrowserContext, paced: Paced, state: str, picture: Path) -> None:
    """One state on a page of its own, as a small picture."""
    page = context.new_page()
    paced.allow(None)
    page.goto(paced.address)
    page.get_by_test_id("stChatInputTextArea").wait_for()
    settle(page)
    STATES[state](page, paced)
    page.screenshot(path=picture, animations="disabled")
    paced.allow(None)
    page.close()
    with Image.open(picture) as whole:
        whole.convert("RGB").quantize(128).save(picture, optimize=True)


def take_all(browser: Browser, paced: Paced) -> None:
    for theme in ("light", "dark"):
        for size, (width, height) in SIZES.items():
            for state in STATES:
                context = browser.new_context(
                    viewport={"width": width, "height": height},
                    color_scheme="dark" if theme == "dark" else "light",
                    reduced_motion="reduce",
                )
                take(context, paced, state, PICTURES / f"{state}-{theme}{size}.png")
                context.close()


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        indexed = Path(folder) / "indexed"
        with Library(load_settings(home=indexed)) as library:
            library.ensure_book()
        with paced_lectern(indexed, Path(folder)) as paced, sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
                args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
            )
            take_all(browser, paced)
            browser.close()


if __name__ == "__main__":
    main()
