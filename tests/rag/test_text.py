"""Words, terms, sentences and blocks: nothing is lost, and the same things meet."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.text import blocks, content_terms, content_words, sentences, stem, terms, words


def split(paragraph: str) -> list[str]:
    return list(sentences(paragraph))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Call create_timer now", ["Call", "create_timer", "now"]),
        ("/cmd_vel and /tf", ["cmd_vel", "and", "tf"]),
        ("the robot's arm, don’t", ["the", "robot's", "arm", "don’t"]),
        ("Größe naïve 机器人", ["Größe", "naïve", "机器人"]),
        ("std::vector<int>; x=3.5", ["std", "vector", "int", "x", "3", "5"]),
        ("", []),
    ],
)
def test_words_are_as_written(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ros2", "ROS 2"),
        ("ROS2", "ros 2"),
        ("create_publisher", "create a publisher"),
        ("/cmd_vel", "cmd vel"),
        ("RobotStatePublisher", "robot_state_publisher"),
        ("TFBuffer", "tf buffer"),
        ("robot's", "robots"),
        ("IMUs", "IMU"),
        ("GPUs", "gpu"),
        ("walking", "walks"),
        ("Größe", "größe"),
        ("Élan", "E\u0301lan"),
        ("ﬁlter", "filter"),
        ("6D", "6 d"),
    ],
)
def test_two_spellings_meet(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))
    assert set(content_terms(one)) <= set(terms(f"{one} {other}"))
    assert set(content_terms(one)) == set(content_terms(other)) or set(terms(other)) <= set(
        terms(one)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("create_publisher", ["create_publish", "creat", "publish"]),
        ("RobotStatePublisher", ["robotstatepublish", "robot", "state", "publish"]),
        ("ros2", ["ros2", "ros", "2"]),
        ("robot's", ["robot"]),
        ("IMUs", ["imu"]),
        ("Größe", ["größe"]),
        ("f'neck_pitch", ["fneck_pitch", "f", "neck", "pitch"]),
        ("don't", ["dont"]),
        ("ABC", ["abc"]),
    ],
)
def test_an_identifier_gives_the_whole_and_its_parts_and_nothing_else(
    text: str, expected: list[str]
) -> None:
    assert terms(text) == expected


@given(st.text(max_size=80))
def test_what_carries_the_topic_is_always_among_the_terms(text: str) -> None:
    assert set(content_terms(text)) <= set(terms(text))
    assert len(content_terms(text)) == len(set(content_terms(text)))


def test_content_is_what_is_left_without_the_asking() -> None:
    assert content_words("How do I use the IMU? What's it for, and don't you know?") == ["IMU"]
    assert content_terms("What is ROS 2?") == ["ros", "2"]
    assert content_terms("how_to_use the thing") == ["how_to_us"]


def test_stems_ignore_case_and_kind_of_apostrophe() -> None:
    assert stem("Robot’s") == stem("robot's") == stem("ROBOTS") == "robot"


@pytest.mark.parametrize(
    "paragraph",
    [
        "Use e.g. ROS 2 for this.",
        "It is called i.e. Nothing else.",
        "See Fig. 3 and Eq. 4 and No. 5.",
        "As Dr. Smith and J. R. Jones wrote.",
        "Brooks et al. Showed it vs. Others.",
        "The value is 3.5 N or 1.000 in all.",
        "Run `ros2 run. Then stop. Now` first.",
        "With $x = 1. Then y$ it holds.",
        "With \\(x. Then\\) it holds.",
        "See [Chapter 1. Basics](http://a.b) now.",
        "1. Install it",
        "Version 2.1 is out",
        "it ends. here in lower case",
        "What?",
        "Wait...",
    ],
)
def test_this_is_one_sentence(paragraph: str) -> None:
    assert split(paragraph) == [paragraph]


@pytest.mark.parametrize(
    "pieces",
    [
        ["One.", "Two!", "Three?", "Four."],
        ["He said “stop.”", "Then (it did.)", "**Bold.**", "_End._"],
        ["It weighs 60 N.", "With care it walks."],
        ["Use ROS 2.", "It works."],
        ["Does it?", "No.", "It does not."],
        ["It costs $5.", "The other costs $10.", "Both work."],
        ["A stray ` tick.", "Next one.", "Third one."],
        ["Joints, sensors, etc.", "The rest follows."],
        ["So do I.", "You do too."],
        ["Take plan B.", "It is better."],
        ["Run it.", "`ros2` is the command.", "$x$ is a value.", "3 are enough."],
        ["Das ist gut.", "Übung hilft.", "Ёлка тоже."],
        ["これは文です。", "次の文です。"],
        ["Marked [1].", "Behind.", "[2] Next."],
    ],
)
def test_these_are_several_sentences(pieces: list[str]) -> None:
    assert split(" ".join(pieces)) == pieces


PROSE = st.text(alphabet='aB1.!?…。 \n`$\\()[]*_"“”,:eg\t\u2028', max_size=120)


@given(PROSE)
def test_no_sentence_loses_anything(paragraph: str) -> None:
    found = split(paragraph)
    assert "".join("".join(found).split()) == "".join(paragraph.split())
    assert all(piece and piece in paragraph for piece in found)


LINES = [
    "Some text.",
    "- item",
    "  - nested",
    "1. first",
    "  continued",
    "```python",
    "```",
    "````",
    "~~~",
    "  ```",
    "# Heading",
    "| a | b |",
    "|---|---|",
    "$$",
    "$$x$$",
    "a = b $$",
    "$$x$$ in text",
    "",
    "   ",
    "> quote",
    "with\u2028odd\x0bsigns\x85\r",
]


@given(st.lists(st.sampled_from(LINES), max_size=20))
def test_no_block_loses_a_line(lines: list[str]) -> None:
    markdown = "\n".join(lines)
    found = blocks(markdown)
    kept = [line for block in found for line in block.text.split("\n")]
    assert [line for line in kept if line.strip()] == [line for line in lines if line.strip()]
    assert all(block.text.strip() and block.text in markdown for block in found)


@pytest.mark.parametrize(
    ("markdown", "kinds"),
    [
        ("# A\ntext\nmore\n\ntext", ["heading", "text", "text"]),
        ("Steps:\n1. a\n2. b\n\n3. c\n\nend", ["text", "list", "text"]),
        ("- a\n\n  more of a\n- b", ["list"]),
        ("- a\n\tmore\n\n\tand more", ["list"]),
        ("- a\n  ```\n  x\n\n  y\n  ```\n- b\n\ntext", ["list", "text"]),
        ("- a\n```\nx\n\n# y\n```\ntext", ["list", "code", "text"]),
        ("text\n```py\nx\n\ny\n```\ntext", ["text", "code", "text"]),
        ("```md\n```js\n```\ntext", ["code", "text"]),
        ("````\n```\nx\n```\n````\ntext", ["code", "text"]),
        ("~~~\n```\n~~~\ntext", ["code", "text"]),
        ("```\nnever closed\n\n# x", ["code"]),
        ("| a |\n|---|\n| b |\ntext", ["table", "text"]),
        ("$$\nx\n$$\ntext", ["math", "text"]),
        ("$$\nx = y $$\ntext", ["math", "text"]),
        ("$$x$$\ntext", ["math", "text"]),
        ("$$x$$ is a sentence.\nMore.", ["text"]),
        ("$$ never closed\n\ntext", ["text", "text"]),
        ("#hashtag and *emphasis*", ["text"]),
        ("", []),
    ],
)
def test_each_block_is_what_it_looks_like(markdown: str, kinds: list[str]) -> None:
    assert [block.kind for block in blocks(markdown)] == kinds
