"""Claims, quotes and confidence: every quote stands in its chunk, every claim has its markers."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rag.domain.answer import MAX_QUOTE_CHARS
from rag.domain.retrieval import RetrievedChunk
from rag.grounding import best_quote, cite, claims, confidence, section_of, support
from tests.builders import make_chunk, make_retrieved


def cited(*texts: str, similarity: float = 0.8) -> list[RetrievedChunk]:
    return [
        make_retrieved(n, chunk=make_chunk(n, text=text), similarity=similarity)
        for n, text in enumerate(texts, start=1)
    ]


def indices(answer: str) -> list[tuple[int, ...]]:
    return [claim.indices for claim in claims(answer)]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Nodes talk [1]. Topics carry data [2].", [(1,), (2,)]),
        ("Nodes talk. [1] Topics carry data. [2]", [(1,), (2,)]),
        ("Nodes talk.[1] Topics carry data.[2]", [(1,), (2,)]),
        ("Nodes talk [1][2]. Topics carry data! [2] [3]", [(1, 2), (2, 3)]),
        ("Nodes say “hello.” [1] Topics carry data.", [(1,), ()]),
        ("**Nodes talk.** [1] Topics carry data (all of it.) [2]", [(1,), (2,)]),
        ("Nodes talk. Topics carry data [1].", [(), (1,)]),
        ("Nodes talk [1][1].", [(1,)]),
        ("Nodes talk,\nand topics carry data [1].\n\nServices answer. [2]", [(1,), (2,)]),
        ("Use `data[7]` of nodes [1].", [(1,)]),
        ("Well, so it is [1]. Nodes talk [2].", [(2,)]),
    ],
)
def test_each_sentence_has_its_markers(answer: str, expected: list[tuple[int, ...]]) -> None:
    assert indices(answer) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("The parts are: [1]\n\n- nodes\n- topics", [(1,), (1,), (1,)]),
        ("The parts are [1]:\n- nodes [2]\n- topics", [(1,), (2,), (2,)]),
        ("The parts are:\n- nodes\n- topics [2]", [(), (2,), (2,)]),
        ("Run this [1]:\n\n```\ndata[7]\n```", [(1,), (1,)]),
        ("Run this [2]:\n```\nros2 run\n```\n\n```\nros2 topic\n```", [(2,), (2,), (2,)]),
        ("Nodes [1].\n\n| topic | data |\n|---|---|", [(1,), (1,)]),
        ("Nodes [1].\n\n## A heading\n\nTopics.", [(1,), ()]),
        ("From: [3]\n\n- nodes", [(3,)]),
        ("- nodes [1]\n- topics [2]", [(1,), (2,)]),
    ],
)
def test_a_block_rests_on_its_introduction(answer: str, expected: list[tuple[int, ...]]) -> None:
    assert indices(answer) == expected


def test_a_claim_is_the_sentence_without_its_markers() -> None:
    said = claims("Nodes talk [1]. Topics carry data. [2]\n\n```\nx = data[3]\n```")
    assert [c.text for c in said] == [
        "Nodes talk.",
        "Topics carry data.",
        "```\nx = data[3]\n```",
    ]


PROSE = ["A sentence about nodes. ", "It is 3.5 N; e.g. here. ", "“Quote.” ", "word " * 60]
BLOCKS = ["- item one\n", "# Head\n", "```py\nx = data[1]\n", "```\n", "| a |\n", "$$\nx\n$$\n"]
SPACES = ["\n", "\n\n", "\r\n", "\t", "\u2028", "\x0b", "\x85", "长" * 230, " " * 210]
MARKDOWN = st.lists(st.sampled_from([*PROSE, *BLOCKS, *SPACES]), min_size=1, max_size=15).map(
    "".join
)


@given(MARKDOWN.filter(lambda t: bool(t.strip())), st.sampled_from(["nodes", "data x", "", "word"]))
@example("line one\x0bline two of the same sentence about nodes", "nodes")
@example("- one\r\n- two about nodes\r\n- three\r\n", "nodes")
def test_every_quote_is_verbatim_short_and_not_empty(text: str, claim: str) -> None:
    quote = best_quote(claim, text)
    assert quote in text
    assert 0 < len(quote) <= MAX_QUOTE_CHARS
    (citation,) = cite("", cited(text), f"{claim} [1].")
    assert citation.quote in text


def test_the_quote_is_the_sentence_that_carries_the_claim() -> None:
    passage = "Robots walk. A node is a process that computes. Topics are named buses."
    assert best_quote("Nodes are processes", passage) == "A node is a process that computes."


def test_the_quote_of_a_long_list_holds_the_line_that_counts() -> None:
    lines = [f"- entry {n} about something else entirely" for n in range(30)]
    lines[20] = "- the deadline policy raises an event"
    quote = best_quote("A deadline raises an event", "\n".join(lines))
    assert "deadline policy" in quote


def test_a_heading_is_never_the_quote() -> None:
    assert best_quote("deadline", "## Deadline\n\nIt is the longest time.") == (
        "It is the longest time."
    )


def test_each_citation_quotes_for_the_claim_that_cites_it() -> None:
    chunks = cited("Nodes compute. Nodes run.", "Topics carry data. Topics have names.")
    first, second = cite("", chunks, "Nodes run fast [1]. Names belong to topics [2].")
    assert (first.index, first.quote) == (1, "Nodes run.")
    assert (second.index, second.quote) == (2, "Topics have names.")


@given(st.text(max_size=60), st.text(max_size=60))
def test_support_is_a_share(claim: str, passage: str) -> None:
    assert 0.0 <= support(claim, passage) <= 1.0


def test_support_counts_what_a_passage_mentions_and_numbers_double() -> None:
    passage = "A node publishes at 50 hertz."
    assert support("A node publishes", passage) == 1.0
    assert support("A node subscribes", passage) == 0.5
    assert support("A node at 60", passage) == pytest.approx(1 / 3)
    assert support("of the and", passage) == 0.0
    assert support("ros2 nodes", "ROS 2 has nodes") == 1.0


QUESTION = "What do nodes publish?"
CHUNKS = ("Nodes publish messages on topics.", "Services answer requests.")


def entailment(answer: str) -> float:
    chunks = cited(*CHUNKS)
    return confidence(QUESTION, answer, chunks, chunks).entailment


def test_a_supported_answer_is_entailed() -> None:
    assert entailment("Nodes publish messages [1]. Services answer [2].") == 1.0


@pytest.mark.parametrize(
    "worse",
    [
        "Nodes publish messages [1]. Dragons breathe fire [1].",
        "Nodes publish messages [1]. Services answer requests [1].",
        "Nodes publish messages [1]. Services answer requests.",
        "Nodes publish messages [1]. Services answer requests [7].",
        "Nodes publish messages [1]. Services answer requests [0].",
    ],
)
def test_a_sentence_its_passage_does_not_carry_lowers_entailment(worse: str) -> None:
    assert entailment(worse) < 1.0


def test_coverage_is_what_the_passages_mention_of_the_question() -> None:
    chunks = cited(*CHUNKS)
    full = confidence(QUESTION, "Nodes publish messages [1].", chunks, chunks)
    half = confidence("Do nodes dance?", "Nodes publish messages [1].", chunks, chunks)
    assert (full.coverage, half.coverage) == (1.0, 0.5)


def test_retrieval_quality_is_the_best_similarity() -> None:
    chunks = cited(*CHUNKS, similarity=0.7)
    assert confidence(QUESTION, "Nodes [1].", chunks, chunks).retrieval_quality == 0.7
    assert confidence(QUESTION, "Nodes [1].", (), ()).overall == 0.0


def test_invented_words_lower_the_overlap() -> None:
    chunks = cited(*CHUNKS)
    plain = confidence(QUESTION, "Nodes publish messages [1].", chunks, chunks)
    invented = confidence(QUESTION, "Nodes publish messages to dragons [1].", chunks, chunks)
    assert invented.lexical_overlap < plain.lexical_overlap == 1.0


@given(st.text(max_size=80), st.text(max_size=80), st.lists(st.text(min_size=1), max_size=3))
def test_every_factor_is_a_share(question: str, answer: str, texts: list[str]) -> None:
    chunks = cited(*(t for t in texts if t.strip()))
    found = confidence(question, f"{answer} [1].", chunks, chunks)
    assert all(0.0 <= value <= 1.0 for value in found.model_dump().values())


def test_the_quote_is_the_claim_that_speaks_of_the_question() -> None:
    text = "The archivist found a ledger. The mayor signed the treaty of the two towns."
    answer = "The archivist found a ledger [1]. The mayor signed the treaty of the two towns [1]."
    (citation,) = cite("Who signed the treaty?", cited(text), answer)
    assert citation.quote == "The mayor signed the treaty of the two towns."


def test_our_own_label_of_a_table_is_no_claim() -> None:
    answer = "From “Masses”: [1]\n\n| Part | Mass |\n|---|---|\n| sail | 20 g |"
    assert [claim.text[:8] for claim in claims(answer)] == ["| Part |"]


def test_a_citation_opens_the_section_its_quote_stands_in() -> None:
    chunk = make_chunk(
        text="Kites fly.\n\n### Tails\n\nA tail steadies.\n\n### Lines\n\nA line holds.",
        anchors=("kites", "tails", "lines"),
        url="https://book.example/docs/kites#kites",
    )
    for quote, heading, anchor in [
        ("Kites fly.", chunk.heading, "kites"),
        ("A tail steadies.", "Tails", "tails"),
        ("A line holds.", "Lines", "lines"),
    ]:
        place = section_of(quote, chunk)
        assert place.heading == heading
        assert place.url == f"https://book.example/docs/kites#{anchor}"
