"""Extractive answers: the book's own words, whole and in order, that read as an answer."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.domain.retrieval import RetrievedChunk
from rag.generate.base import GenerationRequest
from rag.generate.extractive import ExtractiveGenerator
from rag.generate.units import units
from rag.markers import MARKER, MarkerStream
from rag.text import content_terms
from tests.builders import make_chunk, make_retrieved


def by_shared_words(question: str, _: Sequence[str], texts: Sequence[str]) -> list[float]:
    wanted = set(content_terms(question))
    return [len(wanted & set(content_terms(t))) / (len(wanted) or 1) for t in texts]


def answer(question: str, *texts: str, headings: Sequence[str] = ()) -> str:
    passages = tuple(
        make_retrieved(
            n,
            chunk=make_chunk(n, text=text, heading_path=("Page", *headings[n - 1 : n])),
            fused=1 / n,
        )
        for n, text in enumerate(texts, start=1)
    )
    return "".join(ExtractiveGenerator(by_shared_words).stream(request(question, passages)))


def request(question: str, passages: tuple[RetrievedChunk, ...]) -> GenerationRequest:
    return GenerationRequest(question, passages, (), "extractive", 0.0, 500)


def test_the_answering_sentence_comes_with_its_number() -> None:
    text = "Kites need wind and a light frame made of bamboo or carbon. A tail keeps a kite stable."
    assert answer("Why has a kite a tail?", text).endswith("A tail keeps a kite stable [1].")


def test_every_sentence_is_verbatim_and_marked() -> None:
    text = "A kite is a tethered aircraft with wing surfaces. It needs wind to fly at all."
    said = answer("What is a kite?", text)
    assert MARKER.sub("", said).replace(" .", ".") == text
    assert len(MARKER.findall(said)) == 2


def test_a_definition_is_followed_by_what_it_goes_on_to_say() -> None:
    said = answer("What is a kite?", "A kite is a tethered aircraft. Children fly them on beaches.")
    assert "Children fly them" in said


def test_a_sentence_that_leans_back_brings_the_one_before() -> None:
    text = "The bridle joins the kite and its line in two places. It sets the angle of attack."
    assert answer("angle of attack", text).startswith("The bridle joins")


def test_a_list_comes_whole_with_its_introduction() -> None:
    text = "A kite has three parts:\n\n- a sail\n- a frame\n- a tail"
    assert answer("Which parts has a kite?", text) == (
        "A kite has three parts [1]:\n\n- a sail\n- a frame\n- a tail"
    )


def test_code_comes_whole_when_the_question_asks_how() -> None:
    text = "Start the simulator with one command.\n\n```bash\nkite fly --wind 5\n```"
    assert "```bash\nkite fly --wind 5\n```" in answer("how do i start the simulator", text)


def test_code_stays_out_when_the_question_asks_why() -> None:
    text = (
        "The simulator starts slowly because it loads the wind field from disk every time.\n\n"
        "```bash\nkite fly --wind 5\n```"
    )
    assert "```" not in answer("why is the simulator slow", text)


def test_a_sentence_that_ends_in_a_formula_brings_the_formula() -> None:
    text = "The lift of a kite in steady wind is\n\n$$\nL = c v^2\n$$\n\nwith the wind speed v."
    assert "L = c v^2" in answer("lift of a kite", text)


def test_a_table_is_introduced_by_its_section() -> None:
    text = "| Part | Mass |\n|---|---|\n| sail | 20 g |"
    said = answer("mass of the sail part", text, headings=["Masses"])
    assert said.startswith("From “Masses”: [1]\n\n| Part | Mass |")


def test_a_diagram_is_never_an_answer() -> None:
    text = "```mermaid\ngraph LR; kite-->wind\n```\n\nThe wind carries the kite up and away."
    assert "mermaid" not in answer("kite wind", text)


def test_two_passages_answer_together_in_two_paragraphs() -> None:
    said = answer(
        "kite wind tail",
        "The wind lifts the kite and its tail in the air.",
        "Without a tail the kite turns over in the wind.",
    )
    assert "[1]" in said
    assert "[2]" in said or said.count("kite") == 1


def test_the_same_is_not_said_twice() -> None:
    same = "A tail keeps the kite stable in strong wind."
    assert answer("kite tail stable wind", same, same + " Always.").count("A tail keeps") == 1


def test_a_short_answer_gets_the_sentence_before_it() -> None:
    text = "Kites are sorted by the shape of their sail, seen from below. Deltas fly best."
    assert answer("which kites fly best: deltas?", text).startswith("Kites are sorted")


def test_a_paragraph_is_not_left_with_a_hole() -> None:
    high = "Wind lifts the kite above the trees and the houses of the village, up to the clouds, "
    text = f"{high} as far as its line allows. Nothing else matters. The kite pulls the wind line."
    assert "Nothing else" in answer("kite wind", text)


def test_a_short_first_sentence_goes_on() -> None:
    assert "Nothing else" in answer("kite wind", "Wind lifts the kite. Nothing else matters here.")


def test_it_streams_in_pieces_that_join_to_the_answer() -> None:
    passages = (make_retrieved(1, chunk=make_chunk(1, text="Wind lifts a kite up into the air.")),)
    pieces = list(ExtractiveGenerator(by_shared_words).stream(request("kite", passages)))
    assert len(pieces) > 5
    assert "".join(pieces) == "Wind lifts a kite up into the air [1]."


markdown = st.lists(
    st.sampled_from(
        [
            "A kite flies. It needs wind.",
            "Steps:\n\n1. unroll\n2. launch",
            "```python\nfly()\n```",
            "| a | b |\n|---|---|\n| kite | 2 |",
            "$$\nx^2\n$$",
            "### Sails",
            "The sail is",
            "!",
        ]
    ),
    min_size=1,
    max_size=6,
).map("\n\n".join)


@given(
    st.lists(markdown, min_size=1, max_size=4), st.sampled_from(["kite wind", "how to fly", "?"])
)
def test_an_answer_invents_nothing_and_always_cites(texts: list[str], question: str) -> None:
    said = answer(question, *texts)
    if not any(units([make_retrieved(1, chunk=make_chunk(1, text=t))]) for t in texts):
        return
    plain = re.sub(r"From “.*?”:", "", MARKER.sub("", said))
    book = " ".join(texts)
    assert all(word in book for word in re.findall(r"\w+", plain))
    assert MARKER.search(said)


@pytest.mark.parametrize("text", ["### Only a heading", "!"])
def test_passages_without_a_sentence_do_not_crash(text: str) -> None:
    assert isinstance(answer("kite", text), str)


def test_a_definition_comes_first_when_one_is_asked_for() -> None:
    text = (
        "Kites and the kite trade grew together for a long time in many lands of the far east.\n\n"
        "A **kite** (a toy) is a tethered aircraft that flies in the wind of an open field."
    )
    assert answer("What is a kite?", text).startswith("A **kite** (a toy) is")


def test_code_is_quoted_only_for_who_asks_for_it() -> None:
    text = "```bash\nkite fly --wind 5\n```"
    assert "```" in answer("how do i fly with wind", "Kites need a tail and a line.", text)
    assert "```" not in answer("why does it fly with wind", "Kites need a tail and a line.", text)


def test_a_listing_is_not_followed_by_another() -> None:
    listing = "```bash\nkite fly --wind {}\n```"
    said = answer("how to kite fly wind", listing.format(1), listing.format(2))
    assert said.count("```bash") == 1


def test_a_bold_label_is_no_sentence() -> None:
    said = answer("how to fly a kite", "**fly.py**\n\n```python\nkite.fly()\n```")
    assert "fly.py" not in said
    assert said.startswith("From “")


@pytest.mark.parametrize(
    "text",
    [
        "The rating of a kite lies in the closed interval [1, 5] of the real line.",
        "The element A[2] of a kite array follows Smith [3] and Jones [12].",
        "A kite mark is no citation[^1] and no kite link either.",
        "| kite | Smith [1] |\n|---|---|\n| kite | [2] |",
    ],
)
def test_the_books_own_brackets_are_no_citations(text: str) -> None:
    passages = (make_retrieved(1, chunk=make_chunk(1, text=text)), make_retrieved(2))
    stream = MarkerStream(passages)
    pieces = ExtractiveGenerator(by_shared_words).stream(request("kite", passages[:1]))
    said = "".join(stream.feed(piece) for piece in pieces) + stream.finish()
    assert [c.chunk.text for c in stream.cited] == [text]
    assert stream.dropped == 0
    plain = re.sub(r" \[1\](?=[.:]|$)", "", said.replace("\u2060", ""), count=1)
    assert text in plain or text in said.replace("\u2060", "")


def test_brackets_in_code_and_formulas_stay_as_they_are() -> None:
    said = answer("kite array", "A kite array is read as `a[1]` or as $x \\in [0, 1]$ in the book.")
    assert "`a[1]`" in said
    assert "$x \\in [0, 1]$" in said


def test_a_sentence_that_announces_nothing_is_left_out() -> None:
    text = "A kite tail is long and made of cloth and silk. A kite tail has these parts:"
    assert not answer("kite tail", text).rstrip().endswith(":")


def test_what_was_added_before_an_answer_does_not_lean_back() -> None:
    text = "The bridle holds a kite. It has two legs. They meet. Deltas fly best of all."
    assert answer("deltas fly best", text).startswith("The bridle")


def test_a_short_passage_that_is_its_own_question_is_told_whole() -> None:
    text = (
        "Kites need wind.\n\n```sh\nfly --high\n```\n\nA tail keeps them stable:\n\n- long\n- light"
    )
    said = answer(text, text, headings=["Flying"])
    assert MARKER.sub("", said).replace(" .", ".").replace(" :", ":") == text
    assert set(MARKER.findall(said)) == {"1"}


def test_of_a_long_passage_the_sentences_that_carry_most_are_told() -> None:
    filler = [f"Nothing much is said about number {n} by anybody anywhere." for n in range(20)]
    telling = "Kites, tails, bridles, reels and lines are made of silk, bamboo, paper and glue."
    text = " ".join([*filler[:10], telling, *filler[10:]])
    said = answer(text, text)
    assert telling[:-1] in said
    assert 300 < len(MARKER.sub("", said)) < 1000
