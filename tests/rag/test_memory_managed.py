"""What people do with their conversations: find, rename, delete, restore, rate."""

from datetime import timedelta
from pathlib import Path

import pytest

from rag.domain.answered import Rating
from rag.domain.base import utc_now
from rag.domain.errors import InvalidInput
from rag.domain.turn import Turn
from rag.memory import Memory
from rag.memory.schema import KEPT_AFTER_DELETE
from tests.builders import NOON, make_question, make_turn
from tests.rag.memory_samples import ask, raw


def titles(memory: Memory, search: str = "", owner: str = "ada") -> list[str]:
    return [summary.title for summary in memory.conversations(owner, search)]


def save(memory: Memory, text: str, conversation: str, owner: str = "ada") -> Turn:
    return memory.save_turn(ask(text, conversation=conversation), owner)


# --- one conversation ---


def test_a_summary_is_the_owners_only(memory: Memory) -> None:
    save(memory, "What is a node?", "a")
    summary = memory.summary("a", "ada")
    assert summary == memory.conversations("ada")[0]
    assert summary is not None
    assert (summary.title, summary.turn_count) == ("What is a node?", 1)
    assert memory.summary("a", "bob") is None
    assert memory.summary("a", "") is None
    assert memory.summary("b", "ada") is None
    memory.delete("a", "ada")
    assert memory.summary("a", "ada") is None


# --- the list ---


def test_a_list_has_at_most_so_many(memory: Memory) -> None:
    for n in range(5):
        moment = NOON + timedelta(hours=n)
        turn = make_turn(question=make_question(f"{n}?"), conversation_id=f"c{n}", timestamp=moment)
        memory.save_turn(turn, "ada")
    assert [s.id for s in memory.conversations("ada", limit=2)] == ["c4", "c3"]
    assert [s.id for s in memory.conversations("ada", search="?", limit=2)] == ["c4", "c3"]


def test_a_search_looks_in_titles_and_questions(memory: Memory) -> None:
    save(memory, "What is a node?", "a")
    memory.save_turn(ask("And how do I stop a timer?", 2, "a"), "ada")
    save(memory, "What is a topic?", "b")
    assert titles(memory, "topic") == ["What is a topic?"]
    assert titles(memory, "timer") == ["What is a node?"]
    assert sorted(titles(memory, "what is")) == ["What is a node?", "What is a topic?"]
    assert titles(memory, "frobnicate") == []
    memory.rename("b", "ada", "Frobnication")
    assert titles(memory, "frobnicat") == ["Frobnication"]


def test_a_search_counts_every_turn_of_what_it_finds(memory: Memory) -> None:
    save(memory, "What is a node?", "a")
    memory.save_turn(ask("And a timer?", 2, "a"), "ada")
    assert memory.conversations("ada", search="timer")[0].turn_count == 2


def test_a_search_finds_only_ones_own_and_nothing_deleted(memory: Memory) -> None:
    save(memory, "My node?", "a")
    save(memory, "Bob's node?", "b", "bob")
    assert titles(memory, "node") == ["My node?"]
    memory.delete("a", "ada")
    assert titles(memory, "node") == []


@pytest.mark.parametrize(
    ("question", "search"),
    [
        ("What is a Node?", "nODE"),
        ("WAS IST GRÖSSER?", "größer"),
        ("Was ist größer?", "GRÖSSER"),
        ("Что такое УЗЕЛ?", "узел"),
        ("ΤΙ ΕΙΝΑΙ ΚΟΜΒΟΣ;", "κόμβος".replace("ό", "ο")),
        ("Is 100% enough?", "100%"),
        ("Is a_b a name?", "a_b"),
        ("Where is C:\\temp?", "c:\\TEMP"),
        ("Half/half?", "f/h"),
        ("It's quoted; DROP TABLE turns?", "it's quoted; drop"),
        ("  Spaced   out?", " spaced \n out? "),
    ],
)
def test_a_search_takes_what_was_typed_literally_in_any_case(
    memory: Memory, question: str, search: str
) -> None:
    save(memory, "Something quite else", "other")
    save(memory, question, "a")
    assert [s.id for s in memory.conversations("ada", search)] == ["a"]


@pytest.mark.parametrize("search", ["%", "_", "n%e", "n_de", "/%", "\\", "[a-z]", "*"])
def test_a_wildcard_is_a_letter_like_any_other(memory: Memory, search: str) -> None:
    save(memory, "What is a node?", "a")
    assert memory.conversations("ada", search) == []


@pytest.mark.parametrize("search", ["x" * 60_000, "%" * 2001, "\0", "no\0de", "\ud800"])
def test_what_no_question_can_hold_finds_nothing(memory: Memory, search: str) -> None:
    save(memory, "What is a node?", "a")
    assert memory.conversations("ada", search) == []


def test_the_longest_question_is_found_by_its_own_words(memory: Memory) -> None:
    save(memory, "%" * 2000, "a")
    assert len(memory.conversations("ada", "%" * 2000)) == 1


@pytest.mark.parametrize("search", ["", "  ", "\n"])
def test_an_empty_search_finds_everything(memory: Memory, search: str) -> None:
    save(memory, "What is a node?", "a")
    assert titles(memory, search) == ["What is a node?"]


# --- titles ---


def test_a_conversation_can_be_renamed_by_its_owner(memory: Memory) -> None:
    save(memory, "What is a node?", "a")
    before = memory.conversations("ada")[0].updated_at
    assert memory.rename("a", "ada", "  Of\n nodes  ")
    (summary,) = memory.conversations("ada")
    assert (summary.title, summary.updated_at) == ("Of nodes", before)
    memory.save_turn(ask("And a topic?", 2, "a"), "ada")
    assert titles(memory) == ["Of nodes"], "a chosen title stays"


def test_renaming_what_is_not_ones_own_changes_nothing(memory: Memory) -> None:
    save(memory, "What is a node?", "a")
    assert not memory.rename("a", "bob", "Mine")
    assert not memory.rename("b", "ada", "Mine")
    assert titles(memory) == ["What is a node?"]
    memory.delete("a", "ada")
    assert not memory.rename("a", "ada", "Mine")


@pytest.mark.parametrize(
    ("title", "sentence"),
    [
        ("", "Please type a title."),
        (" \n\t", "Please type a title."),
        ("x" * 121, "The title has 121 characters; at most 120 are allowed."),
        ("a\0b", "control characters"),
        ("a\ud800b", "control characters"),
    ],
)
def test_a_title_that_cannot_be_is_refused_in_words(
    memory: Memory, title: str, sentence: str
) -> None:
    save(memory, "What is a node?", "a")
    with pytest.raises(InvalidInput, match=sentence):
        memory.rename("a", "ada", title)
    assert titles(memory) == ["What is a node?"]


def test_a_title_may_have_120_characters_of_any_kind(memory: Memory) -> None:
    save(memory, "What is a node?", "a")
    title = ("<b>größe</b> 机器 🤖 ' \" ; -- " * 10)[:120].strip()
    assert memory.rename("a", "ada", title)
    assert titles(memory) == [title]
    assert memory.rename("a", "ada", f" {'x' * 120} ")


# --- deleting ---


def test_deleting_can_be_undone(memory: Memory) -> None:
    turn = save(memory, "What is a node?", "a")
    memory.rate(turn.id, "ada", Rating.UP, "Good.")
    before = memory.conversations("ada")
    assert memory.delete("a", "ada")
    assert memory.conversations("ada") == []
    assert memory.restore("a", "ada")
    assert memory.conversations("ada") == before
    assert memory.answers("a", 5)[0].rating is Rating.UP


def test_what_is_not_there_or_not_ones_own_is_neither_deleted_nor_restored(memory: Memory) -> None:
    save(memory, "What is a node?", "a")
    assert not memory.delete("a", "bob")
    assert not memory.delete("nothing", "ada")
    assert not memory.restore("a", "ada"), "it was not deleted"
    assert titles(memory) == ["What is a node?"]
    assert memory.delete("a", "ada")
    assert not memory.delete("a", "ada"), "it is deleted already"
    assert not memory.restore("a", "bob")
    assert not memory.restore("nothing", "ada")
    assert titles(memory) == []


def test_a_turn_saved_into_a_deleted_conversation_brings_it_back(memory: Memory) -> None:
    save(memory, "What is a node?", "a")
    memory.delete("a", "ada")
    memory.save_turn(ask("And a topic?", 2, "a"), "ada")
    (summary,) = memory.conversations("ada")
    assert (summary.title, summary.turn_count) == ("What is a node?", 2)


def deleted_long_ago(memory: Memory, file: Path, conversation: str, seconds: float) -> None:
    """A deletion of so many seconds before or after the limit."""
    memory.delete(conversation, "ada")
    moment = utc_now() - KEPT_AFTER_DELETE - timedelta(seconds=seconds)
    stored = moment.strftime("%Y-%m-%d %H:%M:%S.%f")
    raw(file, f"UPDATE conversations SET deleted_at = '{stored}' WHERE id = '{conversation}'")


def left(file: Path) -> list[tuple[object, ...]]:
    """The conversations with what is left of them: turns, ratings."""
    return raw(
        file,
        "SELECT c.id, count(t.id), count(f.turn_id) FROM conversations c"
        " LEFT JOIN turns t ON t.conversation_id = c.id"
        " LEFT JOIN feedback f ON f.turn_id = t.id GROUP BY c.id ORDER BY c.id",
    )


@pytest.fixture
def four(memory: Memory, file: Path) -> Memory:
    """One kept, one deleted just now, one almost a day ago, one more than a day ago."""
    for name in "abcd":
        for number in (1, 2):
            turn = memory.save_turn(ask(f"Of {name * 20}?", number, name), "ada")
            memory.rate(turn.id, "ada", Rating.UP, f"About {name * 20}")
    memory.delete("b", "ada")
    deleted_long_ago(memory, file, "c", -60)
    deleted_long_ago(memory, file, "d", +60)
    assert len(left(file)) == 4
    return memory


def test_opening_removes_what_was_deleted_more_than_a_day_ago(four: Memory, file: Path) -> None:
    four.close()
    assert not four.restore("d", "ada")
    assert left(file) == [("a", 2, 2), ("b", 2, 2), ("c", 2, 2)]
    assert raw(file, "SELECT count(*) FROM turns") == [(6,)]
    assert raw(file, "SELECT count(*) FROM feedback") == [(6,)]
    assert four.restore("c", "ada")


def test_the_next_delete_removes_it_too(four: Memory, file: Path) -> None:
    assert four.delete("a", "ada")
    assert left(file) == [("a", 2, 2), ("b", 2, 2), ("c", 2, 2)]
    assert raw(file, "SELECT count(*) FROM turns") == [(6,)]
    assert raw(file, "SELECT count(*) FROM feedback") == [(6,)]


def test_nothing_of_it_stays_in_the_file(four: Memory, file: Path) -> None:
    four.close()
    assert b"About dddd" in file.read_bytes()
    four.questions("a")
    four.close()
    assert b"dddddddddd" not in file.read_bytes()
    assert b"cccccccccc" in file.read_bytes()


def test_a_removed_conversation_can_begin_anew(four: Memory) -> None:
    four.close()
    four.save_turn(ask("Again?", 7, "d"), "ada")
    summary = four.summary("d", "ada")
    assert summary is not None
    assert (summary.title, summary.turn_count) == ("Again?", 1)


# --- ratings ---


def test_a_rating_is_saved_changed_and_taken_back(memory: Memory, file: Path) -> None:
    turn = save(memory, "What is a node?", "a")

    def stored() -> tuple[Rating | None, str]:
        (answer,) = memory.answers("a", 5)
        return answer.rating, answer.comment

    assert memory.rate(turn.id, "ada", Rating.UP)
    assert stored() == (Rating.UP, "")
    assert memory.rate(turn.id, "ada", Rating.DOWN, "  Too short,\nand wrong.  ")
    assert stored() == (Rating.DOWN, "Too short,\nand wrong.")
    memory.close()
    assert stored() == (Rating.DOWN, "Too short,\nand wrong.")
    assert memory.rate(turn.id, "ada", None)
    assert stored() == (None, "")
    assert memory.rate(turn.id, "ada", None), "taking back twice is no failure"
    assert raw(file, "SELECT * FROM feedback") == []


def test_only_the_owner_of_the_conversation_rates_its_turns(memory: Memory, file: Path) -> None:
    turn = save(memory, "What is a node?", "a")
    memory.rate(turn.id, "ada", Rating.UP)
    assert not memory.rate(turn.id, "bob", Rating.DOWN)
    assert not memory.rate(turn.id, "bob", None)
    assert not memory.rate(turn.id, "", None)
    assert not memory.rate("nothing", "ada", Rating.UP)
    assert memory.answers("a", 5)[0].rating is Rating.UP
    memory.delete("a", "ada")
    assert not memory.rate(turn.id, "ada", Rating.DOWN)
    assert raw(file, "SELECT rating FROM feedback") == [("up",)]


def test_a_comment_has_at_most_1000_characters(memory: Memory) -> None:
    turn = save(memory, "What is a node?", "a")
    assert memory.rate(turn.id, "ada", Rating.UP, f" {'x' * 1000} ")
    with pytest.raises(InvalidInput, match="The comment has 1001 characters; at most 1000"):
        memory.rate(turn.id, "ada", Rating.DOWN, "x" * 1001)
    with pytest.raises(InvalidInput, match="control characters"):
        memory.rate(turn.id, "ada", Rating.DOWN, "\ud800")
    assert memory.answers("a", 5)[0].rating is Rating.UP
