"""What Lectern says in its own words."""

import pytest

from rag import replies
from rag.domain.answer import REFUSAL_PHRASE, Confidence
from rag.domain.retrieval import Fate
from tests.builders import make_chunk, make_question, make_retrieval, make_retrieved

TOPICS = ("ROS 2", "Simulation", "Humanoid motion")


@pytest.mark.parametrize("text", ["hi", "Hello!", "help", "what can you do?", "ok"])
def test_a_greeting_says_what_the_book_covers(text: str) -> None:
    said = replies.greeting(text, "Robots", TOPICS)
    assert "*Robots*" in said
    assert "It covers ROS 2, Simulation and Humanoid motion." in said
    assert REFUSAL_PHRASE not in said


def test_a_greeting_without_modules_still_names_the_book() -> None:
    assert "covers" not in replies.greeting("hi", "Robots", ())
    assert "It covers ROS 2." in replies.greeting("hi", "Robots", ("ROS 2",))


@pytest.mark.parametrize("text", ["thanks", "thank you!", "ty", "thx", "ok cheers", "bye, thanks"])
def test_thanks_are_answered(text: str) -> None:
    assert replies.greeting(text, "Robots", TOPICS).startswith("You're welcome")


@pytest.mark.parametrize("text", ["bye", "Goodbye!", "see you"])
def test_a_farewell_is_answered(text: str) -> None:
    assert replies.greeting(text, "Robots", TOPICS).startswith("Goodbye")


ASKED = ["What is ROS 2?", "How do I install it?", "What is Nav2?"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What did we discuss first?", "You first asked: “What is ROS 2?”"),
        ("What did we start with?", "You first asked: “What is ROS 2?”"),
        ("what did I ask at the beginning?", "You first asked: “What is ROS 2?”"),
        ("what was my last question?", "Just before this you asked: “What is Nav2?”"),
        ("what did I just ask?", "Just before this you asked: “What is Nav2?”"),
        ("what was my second question?", "Your second question was: “How do I install it?”"),
        (
            "summarize our conversation",
            "So far you asked:\n\n1. What is ROS 2?\n2. How do I install it?\n3. What is Nav2?",
        ),
    ],
)
def test_a_look_back_tells_what_was_asked(text: str, said: str) -> None:
    assert replies.look_back(text, ASKED) == said


def test_an_ordinal_nobody_reached_lists_what_there_is() -> None:
    assert replies.look_back("what was my fifth question?", ASKED).startswith("So far you asked")


def test_a_look_back_at_nothing_says_so() -> None:
    assert "haven't discussed anything" in replies.look_back("What did we discuss first?", [])


def test_a_long_question_is_one_short_line_of_the_list() -> None:
    said = replies.look_back("recap", ["What is\n\n# ROS 2?", "word " * 400])
    first, second = said.split("\n\n")[1].split("\n")
    assert first == "1. What is # ROS 2?"
    assert len(second) < 180
    assert second.endswith(" …")


def test_a_refusal_says_so_and_names_the_nearest_sections() -> None:
    retrieval = make_retrieval(*[Fate.BELOW_THRESHOLD] * 2, unknown_words=("pasta", "sauce"))
    said = replies.refusal("Robots", retrieval, replies.nearest_sections(retrieval))
    assert said.startswith(REFUSAL_PHRASE)
    assert "*Robots*" in said
    assert "The book never mentions “pasta” or “sauce”." in said
    assert "- ROS 2 Basics - What is ROS 2?" in said


def test_a_refusal_says_what_was_looked_for_as_it_was_understood() -> None:
    retrieval = make_retrieval(chunks=(), total_candidates=0, filtered_count=0)
    assert replies.nearest_sections(retrieval) == ()
    resolved = retrieval.model_copy(update={"query": "What is the\n price of the *gripper*?"})
    assert replies.refusal("Robots", resolved, ()) == (
        f"{REFUSAL_PHRASE} about that in *Robots*. "
        "I looked for “price gripper” and found no passage that answers it."
    )


def test_a_refusal_of_a_question_without_telling_words_is_one_sentence() -> None:
    retrieval = make_retrieval(query="What is it?")
    said = replies.refusal("Robots", retrieval, ())
    assert said == f"{REFUSAL_PHRASE} about that in *Robots*."


def test_what_was_looked_for_is_shortened_and_cannot_be_markup() -> None:
    long = replies.refusal("Robots", make_retrieval(query="rivers and mountains " * 90), ())
    sought = long.partition("“")[2].partition("”")[0]
    assert sought.endswith(" …")
    assert len(sought) < 90
    query = "<img src=x> [a](http://x.example) **b** `c` | $d$ # e"
    sly = replies.refusal("Robots", make_retrieval(query=query), ())
    assert not set("<>[]()*`|$#") & set(sly.partition("“")[2].partition("”")[0])


def test_a_refusal_ends_with_one_line_for_each_nearest_section() -> None:
    retrieval = make_retrieval(Fate.BELOW_THRESHOLD)
    nearest = replies.nearest_sections(retrieval)
    before, lines = replies.refusal("Robots", retrieval, nearest).split("\n\n")
    assert before.endswith("The nearest sections are:")
    assert lines == f"- {nearest[0].label}"


def test_a_passage_that_does_not_tell_leads_to_the_whole_book() -> None:
    asked = make_question("What's the weather?", passage="A gripper closes.")
    retrieval = make_retrieval(Fate.BELOW_THRESHOLD, question=asked, unknown_words=("weather",))
    assert replies.refusal("Robots", retrieval, ()) == (
        f"{REFUSAL_PHRASE} about that in this passage of *Robots*. I looked for “weather” in it. "
        "The book never mentions “weather”. You can ask the whole book instead."
    )


def test_many_unknown_words_are_not_all_recited() -> None:
    retrieval = make_retrieval(unknown_words=("a", "b", "c", "d"))
    said = replies.refusal("Robots", retrieval, ())
    assert "“a”, “b” or “c”." in said
    assert "“d”" not in said


def test_the_nearest_sections_are_the_best_three_each_once() -> None:
    headings = ["One", "One", "Two", "Three", "Four"]
    chunks = tuple(
        make_retrieved(
            n,
            similarity=0.2,
            fate=Fate.BELOW_THRESHOLD,
            chunk=make_chunk(n, heading_path=("ROS 2 Basics", heading)),
        )
        for n, heading in enumerate(headings, start=1)
    )
    nearest = replies.nearest_sections(make_retrieval(chunks=chunks))
    assert [(c.index, c.heading, c.chunk_id) for c in nearest] == [
        (1, "One", "chunk-1"),
        (2, "Two", "chunk-3"),
        (3, "Three", "chunk-4"),
    ]
    assert all(c.quote in chunks[0].chunk.text or c.quote for c in nearest)


def test_a_refusals_confidence_is_only_how_near_the_book_came() -> None:
    retrieval = make_retrieval(Fate.BELOW_THRESHOLD)
    assert replies.refusal_confidence(retrieval) == Confidence(retrieval_quality=0.1)
