"""Takes the pictures in docs/screenshots/ from the running app. Run: make screenshots."""

import os
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.browser.server import streamlit_server  # noqa: E402  # the tests' own way to start it

PICTURES = ROOT / "docs" / "screenshots"
SIZES = {"": (1280, 900), "-phone": (400, 860)}
STATES = {"empty": "", "answered": "What is ROS 2?", "refused": "What's the weather today?"}


def settle(page: Page) -> None:
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()


def take(browser: Browser, address: str, theme: str, size: str) -> None:
    """Every state in one theme and one size, each on a page of its own."""
    width, height = SIZES[size]
    for name, question in STATES.items():
        page = browser.new_page(
            viewport={"width": width, "height": height},
            color_scheme="dark" if theme == "dark" else "light",
            reduced_motion="reduce",
        )
        page.goto(address)
        box = page.get_by_test_id("stChatInputTextArea")
        box.wait_for()
        settle(page)
        if question:
            box.fill(question)
            box.press("Enter")
            page.get_by_test_id("stExpander").wait_for()
            settle(page)
        page.screenshot(path=PICTURES / f"{name}-{theme}{size}.png", animations="disabled")
        page.close()


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        streamlit_server(ROOT / "streamlit_app.py", {"LECTERN_HOME": home}) as address,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
        )
        first = browser.new_page()
        first.goto(address)
        # The first visit to an empty library indexes the book.
        first.get_by_test_id("stChatInputTextArea").wait_for(timeout=300_000)
        for theme in ("light", "dark"):
            for size in SIZES:
                take(browser, address, theme, size)
        browser.close()


if __name__ == "__main__":
    main()
