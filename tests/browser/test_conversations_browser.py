"""Conversations as a learner keeps them: found, renamed, taken along, deleted, brought back."""

import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from rag.exports import from_json
from rag.memory import Memory
from tests.browser import person
from tests.browser.conftest import Arrive, Visit
from tests.browser.server import lectern
from tests.builders import make_question, make_turn

pytestmark = pytest.mark.browser


def _listed(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Your conversations").get_by_role("link")


def _start(page: Page, question: str) -> None:
    """Begin another conversation with a question."""
    page.get_by_role("button", name="New conversation").click()
    expect(person.asked(page)).to_have_count(0)
    person.settled(page)
    person.ask(page, question)


def _manage(page: Page, title: str) -> Locator:
    page.get_by_role("button", name=f"Manage “{title}”").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    person.settled(page)
    return dialog


def _downloaded(page: Page, dialog: Locator, button: str, folder: Path) -> Path:
    with page.expect_download() as coming:
        dialog.get_by_role("button", name=button).click()
    kept = folder / coming.value.suggested_filename
    coming.value.save_as(kept)
    return kept


def test_a_learner_finds_and_opens_conversations(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    expect(page.get_by_text("No conversation yet.")).to_be_visible()
    person.ask(page, "What is ROS 2?")
    first = page.url
    _start(page, "What is URDF?")
    expect(_listed(page)).to_have_text(["What is URDF?", "What is ROS 2?"])
    assert page.url != first
    search = page.get_by_role("textbox", name="Search your conversations")
    search.fill("ros")
    search.press("Enter")
    expect(_listed(page)).to_have_text(["What is ROS 2?"])
    _listed(page).click()
    expect(person.asked(page)).to_have_text("What is ROS 2?")
    expect(page).to_have_url(first)
    search.fill("nothing like it")
    search.press("Enter")
    expect(page.get_by_text("No conversation has these words.")).to_be_visible()
    search.fill("")
    search.press("Enter")
    expect(_listed(page)).to_have_count(2)
    person.settled(page)
    # What is used again is the newest again.
    person.ask(page, "What is a node?")
    expect(_listed(page)).to_have_text(["What is ROS 2?", "What is URDF?"])


def test_a_conversation_is_renamed_deleted_and_brought_back(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    person.ask(page, "What is ROS 2?")
    _start(page, "What is URDF?")
    dialog = _manage(page, "What is URDF?")
    title = dialog.get_by_role("textbox", name="Title")
    expect(title).to_have_value("What is URDF?")
    title.fill("Robot <b>bodies</b> & $1")
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog).to_have_count(0)
    expect(_listed(page)).to_have_text(["Robot <b>bodies</b> & $1", "What is ROS 2?"])

    dialog = _manage(page, "Robot <b>bodies</b> & $1")
    dialog.get_by_role("button", name="Delete this conversation").click()
    expect(_listed(page)).to_have_text(["What is ROS 2?"])
    expect(page.get_by_text("Deleted “Robot <b>bodies</b> & $1”.")).to_be_visible()
    expect(person.asked(page)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(_listed(page)).to_have_text(["Robot <b>bodies</b> & $1", "What is ROS 2?"])
    expect(person.asked(page)).to_have_text("What is URDF?")
    expect(page.get_by_role("button", name="Undo")).to_have_count(0)


def test_a_conversation_survives_a_reload_and_a_second_tab(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    person.ask(page, "What is ROS 2?")
    person.ask(page, "What is URDF?")
    page.reload()
    expect(person.asked(page)).to_have_text(["What is ROS 2?", "What is URDF?"])
    expect(person.answers(page).last.get_by_text("Similarity").first).to_be_visible()
    second = visit.context.new_page()
    person.open_app(second, page.url)
    expect(person.asked(second)).to_have_text(["What is ROS 2?", "What is URDF?"])
    person.ask(second, "How do I install it?")
    second.close()
    page.reload()
    expect(person.asked(page)).to_have_count(3)


def test_another_learner_sees_none_of_it(arrive: Arrive, address: str) -> None:
    mine, theirs = arrive().page, arrive().page
    person.open_app(mine, address)
    person.ask(mine, "What is ROS 2?")
    person.open_app(theirs, address)
    expect(theirs.get_by_text("No conversation yet.")).to_be_visible()
    person.open_app(theirs, mine.url)
    expect(theirs.get_by_text("That conversation isn't here")).to_be_visible()
    expect(person.asked(theirs)).to_have_count(0)
    expect(theirs).to_have_url(re.compile(r"/$"))
    # An empty chat that works, and a conversation of their own.
    person.ask(theirs, "What is URDF?")
    expect(_listed(theirs)).to_have_text(["What is URDF?"])
    mine.reload()
    expect(person.asked(mine)).to_have_text("What is ROS 2?")


def test_a_conversation_is_taken_along_in_files(visit: Visit, address: str, tmp_path: Path) -> None:
    page = visit.page
    person.open_app(page, address)
    answer = person.ask(page, "What is ROS 2?")
    shown = person.said(answer)
    person.ask(page, "What's the weather today?")
    dialog = _manage(page, "What is ROS 2?")
    kept = _downloaded(page, dialog, "JSON", tmp_path)
    assert kept.name == "What-is-ROS-2.json"
    exported = from_json(json.loads(kept.read_text(encoding="utf-8")))
    assert [a.question.text for a in exported.answers] == [
        "What is ROS 2?",
        "What's the weather today?",
    ]
    assert person.letters(exported.answers[0].response.answer) == person.letters(shown)
    text = _downloaded(page, dialog, "Markdown", tmp_path).read_text(encoding="utf-8")
    assert "## What is ROS 2?" in text
    links = re.findall(r"\]\((http[^)\s]+)\)", text)
    assert links
    assert all(link.startswith(f"{address}/reader?page=") for link in links)
    reader = visit.context.new_page()
    reader.goto(links[0])
    expect(reader.locator("#cited")).to_be_in_viewport(ratio=1)
    quote = parse_qs(urlsplit(links[0]).query)["quote"][0]
    marked = " ".join(reader.locator("main mark").all_inner_texts())
    assert person.letters(marked) == person.letters(quote)


def test_conversations_survive_a_restart(visit: Visit, indexed_home: Path, tmp_path: Path) -> None:
    page = visit.page
    with lectern(indexed_home, tmp_path) as address:
        person.open_app(page, address)
        person.ask(page, "What is ROS 2?")
        asked = urlsplit(page.url).query
        # Leaves before the server does.
        page.goto("about:blank")
    with lectern(indexed_home, tmp_path) as address:
        person.open_app(page, f"{address}/?{asked}")
        expect(person.asked(page)).to_have_text("What is ROS 2?")
        expect(_listed(page)).to_have_text(["What is ROS 2?"])
        page.goto("about:blank")


def test_a_long_conversation_opens_at_its_end(
    visit: Visit, address: str, browser_home: Path
) -> None:
    page = visit.page
    person.open_app(page, address)
    page.wait_for_function("document.cookie.includes('lectern_learner=')")
    learner = {c["name"]: c["value"] for c in visit.context.cookies()}["lectern_learner"]
    memory = Memory(f"sqlite:///{browser_home / 'lectern.db'}")
    for number in range(1, 61):
        question = make_question(f"Question number {number}")
        memory.save_turn(make_turn(number, question, conversation_id="long"), learner)
    memory.close()
    person.open_app(page, f"{address}/?conversation=long")
    numbers = [f"Question number {n}" for n in range(1, 61)]
    expect(person.asked(page)).to_have_text(numbers[-10:])
    page.get_by_role("button", name="Show earlier questions").click()
    expect(person.asked(page)).to_have_text(numbers[-20:])
    for shown in (30, 40, 50, 60):
        page.get_by_role("button", name="Show earlier questions").click()
        expect(person.asked(page)).to_have_count(shown)
        person.settled(page)
    expect(person.asked(page)).to_have_text(numbers)
    expect(page.get_by_role("button", name="Show earlier questions")).to_have_count(0)
