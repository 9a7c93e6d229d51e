"""The chat as a person uses it, in Chromium, on the bundled book."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser import person
from tests.browser.conftest import Arrive, Visit
from tests.browser.server import APP, ROOT, streamlit_server

pytestmark = pytest.mark.browser


@pytest.fixture
def settings(bundled_home: Path) -> dict[str, str]:
    return {"LECTERN_HOME": str(bundled_home)}


def test_a_learner_asks_and_sees_every_source_of_the_answer(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    answer = person.ask(page, "How does a node publish a message on a topic?")
    expect(page).to_have_title("Lectern")
    expect(answer.get_by_text(re.compile(r"^Found \d+ passages?\.$"))).to_be_visible()
    cited = set(answer.get_by_role("link", name=re.compile(r"^\[\d+\]$")).all_inner_texts())
    sources = answer.get_by_role("listitem").filter(has_text="Similarity")
    listed = [person.words(text) for text in sources.all_inner_texts()]
    # Exactly the cited ones, in the order of their numbers.
    assert [text.split()[0] for text in listed] == sorted(cited)
    for source in sources.all():
        expect(source).to_contain_text(re.compile(r"\[\d\] Module \d.* › .* › "))
        figure = re.search(r"Similarity\s+(0\.\d\d)", source.inner_text())
        assert figure is not None
        width = source.locator(".bar > i").evaluate("e => e.offsetWidth / e.parentNode.offsetWidth")
        assert width == pytest.approx(float(figure[1]), abs=0.02)
        assert person.words(source.locator("mark").first.inner_text())
        expect(source.get_by_role("link", name="Open in the reader")).to_be_visible()


def test_older_answers_keep_their_sources_closed_until_asked(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    person.ask(page, "What is URDF?")
    person.ask(page, "What is a quality of service profile?")
    older, newer = person.answers(page).nth(0), person.answers(page).nth(1)
    expect(newer.get_by_text("Similarity").first).to_be_visible()
    expect(older.get_by_text("Similarity")).to_have_count(0)
    older.get_by_text(re.compile(r"^\d+ sources?$")).click()
    expect(older.get_by_text("Similarity").first).to_be_visible()
    expect(newer.get_by_text("Similarity").first).to_be_visible()


def test_the_confidence_explains_its_four_factors(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    answer = person.ask(page, "What is ROS 2?")
    answer.get_by_role("button", name="confidence").click()
    why = page.get_by_test_id("stPopoverBody")
    expect(why).to_contain_text(re.compile(r"0\.\d\d of 1"))
    for factor in ("close", "of your question", "carry", "words stand"):
        expect(why.get_by_text(re.compile(factor))).to_be_visible()
    expect(why.get_by_text(re.compile(r"[01]\.\d\d, counts \d\d%"))).to_have_count(4)


def test_a_citation_tells_its_source_to_the_mouse_and_to_the_keyboard(
    visit: Visit, address: str
) -> None:
    page = visit.page
    person.open_app(page, address)
    marker = person.citation(person.ask(page, "What is ROS 2?"))
    tip = person.point_at(marker)
    expect(tip).to_contain_text("ROS 2 at a Glance › What is ROS 2?")
    expect(tip).to_contain_text("is an open-source framework for building robot software")
    expect(tip).to_be_in_viewport(ratio=1)
    page.mouse.move(0, 0)
    expect(tip).to_have_count(0)
    marker.focus()
    expect(tip).to_contain_text("is an open-source framework")
    expect(marker).to_have_attribute("aria-describedby", tip.get_attribute("id") or "none")
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)
    expect(marker).to_be_focused()


def test_a_citation_opens_the_book_at_the_marked_passage(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    answer = person.ask(page, "Why does a planning scene need collision objects?")
    marker = person.citation(answer)
    told = person.point_at(marker).inner_text()
    quote = person.words(told.split("“", 1)[1].rstrip("”"))
    place = person.words(told.split("“", 1)[0])
    reader = person.follow(marker)
    cited = reader.locator("#cited")
    expect(cited).to_be_in_viewport(ratio=1)
    marked = person.words(" ".join(reader.locator("main mark").all_inner_texts()))
    assert person.letters(marked) == person.letters(quote)
    heading = cited.evaluate(
        """mark => [...mark.closest('.lectern-sheet').querySelectorAll('h1,h2,h3,h4')]
            .filter(h => h.compareDocumentPosition(mark) & Node.DOCUMENT_POSITION_FOLLOWING)
            .at(-1).firstChild.textContent"""
    )
    assert place.endswith(heading)
    reader.get_by_role("link", name="Chat").first.click()
    expect(person.asked(reader)).to_have_text("Why does a planning scene need collision objects?")


def test_a_learner_goes_on_with_a_suggestion_and_with_words_of_their_own(
    visit: Visit, address: str
) -> None:
    page = visit.page
    person.open_app(page, address)
    page.get_by_role("button", name="What is ROS 2?").click()
    person.finished(page, 1)
    offered = page.get_by_role("main").get_by_role("button", name=re.compile(r"\?$")).first
    question = offered.inner_text()
    offered.click()
    expect(person.citation(person.finished(page, 2))).to_be_visible()
    expect(person.asked(page).last).to_have_text(question)
    answer = person.ask(page, "How do I install ROS 2?")
    assert "Installing ROS 2" in answer.inner_text()
    person.ask(page, "What is Gazebo?")
    answer = person.ask(page, "How do I install it?")
    assert "Gazebo" in answer.inner_text()


def test_a_refusal_shows_the_way_back_into_the_book(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    answer = person.ask(page, "What's the weather today?")
    expect(answer).to_contain_text("I don't have information about that")
    expect(answer).to_contain_text("I looked for “weather today”")
    expect(answer.get_by_role("button", name="confidence")).to_have_count(0)
    nearest = answer.get_by_role("listitem").get_by_role("link")
    expect(nearest).to_have_count(3)
    heading = nearest.first.inner_text().split(" › ")[-1]
    reader = person.follow(nearest.first)
    expect(reader.get_by_role("heading", name=heading).first).to_be_in_viewport()
    reader.close()
    expect(page.get_by_text("The book can answer")).to_be_visible()
    page.get_by_role("main").get_by_role("button", name=re.compile(r"\?$")).first.click()
    expect(person.citation(person.finished(page, 2))).to_be_visible()


def test_an_answer_is_copied_asked_again_and_rated(arrive: Arrive, address: str) -> None:
    page = arrive(may=["clipboard-read", "clipboard-write"]).page
    person.open_app(page, address)
    answer = person.ask(page, "What is ROS 2?")
    answer.get_by_role("button", name="Copy").click()
    expect(answer.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    shown = person.said(answer)
    assert person.letters(copied) == person.letters(shown)
    answer.get_by_role("button", name="Ask again").click()
    person.finished(page, 2)
    expect(person.asked(page)).to_have_text(["What is ROS 2?", "What is ROS 2?"])

    answer.get_by_role("radio", name="Thumbs up").click()
    comment = answer.get_by_label("What was good about it? (optional)")
    comment.fill("Short and clear")
    comment.press("Enter")
    expect(answer.get_by_text("Your feedback is saved")).to_be_visible()
    person.settled(page)
    page.reload()
    answer = person.finished(page, 2)
    expect(answer.get_by_label("What was good about it? (optional)")).to_have_value(
        "Short and clear"
    )
    answer.get_by_role("radio", name="Thumbs down").click()
    expect(answer.get_by_label("What was wrong with it? (optional)")).to_be_visible()
    person.settled(page)
    page.reload()
    answer = person.finished(page, 2)
    expect(answer.get_by_label("What was wrong with it? (optional)")).to_be_visible()


def test_a_question_that_is_too_long_comes_back_to_be_shortened(visit: Visit, address: str) -> None:
    page = visit.page
    person.open_app(page, address)
    person.send(page, "x" * 2001)
    expect(page.get_by_test_id("stAlert")).to_contain_text("2001 characters")
    expect(page.get_by_test_id("stAlert")).to_be_in_viewport()
    expect(person.question_box(page)).to_have_value("x" * 2001)


def test_the_first_visitor_may_come_by_a_link(settings: dict[str, str], visit: Visit) -> None:
    page = visit.page
    with streamlit_server(APP, settings) as address:
        page.goto(f"{address}/reader?page=module-1-ros2%2Fwhat-is-ros-2")
        expect(page.get_by_role("heading", level=1)).to_have_text("ROS 2 at a Glance")
        page.get_by_role("link", name="Chat").first.click()
        expect(person.citation(person.ask(page, "What is ROS 2?"))).to_be_visible()
        page.goto("about:blank")


def test_a_page_that_streamlit_runs_alone_stands(settings: dict[str, str], visit: Visit) -> None:
    """Without our server, a page's own address runs its file without streamlit_app.py."""
    with streamlit_server(ROOT / "streamlit_app.py", settings) as address:
        visit.page.goto(f"{address}/chat")
        expect(person.citation(person.ask(visit.page, "What is ROS 2?"))).to_be_visible()
        expect(visit.page.get_by_role("button", name="New conversation")).to_be_visible()
        visit.page.goto("about:blank")
    # Then Streamlit looks for itself below the page's address first, in vain.
    visit.errors = [error for error in visit.errors if "404" not in error]
