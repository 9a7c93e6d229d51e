"""Follow-ups: what leans on the conversation gets its topic, what doesn't is left alone."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.followups import Kind, leans, resolve, topic_of
from rag.text import content_terms
from tests.conftest import GOLDEN

LEANING = """
How do I install it?|why?|and for humanoids?|explain that in simpler terms|what about services?
Which topics does it listen to?|which one is faster?|give me an example|tell me more|how so?
what hardware do I need for that|its limits?|Ok so and what about services?
thanks! how do I install it?|hi, how do I install it?|why is that?|how come?|what else?|like what?
such as?|can you elaborate?|explain it like I'm five|what are the steps?|what are the advantages?
is it hard?|is that safe?|is that safe for children?|how does that affect balance?|in Python?
on Windows?|without a GPU?|for example?|can I use it without a GPU?|Does Unity support it?
Can a laptop run it?|How does Unity differ from it?|what is the difference between it and Unity?
how long does it take?|how long does it take to install?|what does it mean?|what's it for?
What if it's too slow?|what's next?|and?|again?|show me the code|could you summarize that?
In Python, how do I use it?|How do they differ?|who invented it?|What sensors does its hand have?
Which topics and services does it offer?|is it possible to install it on Windows?
And can it run on Windows?|more details please|go on|What is its main weakness?
does it work with Unity?|is it better than Unity?|how do I connect a camera to it?
Would a GPU change that?|How does Unity do this without a master?|how can I test that?|so what?
same for actions?|Is it able to climb stairs?|Is it similar to URDF?|how is it used?
what if the battery dies?|which ones are free?|which one should I use?|What is this?|but why?
ok, and how?|Does that work in simulation?|how hard is it?|what are those?|are there alternatives?
is there a faster way?|how do I use this with Nav2?|compare them|when should I use them?
what are its pros and cons?|how do I debug it when it crashes?|what are you using it for?
what can you do with it?|What about one that never changes?|Does the word stop need one too?
And what changes if the robot walks on two legs?|What changes when it has to climb stairs?
How can I check that a new value for it is valid?|Why add an IMU to that?|HOW DO I INSTALL IT
how do i install it|What’s it good for?|Ok. Thanks. And why?|what did you say about that?
any downsides?|what's the catch?|Is there a simpler version?|what comes after that?
"""
STANDALONE = """
What is a topic and how does it work?|What is this book based on?|robots that walk
Is it possible to run ROS 2 on Windows?|How long does it take to install ROS 2?
What does it mean to calibrate a camera?|which sensor is best for that task in a kitchen
hi, what is ROS 2?|What is ROS 2?|How does a robot keep its balance?|How do robots use their hands?
If a robot falls, how does it get up?|When a robot falls does it break?
What does a node do when it starts?|Why is it important to calibrate a camera?
how hard is it to learn ROS 2?|is it worth learning ROS 2?|Is it safe to touch a robot arm?
is it better to use Gazebo or Unity?|what makes it hard to balance on two legs?
When it comes to sensors, which is best?|How much does it cost to build a humanoid?
does it matter which camera I use?|Does it make sense to use a lidar indoors?
What did we learn from passive walking?|What is covered in this chapter?
How can one calibrate a camera?|How do I write a node and run it?|Can one robot control another?
How do I mount a camera and calibrate it?|And what is a service?|what is the one thing a robot needs
tell me more about services|give me an example of a service|explain the ZMP in simpler terms
How do I check that the camera works?|how do robots that walk keep their balance
What is the difference between topics and services?|Which is faster, Gazebo or Unity?
How does a robot know where it is?|How does a controller know it is stable?|launch files|humanoid
how do I make sure that a robot stops|In ROS 2, what is a node and how does it work?|What is QoS
what are the parts of a URDF file?|How do I stop a robot?|Does this book cover Unity?
What is a node? How does it work?|What happens if a joint exceeds its limit?|help me install ROS 2
why do humanoids fall when they walk fast?|who wrote this textbook?|thanks, what is a node?
What does that chapter on balance say?|how many nodes can one computer run?
Is it true that ROS 2 needs no master?|Wie funktioniert ein Roboter?|机器人是什么
What's the difference between ROS 1 and ROS 2?|how do I set up ROS 2 so that it starts at boot
What is it like to work with a humanoid?|my arm keeps sinking slowly why is that
i have an arduino and want it to listen how do i flash that|What did you say about ROS 2?
What is the conversation between nodes called?|What do you say to a robot?|list the chat nodes
Does it hurt accuracy to lower the camera resolution?|How would one tune a PID loop?
what is it called when a robot estimates its own position?|What topics did we cover in module 1?
Which topics does the book cover?
"""
GREETINGS = """
hi|Hello!|hello 👋|hey there|good morning|Good evening, tutor|thanks|thank you so much!|ok thanks
bye|who are you?|what can you do?|help|thanks, that helps|thanks again|great|ok|thx!!|yo|hiii
how are you doing today?|I see, thanks|got it|nice to meet you|hello and good day|cheers
"""
LOOK_BACKS = """
What did we discuss first?|what was my first question|summarize our conversation
what did I ask first?|what have we talked about so far?|recap|recap please
remind me what we discussed|which questions did I ask?|what was your last answer?
What topics did we cover?|what did I just ask?
how many questions have I asked|what were we talking about?|Summarize this chat
what was the first thing we talked about|can you summarize what we discussed?|What have we covered?
what did you tell me earlier|what was my second question?|What did I say?
"""
TOPIC = "Gazebo Harmonic"


def table(text: str) -> list[str]:
    return [entry.strip() for line in text.strip().split("\n") for entry in line.split("|")]


@pytest.mark.parametrize("question", table(LEANING))
def test_a_leaning_question_gets_the_topic(question: str) -> None:
    found = resolve(question, TOPIC)
    assert found.kind is Kind.FOLLOW_UP
    assert TOPIC in found.query
    added = set(content_terms(question)) - {"hi", "five"}
    assert added <= {*content_terms(found.query), "thank", "lik"}


@pytest.mark.parametrize("question", table(LEANING))
def test_without_a_topic_nothing_is_invented(question: str) -> None:
    found = resolve(question)
    assert (found.kind, found.query) == (Kind.STANDALONE, question)


@pytest.mark.parametrize("question", table(STANDALONE))
def test_a_question_with_its_own_topic_is_left_alone(question: str) -> None:
    found = resolve(question, TOPIC)
    assert (found.kind, found.query) == (Kind.STANDALONE, question)
    assert found.topic
    assert TOPIC not in found.topic


@pytest.mark.parametrize("text", table(GREETINGS))
def test_a_greeting_keeps_the_topic(text: str) -> None:
    assert resolve(text, TOPIC) == (Kind.GREETING, text, TOPIC)


@pytest.mark.parametrize("text", table(LOOK_BACKS))
def test_a_look_back_keeps_the_topic(text: str) -> None:
    assert resolve(text, TOPIC) == (Kind.LOOK_BACK, text, TOPIC)


@pytest.mark.parametrize(
    ("question", "query"),
    [
        ("How do I install it?", "How do I install Nav2?"),
        ("What is its main weakness?", "What is Nav2's main weakness?"),
        ("What if it's too slow?", "What if Nav2 is too slow?"),
        ("is it possible to run it on Windows?", "is it possible to run Nav2 on Windows?"),
        ("explain that in simpler terms", "explain Nav2 in simpler terms"),
        ("and for humanoids?", "Nav2: for humanoids?"),
        ("Ok so and what about services?", "Nav2: services?"),
        ("why?", "Nav2: why?"),
        ("and?", "Nav2"),
        ("which one is faster?", "Nav2: which one is faster?"),
        ("How does Nav2 do this?", "How does Nav2 do this?"),
    ],
)
def test_the_topic_takes_the_pronouns_place(question: str, query: str) -> None:
    assert resolve(question, "Nav2").query == query


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("What is ROS 2?", "ROS 2"),
        ("hi, can you explain what a URDF file is?", "URDF file"),
        ("How do I install ROS 2?", "ROS 2"),
        ("What is the difference between topics and services?", "topics and services"),
        ("Is it possible to run ROS 2 on Windows?", "ROS 2 on Windows"),
        ("What is a wake word?", "wake word"),
        ("What is a humanoid robot, and why give a robot that shape?", "humanoid robot"),
        ("What does a node do when it starts?", "node"),
        ("how do I do it", ""),
        ("What is a test?", "test"),
        ("robot " * 400, ("robot " * 15).strip()),
    ],
)
def test_the_topic_is_what_a_question_names(question: str, topic: str) -> None:
    assert topic_of(question) == topic


def follow(*questions: str) -> list[str]:
    """The queries of a conversation."""
    queries, topic = [], ""
    for question in questions:
        found = resolve(question, topic)
        queries.append(found.query)
        topic = found.topic
    return queries


def test_a_topic_lasts_through_several_follow_ups() -> None:
    queries = follow(
        "What is Isaac Sim?", "why?", "thanks!", "how do I install it?", "and on Linux?"
    )
    assert all("Isaac Sim" in query for query in (queries[1], queries[3], queries[4]))


def test_what_about_turns_the_talk_and_a_new_question_ends_it() -> None:
    queries = follow(
        "What is a topic?", "what about services?", "how do I call them?", "What is Nav2?", "why?"
    )
    assert queries == [
        "What is a topic?",
        "topic: services?",
        "how do I call services?",
        "What is Nav2?",
        "Nav2: why?",
    ]


def test_what_about_it_does_not_turn_the_talk() -> None:
    assert follow("What is Nav2?", "what about its limits?", "why?")[1:] == [
        "what about Nav2's limits?",
        "Nav2: why?",
    ]


def test_every_golden_follow_up_leans_and_no_other_question_does() -> None:
    for line in GOLDEN.read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        topic = TOPIC
        for earlier in case.get("history", ()):
            topic = resolve(earlier, topic).topic
        found = resolve(case["question"], topic)
        assert (found.kind is Kind.FOLLOW_UP) == bool(case.get("history")), case["question"]
        assert topic in found.query or not case.get("history")


@given(st.text(min_size=1, max_size=80), st.text(max_size=20))
def test_no_text_breaks_it(text: str, topic: str) -> None:
    found = resolve(text, topic)
    assert found.query.strip() or not text.strip()
    assert isinstance(leans(text), bool)


@pytest.mark.parametrize(
    ("before", "text", "query", "topic"),
    [
        ("What is mitosis?", "And meiosis?", "What is meiosis?", "meiosis"),
        ("What is a left join?", "what about a right join?", "What is a right join?", "right join"),
        ("What is a kite?", "and for children?", "kite: for children?", "kite"),
    ],
)
def test_a_follow_up_that_names_another_thing_asks_the_same_of_it(
    before: str, text: str, query: str, topic: str
) -> None:
    found = resolve(text, topic_of(before), before)
    assert (found.query, found.topic) == (query, topic)


def test_what_replaces_only_a_part_of_the_topic_is_added_to_it() -> None:
    before = "How do I write a letter in French?"
    found = resolve("what about German?", topic_of(before), before)
    assert "letter" in found.query
    assert "German" in found.query
