"""A section becomes questions that read as somebody would ask them."""

import pytest

from rag.suggest.phrasing import questions
from rag.suggest.sections import Section
from rag.suggest.usage import Usage, lowered
from tests.builders import make_chunk

PROSE = """\
You write a recipe and read it twice. We plan a garden in spring, and we bridge a stream.
The growing season is long, a water wheel turns, and friction slows it. They visit Rome and the
old Forum. To prune a tree you need a saw. In the Forum, people met. The soil and a garden matter.
They sail a boat from Rome to Cadiz. The engine room is hot.
```
Garden Garden garden rome rome rome rome
```
"""
USAGE = Usage.of([make_chunk(text=PROSE)])


def asked(heading: str, text: str = "") -> list[str]:
    return list(questions(Section("page", heading, ("chunk",), text), USAGE))


@pytest.mark.parametrize(
    ("heading", "question"),
    [
        ("What is yeast?", "What is yeast?"),
        ("Salt: why does it matter?", "Salt: why does it matter?"),
        ("What is yeast", "What is yeast?"),
        ("How can a boat sail upwind", "How can a boat sail upwind?"),
        ("How to prune a tree", "How do I prune a tree?"),
        ("How to prune a tree: three ways", "How do I prune a tree?"),
        ("When to water", "When should I water?"),
        ("Which tree to prune", "Which tree should I prune?"),
        ("What pruning is", "What is pruning?"),
        ("What the gods are", "What are the gods?"),
        ("What the wheel does", "What does the wheel do?"),
        ("What the wheel does not do", "Can you explain what the wheel does not do?"),
        ("What yeast is and why it dies", "Can you explain what yeast is and why it dies?"),
        ("Why Rome fell", "Can you explain why Rome fell?"),
        ("How boats sail", "Can you explain how boats sail?"),
        ("Writing a recipe", "How do I write a recipe?"),
        ("Planning the garden", "How do I plan the garden?"),
        ("Bridging a stream", "How do I bridge a stream?"),
        ("Reading and writing a recipe", "How do I read and write a recipe?"),
        ("Prune the trees", "How do I prune the trees?"),
        ("3.2 Pruning tools", "What does the book say about pruning tools?"),
        ("Example: a stone bridge", "What does the book say about a stone bridge?"),
        ("Introduction to stone bridges", "What does the book say about stone bridges?"),
        ("The old garden", "What does the book say about the old garden?"),
        ("Rome and its gardens", "What does the book say about Rome and its gardens?"),
        ("DNA and heredity", "What does the book say about DNA and heredity?"),
        ("`git rebase` and history", "What does the book say about git rebase and history?"),
        ("Gardens Of The Rich", "What does the book say about gardens of the rich?"),
    ],
)
def test_a_heading_becomes_a_question(heading: str, question: str) -> None:
    assert asked(heading) == [question]


@pytest.mark.parametrize(
    ("heading", "about"),
    [
        ("Growing season", "the growing season"),
        ("Water wheel", "a water wheel"),
        ("Friction", "friction"),
        ("Engine room of a ship", "the engine room of a ship"),
    ],
)
def test_one_thing_gets_the_article_that_the_book_gives_it(heading: str, about: str) -> None:
    assert asked(heading) == [f"What does the book say about {about}?"]


@pytest.mark.parametrize("heading", ["Inside the machine", "Siege engine", "Storm the gates"])
def test_what_no_rule_can_put_in_a_sentence_is_quoted(heading: str) -> None:
    assert asked(heading) == [f"What does the book say in “{heading}”?"]


@pytest.mark.parametrize(
    "heading", ["Building blocks", "Understanding rain", "Rigging a mast", "Sailing a boat, rowing"]
)
def test_a_gerund_is_only_turned_where_it_is_sure_to_be_a_verb_of_the_book(heading: str) -> None:
    assert not asked(heading)[0].startswith("How do I")


@pytest.mark.parametrize(
    "heading",
    """Summary|Exercises|Introduction|Overview|Further reading|References|What you will learn|
    Key points|Next steps|Chapter overview|Common mistakes|Learning objectives|Chapter 3|2. Summary|
    Getting started|Review questions|Example: Summary|—|$x^2$|<Tabs>|?""".replace(
        "\n    ", ""
    ).split("|"),
)
def test_a_heading_of_any_book_asks_nothing(heading: str) -> None:
    assert asked(heading) == []


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        ("A **quaternion** is a number with four parts.", "What is a quaternion?"),
        ("An **aqueduct** is what brings water.", "What is an aqueduct?"),
        ("**Latency** means the time you wait.", "What is latency?"),
        ("The **water cycle** is the way of water.", "What is the water cycle?"),
        ("**Leap years** are years of 366 days.", "What are leap years?"),
        ("**DNA** (a long word) is a molecule.", "What is DNA?"),
        ("**Rome** is a city.", "What is Rome?"),
        ("The **Long Wall** is one of stone.", "What is the Long Wall?"),
        ("**Big O Notation** is a way to count.", "What is Big O Notation?"),
        ("The **`ls` command** is a way to look.", "What is the ls command?"),
        ("Sourdough is a slow bread.", "What is sourdough?"),
    ],
)
def test_a_term_that_is_defined_is_asked_for(sentence: str, question: str) -> None:
    assert asked("Sourdough", f"First words.\n\n{sentence} And more.")[0] == question


@pytest.mark.parametrize(
    "sentence",
    [
        "The **first** is a stone.",
        "**Note** is a word.",
        "**Rope** is pulled by hand.",
        "**Ropes** are not chains.",
        "We call a **rope** a line.",
        "- A **rope** is a line.",
        "**$x$** is a number.",
    ],
)
def test_what_defines_nothing_is_not_asked_for(sentence: str) -> None:
    assert asked("Summary", sentence) == []


def test_a_name_is_told_by_how_the_prose_writes_it_and_not_by_its_code() -> None:
    assert USAGE.is_name("Rome")
    assert not USAGE.is_name("Garden")
    assert lowered("Garden walls of Rome", USAGE) == "garden walls of Rome"
    assert lowered("Garden Walls of Rome", USAGE) == "garden walls of Rome"
    assert lowered("Garden walls of Kyoto", USAGE) == "garden walls of Kyoto"
