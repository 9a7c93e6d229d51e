"""Exported conversations: what a reader gets, what never comes alive, what comes back."""

import json
import re
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.domain.answer import AgentResponse, Citation
from rag.domain.answered import Answered, Rating
from rag.domain.errors import InvalidInput
from rag.exports import Exported, from_json, to_json, to_markdown
from rag.exports.harmless import safe_answer
from rag.replies import refusal
from tests.builders import (
    NOON,
    make_citation,
    make_failure,
    make_greeting,
    make_question,
    make_refusal,
    make_response,
    make_retrieval,
)

OURS = "https://lectern.example/reader?page="


def address(citation: Citation) -> str:
    return f"{OURS}{citation.chunk_id}"


def answered(response: AgentResponse | None = None, **over: object) -> Answered:
    usual = {
        "turn_id": "turn-1",
        "number": 1,
        "question": make_question(timestamp=NOON),
        "response": response or make_response(timestamp=NOON),
    }
    return Answered.model_validate({**usual, **over})


def exported(*answers: Answered, title: str = "Of nodes", book: str = "The Book") -> str:
    return to_markdown(title, answers, address, book)


# --- the document ---


def test_a_conversation_reads_as_a_document() -> None:
    two = (
        make_citation(1, quote="A node is a process."),
        make_citation(2, title="Topics", heading="", score=0.5, quote=""),
    )
    response = make_response(answer="A node [1] talks [2][1]. Code: `a[1]`.", citations=two)
    rated = answered(response, rating=Rating.DOWN, comment="Too short.")
    assert exported(rated) == (
        "# Of nodes\n\n"
        "*The Book*, 2025-12-12\n\n"
        "## What is ROS 2?\n\n"
        f"A node [ROS 2 Basics - What is ROS 2?]({OURS}chunk-1) talks "
        f"[Topics]({OURS}chunk-2)[ROS 2 Basics - What is ROS 2?]({OURS}chunk-1). "
        "Code: `a[1]`.\n\n"
        "Sources:\n\n"
        f"1. [ROS 2 Basics - What is ROS 2?]({OURS}chunk-1): “A node is a process.” "
        "(similarity 0.89)\n"
        f"2. [Topics]({OURS}chunk-2) (similarity 0.50)\n\n"
        "Confidence: high (0.87)\n\n"
        "Rated not helpful: “Too short.”\n"
    )


def test_every_turn_has_its_heading_and_the_days_are_told() -> None:
    later = make_question("And then?", timestamp=NOON + timedelta(days=2))
    text = exported(answered(), answered(question=later, rating=Rating.UP), book="")
    assert re.findall(r"^## .*", text, re.MULTILINE) == ["## What is ROS 2?", "## And then?"]
    assert text.startswith("# Of nodes\n\n2025-12-12 to 2025-12-14\n\n## ")
    assert text.count("Rated") == 1
    assert text.endswith("\n\nRated helpful\n")


def test_an_empty_conversation_is_a_document_too() -> None:
    assert exported(title=" ") == "# Conversation\n\n*The Book*\n"


def test_the_passage_it_was_asked_about_is_quoted() -> None:
    passage = "1. A *node*\n\n- runs <b>once</b>\n# and ends\n2) or not"
    text = exported(answered(question=make_question(passage=passage, timestamp=NOON)))
    assert (
        "## What is ROS 2?\n\n"
        "> 1\\. A \\*node\\*\n>\n> \\- runs \\<b\\>once\\</b\\>\n> \\# and ends\n> 2\\) or not\n\n"
        "ROS 2 is a framework"
    ) in text


def test_a_question_cannot_break_the_document() -> None:
    question = make_question(
        "What is C#?\n\n# Not a title\n```\n[x](http://e) <b> #", timestamp=NOON
    )
    tokens = parsed(exported(answered(question=question)))
    assert headings(tokens) == [
        ("h1", "Of nodes"),
        ("h2", "What is C#? # Not a title ``` [x](http://e) <b> #"),
    ]


def test_a_refusal_lists_its_nearest_sections_once_as_links() -> None:
    nearest = (make_citation(1, heading="First"), make_citation(2, heading="Second"))
    said = refusal("The Book", make_retrieval(), nearest)
    text = exported(answered(make_refusal(answer=said, nearest=nearest)))
    assert text.endswith(
        "The nearest sections are:\n\n"
        f"- [ROS 2 Basics - First]({OURS}chunk-1)\n- [ROS 2 Basics - Second]({OURS}chunk-2)\n"
    )
    assert text.count("Second") == 1
    assert "Sources" not in text
    assert "Confidence" not in text


def test_a_refusal_that_does_not_name_them_lists_them_too() -> None:
    text = exported(answered(make_refusal()))
    assert f"The nearest sections are:\n\n- [ROS 2 Basics - What is ROS 2?]({OURS}chunk-1)" in text
    silent = exported(answered(make_refusal(nearest=())))
    assert silent.endswith("I don't have information about that in the book.\n")


def test_a_failure_says_that_there_was_no_answer() -> None:
    text = exported(answered(make_failure()))
    assert text.endswith(
        "There was no answer: There was a problem connecting to the AI service. Please try again.\n"
    )


def test_a_greeting_has_no_sources_and_no_confidence() -> None:
    text = exported(answered(make_greeting()))
    assert text.endswith("## What is ROS 2?\n\nHello! Ask me about robots.\n")


# --- nothing comes alive ---


def parsed(text: str) -> list[Token]:
    """As a viewer reads it that lets everything through."""
    viewer = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return viewer.parse(text)


def headings(tokens: list[Token]) -> list[tuple[str, str]]:
    """The headings as high as a question's, as they show."""
    found = []
    for opened, inline in pairwise(tokens):
        if opened.type == "heading_open" and opened.tag in ("h1", "h2"):
            found.append((opened.tag, "".join(t.content for t in inline.children or [])))
    return found


def everything(tokens: list[Token]) -> list[Token]:
    return [t for token in tokens for t in (token, *everything(token.children or []))]


_MADE_A_LINK = re.compile(r"https?://\w|(?<![a-z0-9])www\.\w|\w@\w+\.\w", re.IGNORECASE)


def assert_nothing_is_alive(text: str) -> None:
    """No HTML, no image, no link but ours, and no address that a viewer would make a link of."""
    tokens = everything(parsed(text))
    assert not [t for t in tokens if t.type in ("html_inline", "html_block", "image")], text
    links = [str(t.attrs["href"]) for t in tokens if t.type == "link_open"]
    assert all(link.startswith(OURS) for link in links), text
    for children in (t.children or [] for t in tokens if t.type == "inline"):
        # A viewer looks for addresses in what shows, after escapes and entities are undone.
        shown, in_link = "", False
        for child in children:
            in_link = child.type == "link_open" or (in_link and child.type != "link_close")
            shown += child.content if child.type.startswith("text") and not in_link else "\0"
        assert not _MADE_A_LINK.search(shown), text


ATTACKS = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(1)</script>",
    "<!-- x -->",
    "<https://evil.example>",
    "<a@evil.example>",
    "![x](https://evil.example/p.png)",
    "![x][1]",
    "Wow![1]",
    "[x](https://evil.example)",
    "[x](javascript:alert(1))",
    "[1](https://evil.example)",
    "[x][y]\n\n[y]: https://evil.example",
    "[x]\n\n[x]: /evil",
    "> [x]: /evil\n\n[x]",
    "[^1]\n\n[^1]: note",
    "see https://evil.example/a_b. And www.evil.example",
    "https\\://evil.example and https:\\/\\/evil.example and www\\.evil.example",
    "\\https://evil.example",
    "HTTPS://EVIL.EXAMPLE xhttps://evil.example",
    "_www.evil.example_ and _https://evil.example_",
    "h&#116;tps://evil.example &#60;b&#62; https&colon;//evil.example",
    "write to a.b@evil.example or a\\@evil.example",
    "`a` b` <img src=x>",
    "a ` b\nc ` <img src=x> ` d",
    "`` a ` <img src=x> ` b",
    "\\`<img src=x>`",
    "\\\\`a` <img src=x>",
    "`a`https://evil.example`b`",
    "``a``https://evil.example `<img src=x>`",
    "```\n<img src=x>",
    "```\na\n```\n<img src=x>",
    "```\na\n    ```\n<img src=x>\n```\n<img src=x>",
    "- ```\n<img src=x>\n```",
    "2. ```\n<img src=x>\n   ```\n<img src=x>",
    "text\n2. ```\n   <img src=x>\n   ```",
    "- a\n\n   ```\n<img src=x>\n   ```",
    "- a\n\n      ```\n      <img src=x>\n      ```",
    "text\n      ```\n<img src=x>\n      ```",
    "text\n      ```\n      x ``` <img src=x>\n      ```",
    "10. a\n\n    ```\n\t<img src=x>\n    ```",
    "> ```\n<img src=x>\n```\n<img src=x>",
    "> ```\n> <img src=x>\n> ```\n> <img src=x>",
    "- > ```\n  > <img src=x>\n<img src=x>",
    "> > ```\n> <img src=x>\n> ```",
    "~~~ ` \n<img src=x>\n~~~\n<img src=x>",
    "``` a`b\n<img src=x>\n```",
    "a\r```\r<img src=x>",
    "    <img src=x>\n\n<img src=x>",
    "| a | b |\n|---|---|\n| `x | <img src=x> | y` |",
    "| a | b |\n|---|---|\n| `a | b` ` <img src=x> ` |",
    "a | b\n:-:|-\n`a | b` ` <img src=x> `",
    "| a |\n:--\n| `a | b` ` <img src=x> ` |",
    "$<img src=x>$ and $$[x](/evil)$$ and \\(<b>\\) and \\[![x](/evil)\\]",
    "$$\n[x]: /evil\n$$\n\n[x]",
    "$$\n# a\n<img src=x>\n$$",
    "$[x$ y $](/evil)$",
    "$$\nhttps://evil.example\n$$",
    "\\[x](/evil) \\\\[x](/evil) \\![x](/evil)",
    "[a\n](/evil)",
    "[a `]` b](/evil)",
    "<b\nonclick=x>",
    "<",
    "\\",
    "`",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_an_answer_says_comes_alive(attack: str) -> None:
    response = make_response(answer=f"A [1].\n\n{attack}\n\nB [1].")
    text = exported(answered(response))
    assert_nothing_is_alive(text)
    assert headings(parsed(text)) == [("h1", "Of nodes"), ("h2", "What is ROS 2?")]
    assert "\n\nSources:\n\n" in text
    shown = [t.content for t in parsed(text) if t.type == "inline"]
    assert "Confidence: high (0.87)" in shown, "the rest is not swallowed"


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_else_in_a_conversation_comes_alive(attack: str) -> None:
    cited = make_citation(title=f"T {attack}", heading=attack, quote=f"Q {attack}"[:200])
    response = make_response(answer="See [1], `code <b>` and [1].", citations=(cited,))
    turn = answered(
        response,
        question=make_question(f"Q {attack}", passage=attack, timestamp=NOON),
        rating=Rating.UP,
        comment=attack,
    )
    refused = answered(make_refusal(nearest=(cited,)))
    text = exported(turn, refused, title=attack, book=attack)
    assert_nothing_is_alive(text)
    assert [tag for tag, _ in headings(parsed(text))] == ["h1", "h2", "h2"]
    links = [t for t in everything(parsed(text)) if t.type == "link_open"]
    assert len(links) == 4, "two markers, a source, a nearest section"


FRAGMENTS = (
    *("`", "``", "```", "~~~", "\n", "\n\n", " ", "   ", "    ", "\t", "- ", "1. ", "2. ", "> "),
    *("# ", "===", "---", "|", "|---|---|", ":--", "[", "]", "(", ")", "](", "]:", "!", "<", ">"),
    *("<img src=x>", "<b>", "</b>", "<!--", "-->", "[1]", "[x]", "[x]: /evil", "[x](/evil)"),
    *(
        "\\",
        "$",
        "$$",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "*",
        "_",
        "&lt;",
        "&#91;",
        "a",
        "Word",
        "{",
        "}",
    ),
    *("https://evil.example", "www.evil.example", "a@evil.example", "https:", "//evil.example"),
)
mess = st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("".join)


@settings(max_examples=200, deadline=None)
@given(answer=mess, text=mess)
def test_no_mess_comes_alive_or_breaks_the_document(answer: str, text: str) -> None:
    cited = make_citation(title=f"T{text}", heading=text[:50], quote=text[:200])
    response = make_response(answer=f"A [1].\n\n{answer}", citations=(cited,))
    question = make_question(f"Q{text}", passage=text, timestamp=NOON)
    document = exported(answered(response, question=question), title=text, book=text)
    assert_nothing_is_alive(document)
    assert [tag for tag, _ in headings(parsed(document))] == ["h1", "h2"]
    shown = [t.content for t in parsed(document) if t.type == "inline"]
    assert "Confidence: high (0.87)" in shown


# --- what an answer keeps ---


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("**Bold**, *it*, ~~no~~\n\n- a\n- b\n\n1. c", None),
        ("| a | b |\n|---|---|\n| `x \\| y` | 2 |", None),
        ("Run `cmd | grep <x>` and ``a ` b``.", None),
        ("```python\nx = a[1]  # <b>\n\n    y\n```\nand on", None),
        ("1. Do:\n   ```sh\n   ls [1]\n     -l\n   ```\n2. Done", None),
        ("Let $a_{[i]} < b$ and \\(x\\) and \\[y\\] be $$z$$.", None),
        ("$$\na &= b \\\\\nc &= d\n$$", None),
        ("a < b, R&D, 5 > 3, &lt;tag&gt;, \\*stars\\*", None),
        ("Costs $5 and $6.", None),
        ("a\r\n\r\nb\rc\x00", "a\n\nb\nc"),
        ("# A\n## B\n##### C\n#tag", "### A\n#### B\n###### C\n#tag"),
        ("a\n===\nb\n---\nc", "a\n\\===\nb\n***\nc"),
        ("in [0, 1] or [9]", "in \\[0, 1\\] or \\[9\\]"),
        ("> ```\n> a\n> ```\n> b", "```\na\n```\n> b"),
        ("1. ```\n   a\n   ```", "1.\n   ```\n   a\n   ```"),
        ("```mermaid\ngraph\n```", "```\ngraph\n```"),
        ("```py {=html}\n<b>\n```", "```py\n<b>\n```"),
        ("```\nopen", "```\nopen\n```"),
        ("see https://a.example/x_(y).", "see `https://a.example/x_(y`)."),
    ],
)
def test_formatting_code_and_formulas_stay(answer: str, kept: str | None) -> None:
    assert safe_answer(answer, {}) == (answer if kept is None else kept)


def test_markers_in_code_stay_markers() -> None:
    links = {1: f"[T]({OURS})"}
    assert safe_answer("a[1] `a[1]`\n```\na[1]\n```", links) == (
        f"a[T]({OURS}) `a[1]`\n```\na[1]\n```"
    )


# --- JSON ---

TURNS = (
    answered(rating=Rating.UP, comment="Good.\n„Ja“ 🤖"),
    answered(make_refusal(timestamp=NOON), turn_id="turn-2", number=2),
    answered(make_failure(timestamp=NOON), turn_id="turn-3", number=3, rating=Rating.DOWN),
    answered(make_greeting(timestamp=NOON), turn_id="turn-4", number=4),
    answered(
        question=make_question(
            "About this?", passage="A node.", top_k=7, threshold=0.25, metadata={"a": [1, None]}
        ),
        turn_id="turn-5",
        number=5,
    ),
)
CONVERSATION = Exported(
    id="c", title="Of nodes", book="The Book", started_at=NOON, exported_at=NOON, answers=TURNS
)


def test_a_conversation_comes_back_equal_from_json() -> None:
    assert from_json(json.loads(json.dumps(to_json(CONVERSATION)))) == CONVERSATION
    empty = CONVERSATION.model_copy(update={"answers": ()})
    assert from_json(to_json(empty)) == empty


def test_json_has_the_shape_that_is_promised() -> None:
    data = to_json(CONVERSATION)
    first = data["turns"][0]
    assert {k: v for k, v in data.items() if k != "turns"} == {
        "format": "lectern-conversation",
        "version": 1,
        "id": "c",
        "title": "Of nodes",
        "book": "The Book",
        "started_at": "2025-12-12T12:00:00Z",
        "exported_at": "2025-12-12T12:00:00Z",
    }
    assert (first["number"], first["question"], first["passage"]) == (1, "What is ROS 2?", "")
    assert (first["asked_at"], first["rating"]) == ("2025-12-12T12:00:00Z", "up")
    assert first["response"]["sources"][0]["chunk_id"] == "chunk-1"
    assert data["turns"][1]["rating"] is None
    assert data["turns"][4]["passage"] == "A node."


@pytest.mark.parametrize("data", [None, [], "x", {}, {"format": "other", "version": 1}])
def test_something_else_is_refused_in_words(data: object) -> None:
    with pytest.raises(InvalidInput, match="not a conversation that Lectern exported"):
        from_json(data)


def test_a_newer_version_is_refused_in_words() -> None:
    with pytest.raises(InvalidInput, match=r"another Lectern \(format 2; this one reads 1\)"):
        from_json({**to_json(CONVERSATION), "version": 2})


def damaged(**over: object) -> dict[str, Any]:
    return {**to_json(CONVERSATION), **over}


@pytest.mark.parametrize(
    "data",
    [
        damaged(turns=None),
        damaged(turns=[None]),
        damaged(turns=[{}]),
        damaged(id=""),
        damaged(started_at="noon"),
        damaged(surprise=1),
        damaged(turns=[{**to_json(CONVERSATION)["turns"][0], "response": []}]),
        damaged(turns=[{**to_json(CONVERSATION)["turns"][0], "response": {}}]),
        damaged(turns=[{**to_json(CONVERSATION)["turns"][0], "asked_with": None}]),
        damaged(turns=[{**to_json(CONVERSATION)["turns"][0], "rating": "sideways"}]),
        {k: v for k, v in to_json(CONVERSATION).items() if k != "turns"},
    ],
)
def test_what_is_damaged_is_refused_in_words(data: object) -> None:
    with pytest.raises(InvalidInput, match="This conversation is damaged"):
        from_json(data)


def test_an_address_that_is_no_address_is_refused() -> None:
    data = to_json(CONVERSATION)
    data["turns"][0]["response"]["sources"][0]["metadata"]["url"] = "javascript:alert(1)"
    with pytest.raises(InvalidInput, match="damaged"):
        from_json(data)
