"""Pages become chunks that are small enough, whole enough, and know their place."""

from hashlib import sha256

import pytest

from rag.domain.book import Chunk, Page
from rag.ingest.chunking import chunk_book, chunk_page
from rag.ingest.clean import clean_markdown
from rag.tokens import count_tokens


def page(markdown: str, **fields: str) -> Page:
    place = {"source_file": "m/a.md", "chapter_id": "m/a", "module": "M", "route": "/m/a"}
    return Page(**{**place, "title": "Robots", **fields}, text=clean_markdown(markdown), position=0)


def words(name: str, count: int) -> str:
    """A paragraph of sentences of six words, about seven tokens each."""
    return " ".join(f"The {name} number {n} moves well." for n in range(count // 6))


def texts(chunks: list[Chunk]) -> list[str]:
    return [chunk.text for chunk in chunks]


def test_a_section_is_a_chunk_with_its_place() -> None:
    body = words("arm", 250)
    [first, second] = chunk_page(page(f"# Robots\n\n## Arms\n\n{body}\n\n## Legs\n\n{body}"))
    assert first.text == body
    assert first.heading_path == ("Robots", "Arms")
    assert first.anchors == ("arms",)
    assert first.url == "/reader?page=m/a&section=arms"
    assert (first.module, first.chapter_id, first.page_title) == ("M", "m/a", "Robots")
    assert (first.position, second.position) == (0, 1)
    assert first.token_count == count_tokens(body)
    assert first.content_hash == sha256(first.search_text.encode()).hexdigest()


def test_a_page_without_h1_stands_under_its_title() -> None:
    [chunk] = chunk_page(page("Only words."))
    assert (chunk.heading_path, chunk.anchors) == (("Robots",), ())
    assert chunk.url == "/reader?page=m/a"


def test_the_h1_stands_first_in_the_path_even_if_it_is_not_the_title() -> None:
    [chunk] = chunk_page(page("# All about robots\n\nWords."))
    assert chunk.heading_path == ("All about robots",)
    assert chunk.search_text == "Robots › All about robots\n\nWords."


def test_website_addresses_have_route_and_anchor() -> None:
    source = page("## Über uns\n\nWorte.", route="/m/ä b")
    [chunk] = chunk_page(source, base_url="https://x.org/docs/")
    assert chunk.url == "https://x.org/docs/m/%C3%A4%20b#%C3%BCber-uns"
    assert chunk.anchors == ("über-uns",)
    [root] = chunk_page(page("Worte.", route="/"), base_url="https://x.org")
    assert root.url == "https://x.org/"


def test_small_sibling_subsections_are_joined_under_their_parent() -> None:
    source = page("# Robots\n\n## Parts\n\n### Arm\n\nShort one.\n\n### Leg\n\nShort two.")
    [chunk] = chunk_page(source)
    assert chunk.text == "### Arm\n\nShort one.\n\n### Leg\n\nShort two."
    assert chunk.heading_path == ("Robots", "Parts")
    assert chunk.anchors == ("parts", "arm", "leg")
    assert chunk.url.endswith("section=parts")


def test_joined_siblings_are_cited_where_they_begin() -> None:
    big = words("motor", 300)
    source = page(f"## Big\n\n{big}\n\n## Arm\n\nShort.\n\n## Leg\n\nShort.")
    last = chunk_page(source)[-1]
    assert last.heading_path == ("Robots",)
    assert last.anchors == ("arm", "leg")
    assert last.url.endswith("section=arm")


def test_a_heading_is_never_alone_at_a_chunks_end() -> None:
    parts = [f"## H{n}\n\n{words(f'part{n}', 40 + 37 * n % 200)}" for n in range(20)]
    for chunk in chunk_page(page("\n\n".join(parts))):
        assert not chunk.text.split("\n\n")[-1].startswith("#")


def test_headings_without_text_are_not_lost() -> None:
    big = words("arm", 280)
    chunks = chunk_page(
        page(f"# Robots\n\n## First\n\n{big}\n\n## Empty\n\n## Next\n\n{big}\n\n## End")
    )
    everything = "\n".join("\n".join((*chunk.heading_path, chunk.text)) for chunk in chunks)
    assert "Empty" in everything
    assert "End" in everything
    assert all(chunk.token_count > 20 for chunk in chunks)
    assert {a for chunk in chunks for a in chunk.anchors} == {"first", "empty", "next", "end"}


def test_a_page_of_headings_only_is_a_chunk() -> None:
    [chunk] = chunk_page(page("# Robots\n\n## Soon\n\n### Later"))
    assert "Soon" in chunk.text + str(chunk.heading_path)
    assert "Later" in chunk.text


def test_continued_text_keeps_the_heading_it_stands_under() -> None:
    source = page(f"## Long\n\n{words('arm', 200)}\n\n{words('leg', 200)}\n\n{words('toe', 200)}")
    chunks = chunk_page(source)
    assert len(chunks) > 1
    assert {chunk.heading_path for chunk in chunks} == {("Robots", "Long")}
    assert {chunk.url for chunk in chunks} == {"/reader?page=m/a&section=long"}


def test_a_lead_in_stays_with_its_list() -> None:
    items = "\n".join(f"- item {n} of the list is here" for n in range(25))
    source = page(f"## A\n\n{words('arm', 200)}\n\nThe parts are:\n\n{items}")
    [_, last] = chunk_page(source)
    assert last.text.startswith("The parts are:\n\n- item 0")


def test_a_title_of_a_box_tab_or_listing_stays_with_it() -> None:
    code = "\n".join(f"value_{n} = {n}" for n in range(40))
    source = page(f'## A\n\n{words("arm", 200)}\n\n```py title="a.py"\n{code}\n```')
    last = chunk_page(source)[-1]
    assert last.text.startswith("**a.py**\n\n```py\nvalue_0")


def test_code_that_fits_is_kept_whole() -> None:
    code = "```python\n" + "\n".join(f"value_{n} = {n}" for n in range(70)) + "\n```"
    assert 300 < count_tokens(code) <= 512
    chunks = chunk_page(page(f"## A\n\n{words('arm', 200)}\n\n{code}\n\n{words('leg', 200)}"))
    assert any(code in text for text in texts(chunks))


def test_enormous_code_is_split_between_lines_in_the_same_fence() -> None:
    lines = [f"value_{n} = compute({n}, 'text')  # {n}" for n in range(400)]
    chunks = chunk_page(page("## A\n\n~~~~python\n" + "\n".join(lines) + "\n~~~~"))
    assert len(chunks) > 5
    kept: list[str] = []
    for text in texts(chunks):
        opening, *inside, closing = text.split("\n")
        assert (opening, closing) == ("~~~~python", "~~~~")
        kept += inside
    assert kept == lines


def test_an_enormous_table_repeats_its_header() -> None:
    rows = [f"| joint {n} | moves {n} degrees in the plane |" for n in range(200)]
    table = "\n".join(["| Joint | Range |", "|---|---|", *rows])
    chunks = chunk_page(page(f"## A\n\n{table}"))
    assert len(chunks) > 5
    kept: list[str] = []
    for text in texts(chunks):
        header, rule, *inside = text.split("\n")
        assert (header, rule) == ("| Joint | Range |", "|---|---|")
        kept += inside
    assert kept == rows


def test_a_table_row_larger_than_a_chunk_is_cut_and_the_header_kept() -> None:
    table = f"| Joint | Range |\n|---|---|\n| a | {words('arm', 1200)} |"
    chunks = chunk_page(page(table))
    assert "| Joint | Range |" in texts(chunks)[0]
    assert all(chunk.token_count <= 512 for chunk in chunks)


def test_a_tables_header_comes_before_a_first_row_that_is_too_large() -> None:
    table = f"| Joint | Range |\n|---|---|\n| a | {words('arm', 600)} |\n| b | short |"
    chunks = texts(chunk_page(page(table)))
    assert chunks[0].startswith("| Joint | Range |\n|---|---|\n| a | The arm number 0")
    assert chunks[-1] == "| Joint | Range |\n|---|---|\n| b | short |"


def test_one_enormous_paragraph_is_split_at_sentence_ends() -> None:
    paragraph = words("arm", 3000)
    chunks = chunk_page(page(paragraph))
    assert " ".join(texts(chunks)) == paragraph
    assert all(text.endswith("well.") for text in texts(chunks))
    assert all(150 < chunk.token_count <= 512 for chunk in chunks)


def test_without_sentences_it_is_split_between_words() -> None:
    paragraph = " ".join(f"word{n}" for n in range(3000))
    assert " ".join(texts(chunk_page(page(paragraph)))) == paragraph


def test_without_spaces_words_still_stay_whole() -> None:
    paragraph = ",".join(f"word{n}" for n in range(2000))
    assert "".join(texts(chunk_page(page(paragraph)))) == paragraph
    assert all(text.startswith("word") for text in texts(chunk_page(page(paragraph))))


def test_one_endless_word_is_split_anywhere() -> None:
    paragraph = "abcdefghij" * 3000
    chunks = chunk_page(page(paragraph))
    assert "".join(texts(chunks)) == paragraph
    assert all(chunk.token_count <= 512 for chunk in chunks)


def test_an_enormous_list_is_split_between_items() -> None:
    items = [
        f"- item {n} is described in quite some words\n  - and so is its part {n}"
        for n in range(80)
    ]
    chunks = chunk_page(page("\n".join(items)))
    assert len(chunks) > 3
    assert "\n".join(texts(chunks)) == "\n".join(items)
    assert all(text.startswith("- item") for text in texts(chunks))


def test_enormous_code_inside_a_list_item_is_split_as_code() -> None:
    code = "\n".join(f"     value_{n} = compute({n})" for n in range(300))
    chunks = chunk_page(page(f"1. First step\n\n   ```python\n{code}\n   ```\n\n2. Second step"))
    inside = [text for text in texts(chunks) if "value_" in text]
    assert len(inside) > 3
    assert all(text.count("```") % 2 == 0 for text in inside)
    assert all(text.count("```python") == 1 for text in inside)


def test_enormous_math_is_split_between_its_signs() -> None:
    lines = "\n".join(rf"x_{{{n}}} &= \frac{{{n}}}{{2}} + y_{{{n}}} \\" for n in range(200))
    for text in texts(chunk_page(page(f"$$\n{lines}\n$$"))):
        assert text.startswith("$$\n")
        assert text.endswith("\n$$")


def test_a_heading_as_long_as_a_chapter_is_read_as_text() -> None:
    chunks = chunk_page(page(f"## {words('arm', 1500)}\n\nWords."))
    assert all(chunk.token_count <= 512 for chunk in chunks)
    assert all(chunk.heading_path == ("Robots",) for chunk in chunks)


@pytest.mark.parametrize("limit", [40, 100, 300])
def test_the_embedding_models_window_is_respected(limit: int) -> None:
    def fits(text: str) -> bool:
        return len(text.split()) <= limit

    code = "\n".join(f"value_{n} = compute( {n} )" for n in range(100))
    source = page(
        f"# Robots\n\n## A\n\n{words('arm', 500)}\n\n```py\n{code}\n```\n\n## B\n\n### C\n\nx\n\n"
        f"### D\n\n{words('leg', 200)}"
    )
    for chunk in chunk_page(source, fits=fits):
        assert fits(chunk.search_text)


def test_headings_that_fill_the_window_alone_do_not_stop_the_book() -> None:
    chunks = chunk_page(page(f"## A\n\n{words('arm', 900)}"), fits=lambda text: False)
    assert len(chunks) > 1
    assert all(chunk.token_count <= 512 for chunk in chunks)


@pytest.mark.parametrize("max_tokens", [30, 120, 512])
def test_sizes_are_parameters(max_tokens: int) -> None:
    source = page(f"## A\n\n{words('arm', 900)}\n\n```py\n{words('x', 200)}\n```")
    chunks = chunk_page(source, max_tokens=max_tokens, target_tokens=100)
    assert all(chunk.token_count <= max_tokens for chunk in chunks)


def test_text_added_early_leaves_later_ids_alone() -> None:
    rest = "\n\n".join(f"## Part {n}\n\n{words(f'part{n}', 250)}" for n in range(5))
    before = chunk_page(page(f"# Robots\n\nIntro.\n\n{rest}"))
    after = chunk_page(page(f"# Robots\n\nIntro.\n\nA new paragraph of words.\n\n{rest}"))
    assert [c.chunk_id for c in before[-4:]] == [c.chunk_id for c in after[-4:]]
    assert before[0].chunk_id != after[0].chunk_id


def test_equal_texts_on_a_page_have_ids_of_their_own() -> None:
    body = f"## Same {{#same}}\n\n{words('arm', 250)}\n\n"
    chunks = chunk_page(page(body * 3))
    assert len({chunk.content_hash for chunk in chunks}) == 1
    assert len({chunk.chunk_id for chunk in chunks}) == 3
    assert chunks == chunk_page(page(body * 3))


def test_equal_pages_have_ids_of_their_own() -> None:
    pages = [page("Words.", source_file=name) for name in ("a.md", "b.md")]
    assert len({chunk.chunk_id for chunk in chunk_book(pages)}) == 2
