"""An answer in the making: watched, stopped, and when the service fails."""

import re
from itertools import pairwise
from typing import TypedDict

import pytest
from playwright.sync_api import Page, expect

from tests.browser import person
from tests.browser.conftest import Visit
from tests.browser.server import Paced

pytestmark = pytest.mark.browser

# Writes down every state of the newest answer that a reader could have seen.
_WATCH = """() => {
    window.seen = []
    const look = () => {
        const message = [...document.querySelectorAll(
            "[aria-label='Chat message from assistant']")].at(-1)
        if (!message) return
        const texts = [...message.querySelectorAll("[data-testid=stMarkdown]")].map(element => {
            const copy = element.cloneNode(true)
            copy.querySelectorAll("code, .katex").forEach(e => e.remove())
            return copy.textContent
        })
        const links = message.querySelectorAll("[data-testid=stMarkdown] a").length
        seen.push({ step: texts[0] ?? "", text: texts[1] ?? "", links })
    }
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true,
        characterData: true })
}"""


class Seen(TypedDict):
    """The newest answer at one moment."""

    step: str
    text: str
    links: int


def _half_asked(page: Page, paced: Paced, question: str) -> str:
    """Ask, and let a part of the answer come; that part."""
    paced.allow(20, every=0.02)
    person.send(page, question)
    expect(page.get_by_text("Writing…")).to_be_visible()
    written = person.answers(page).last.get_by_test_id("stMarkdown").nth(1)
    expect(written).to_have_text(re.compile(r"\w+ \w+ \w+"))
    return written.inner_text()


def test_a_learner_watches_an_answer_come(visit: Visit, paced: Paced) -> None:
    page = visit.page
    person.open_app(page, paced.address)
    page.evaluate(_WATCH)
    paced.hold_search()
    person.send(page, "What is ROS 2?")
    expect(person.answers(page).get_by_text("Searching the book…")).to_be_visible()
    # Slow enough for each piece to be drawn by itself.
    paced.allow(None, every=0.11)
    answer = person.finished(page, 1)
    seen: list[Seen] = page.evaluate("seen")
    steps = [s["step"] for s in seen if s["step"].endswith("…")]
    assert steps[0] == "Searching the book…"
    assert re.fullmatch(r"Found \d+ passages › Writing…", steps[-1])
    writing = [s for s in seen if s["step"].endswith("Writing…")]
    texts = [*dict.fromkeys(s["text"] for s in writing)]
    assert len(texts) > 10
    for before, after in pairwise(texts):
        assert person.letters(after).startswith(person.letters(before))
    assert [text for text in texts if re.search(r"\[(?!\d+\])", text)] == []
    assert any(re.search(r"\[\d\]", text) for text in texts)
    assert {s["links"] for s in writing} == {0}
    markers = re.findall(r"\[\d+\]", person.said(answer))
    expect(answer.get_by_role("link", name=re.compile(r"^\[\d+\]$"))).to_have_text(markers)
    assert len(markers) > 1
    expect(answer.get_by_role("button", name="confidence")).to_be_visible()
    expect(answer.get_by_text("Similarity").first).to_be_visible()


def test_a_learner_stops_an_answer_and_keeps_what_was_written(visit: Visit, paced: Paced) -> None:
    page = visit.page
    person.open_app(page, paced.address)
    written = _half_asked(page, paced, "What is ROS 2?")
    page.get_by_role("button", name="Stop script").click()
    # The script learns of it when it wants to draw the next piece.
    paced.allow(None, every=0.05)
    stopped = person.answers(page).last
    expect(stopped.get_by_text("Stopped before the answer was finished.")).to_be_visible()
    expect(stopped).to_contain_text(written)
    expect(stopped.get_by_text("Writing…")).to_be_hidden()
    paced.allow(None)
    stopped.get_by_role("button", name="Try again").click()
    answer = person.finished(page, 1)
    expect(person.citation(answer)).to_be_visible()
    person.ask(page, "What is URDF?")
    expect(person.asked(page)).to_have_text(["What is ROS 2?", "What is ROS 2?", "What is URDF?"])
    expect(person.answers(page).first).to_contain_text(written)
    expect(person.answers(page).first).to_contain_text("Stopped before the answer was finished.")


def test_a_learner_stops_an_answer_and_asks_something_else(visit: Visit, paced: Paced) -> None:
    page = visit.page
    person.open_app(page, paced.address)
    written = _half_asked(page, paced, "What is ROS 2?")
    page.get_by_role("button", name="Stop script").click()
    paced.allow(None, every=0.05)
    expect(page.get_by_text("Stopped before the answer was finished.")).to_be_visible()
    paced.allow(None)
    person.ask(page, "What is URDF?")
    expect(person.asked(page)).to_have_text(["What is ROS 2?", "What is URDF?"])
    expect(person.answers(page).first).to_contain_text(written)


def test_a_learner_turns_away_from_an_answer_in_the_making(visit: Visit, paced: Paced) -> None:
    page = visit.page
    person.open_app(page, paced.address)
    _half_asked(page, paced, "What is ROS 2?")
    paced.allow(None, every=0.5)
    page.get_by_role("button", name="New conversation").click()
    page.get_by_role("button", name="What is URDF?").click()
    expect(person.asked(page)).to_have_text("What is URDF?")
    paced.allow(None)
    expect(person.citation(person.finished(page, 1))).to_be_visible()
    expect(person.asked(page)).to_have_text("What is URDF?")


def test_a_service_that_fails_loses_nothing(visit: Visit, paced: Paced) -> None:
    page = visit.page
    person.open_app(page, paced.address)
    person.ask(page, "What is ROS 2?")
    paced.fail("api_error")
    person.send(page, "What is URDF?")
    failed = person.answers(page).last
    expect(failed.get_by_role("alert")).to_have_text(
        "There was a problem connecting to the AI service. Please try again."
    )
    expect(person.asked(page)).to_have_text(["What is ROS 2?", "What is URDF?"])
    paced.allow(None)
    failed.get_by_role("button", name="Try again").click()
    answer = person.finished(page, 2)
    expect(answer).to_contain_text("[1]")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(person.asked(page)).to_have_text(["What is ROS 2?", "What is URDF?"])


def test_a_service_that_fails_in_mid_answer_keeps_what_came(visit: Visit, paced: Paced) -> None:
    page = visit.page
    person.open_app(page, paced.address)
    paced.fail("api_error", after=20)
    person.send(page, "What is ROS 2?")
    failed = person.answers(page).last
    expect(failed.get_by_role("alert")).to_contain_text("There was a problem")
    expect(failed).to_contain_text("ROS 2 (Robot Operating System 2) is an open-source")
    paced.allow(None)
    failed.get_by_role("button", name="Try again").click()
    expect(person.citation(person.finished(page, 1))).to_be_visible()


def test_a_busy_service_is_waited_for(visit: Visit, paced: Paced) -> None:
    page = visit.page
    person.open_app(page, paced.address)
    paced.fail("rate_limit", retry_after=3)
    person.send(page, "What is URDF?")
    failed = person.answers(page).last
    expect(failed.get_by_role("alert")).to_have_text(
        "The service is busy. Please wait 3 seconds and try again."
    )
    waiting = failed.get_by_role("button", name=re.compile(r"^Try again in \d s$"))
    expect(waiting).to_be_disabled()
    expect(failed.get_by_role("button", name="Try again in 1 s")).to_be_visible()
    paced.allow(None)
    again = failed.get_by_role("button", name="Try again", exact=True)
    expect(again).to_be_enabled()
    expect(person.asked(page)).to_have_text("What is URDF?")
    again.click()
    expect(person.citation(person.finished(page, 1))).to_be_visible()
    expect(person.asked(page)).to_have_text("What is URDF?")
