"""Which neighbours become one chunk; sizes are given, so every choice is forced."""

from rag.ingest.packing import Heading, Path, Piece, Run, pack

TARGET = 300
TOP = Heading(index=0, level=1, title="Top", anchor="")


def section(index: int, level: int = 2) -> Path:
    return (TOP, Heading(index=index, level=level, title=f"H{index}", anchor=f"h{index}"))


def heading(path: Path, tokens: int = 3) -> Piece:
    return Piece(path[-1].title, path, tokens, heading=True)


def block(name: str, path: Path, tokens: int) -> Piece:
    return Piece(name, path, tokens)


def packed(pieces: list[Piece], target: int = TARGET, refused: str = "") -> list[list[str]]:
    def accepts(run: Run) -> bool:
        return not refused or refused not in run.text

    runs = pack(pieces, target=target, limit=512, accepts=accepts)
    return [[piece.text for piece in run.pieces] for run in runs]


def test_a_heading_stays_with_its_text_even_where_sizes_speak_against_it() -> None:
    inner = section(1, level=3)
    pieces = [block("intro", (TOP,), 9), heading(inner, 80), block("body", inner, 90)]
    assert packed(pieces, target=90) == [["intro"], ["H1", "body"]]


def test_a_tiny_section_is_not_joined_to_a_large_sibling() -> None:
    first, second = section(1), section(2)
    pieces = [
        heading(first),
        block("large", first, 335),
        heading(second),
        block("tiny", second, 12),
    ]
    assert packed(pieces) == [["H1", "large"], ["H2", "tiny"]]


def test_small_siblings_are_joined() -> None:
    first, second = section(1, 3), section(2, 3)
    pieces = [heading(first), block("a", first, 60), heading(second), block("b", second, 60)]
    assert packed(pieces) == [["H1", "a", "H2", "b"]]


def test_the_rest_of_a_section_is_not_joined_to_the_next_without_its_heading() -> None:
    first, second = section(1, 3), section(2, 3)
    pieces = [
        *(heading(first), block("long", first, 330), block("rest", first, 150)),
        *(heading(second), block("next", second, 40)),
    ]
    for texts in packed(pieces):
        assert not ("rest" in texts and "next" in texts and "H1" not in texts)


def test_parts_of_one_block_are_not_put_together_again() -> None:
    path = section(1)
    parts = [Piece(name, path, 100, continues=name != "a") for name in "abc"]
    assert packed([heading(path), *parts]) == [["H1", "a"], ["b"], ["c"]]


def test_what_is_refused_is_cut_otherwise() -> None:
    path = section(1)
    pieces = [heading(path), block("a", path, 100), block("b", path, 100), block("c", path, 90)]
    assert packed(pieces) == [["H1", "a", "b", "c"]]
    assert packed(pieces, refused="a\n\nb") == [["H1", "a"], ["b", "c"]]


def test_nothing_is_packed_into_nothing() -> None:
    assert packed([]) == []


def test_a_page_of_headings_only_does_not_take_for_ever() -> None:
    runs = packed([heading(section(index), 2) for index in range(1, 400)])
    assert sum(map(len, runs)) == 399
    assert max(map(len, runs)) <= 48
