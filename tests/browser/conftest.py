"""One Chromium for all browser tests; a page that remembers what it fetched and logged."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
_PATIENCE_MS = 20_000


@dataclass
class Visit:
    """A tab, with every address it asked for and every error it logged."""

    page: Page
    hosts: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)

    def settled(self) -> None:
        """Wait until the script has run and nothing is left to draw."""
        app = self.page.locator("[data-testid=stApp][data-test-script-state=notRunning]")
        app.wait_for(timeout=_PATIENCE_MS)
        expect(self.page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=_PATIENCE_MS)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, which can reach nothing but this machine."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser) -> Iterator[Visit]:
    """A fresh tab; the test fails if it fetched from elsewhere or logged an error."""
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(_PATIENCE_MS)
    seen = Visit(page)
    page.on("request", lambda r: seen.hosts.add(urlsplit(r.url).hostname or ""))
    page.on("websocket", lambda w: seen.hosts.add(urlsplit(w.url).hostname or ""))
    page.on("console", lambda m: seen.errors.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda e: seen.errors.append(str(e)))
    yield seen
    page.close()
    # Data and blob addresses have no host: nothing leaves the browser for them.
    assert seen.hosts <= {"127.0.0.1", ""}
    assert seen.errors == []
