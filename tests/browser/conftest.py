"""One Chromium and one app for all browser tests; tabs that remember what they fetched and said."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Page,
    expect,
    sync_playwright,
)

from tests.browser import person
from tests.browser.server import Paced, lectern, paced_lectern

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
_PATIENCE_MS = 20_000
expect.set_options(timeout=_PATIENCE_MS)


@dataclass
class Visit:
    """A learner's browser and its first tab, with every address it asked for and every error."""

    context: BrowserContext
    hosts: set[str] = field(default_factory=set)
    errors: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Watch every tab from the first one on."""
        self.context.on("request", lambda r: self.hosts.add(_host(r.url)))
        self.context.on("page", lambda p: p.on("websocket", lambda w: self.hosts.add(_host(w.url))))
        self.context.on(
            "console", lambda m: self.errors.append(m.text) if m.type == "error" else None
        )
        self.context.on("weberror", lambda e: self.errors.append(str(e.error)))
        self.page: Page = self.context.new_page()

    def _note_error(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def settled(self) -> None:
        """Wait until the script has run and nothing is left to draw."""
        person.settled(self.page)


def _host(url: str) -> str:
    return urlsplit(url).hostname or ""


# Opens the browser of one more learner: its own cookie, its own conversations.
Arrive = Callable[..., Visit]


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """Debian's Chromium, which can reach nothing but this machine."""
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def arrive(chromium: Browser) -> Iterator[Arrive]:
    """Learners; the test fails if a tab of theirs fetched from elsewhere or logged an error."""
    visits: list[Visit] = []

    def arrives(width: int = 1280, dark: bool = False, may: Sequence[str] = ()) -> Visit:
        context = chromium.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            permissions=may,
        )
        context.set_default_timeout(_PATIENCE_MS)
        visits.append(Visit(context))
        return visits[-1]

    yield arrives
    for seen in visits:
        seen.context.close()
        # Data and blob addresses have no host: nothing leaves the browser for them.
        assert seen.hosts <= {"127.0.0.1", ""}
        assert seen.errors == []


@pytest.fixture
def visit(arrive: Arrive) -> Visit:
    """One learner at a desk."""
    return arrive()


@pytest.fixture(scope="session")
def browser_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the app of most browser tests keeps its library."""
    return tmp_path_factory.mktemp("browser") / "home"


@pytest.fixture(scope="session")
def address(indexed_home: Path, browser_home: Path) -> Iterator[str]:
    """The app, for every learner who does not mind the others."""
    with lectern(indexed_home, browser_home.parent) as url:
        yield url


@pytest.fixture(scope="session")
def _paced(indexed_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paced]:
    with paced_lectern(indexed_home, tmp_path_factory.mktemp("paced")) as app:
        yield app


@pytest.fixture
def paced(_paced: Paced) -> Iterator[Paced]:
    """The app with answers at our pace; afterwards they come freely again."""
    _paced.allow(None)
    yield _paced
    _paced.allow(None)
