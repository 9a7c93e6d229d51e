"""A page as HTML: headings, boxes, tabs, code, tables, formulas, links, images."""

import pytest

from rag.reading import Section, render
from tests.rag.reading.samples import Judge, make_page


def html_of(markdown: str, **over: object) -> str:
    return render(make_page(markdown, **over)).html  # type: ignore[arg-type]


def test_words_and_their_markup() -> None:
    html = html_of("Some *soft* **loud** ~~gone~~ `x < y`  \nnext & last")
    assert html == (
        "<p>Some <em>soft</em> <strong>loud</strong> <s>gone</s> <code>x &lt; y</code><br>\n"
        "next &amp; last</p>"
    )


def test_html_in_the_book_is_text() -> None:
    assert html_of("A <b>tag</b>\n\n<div>\n\nx") == (
        "<p>A &lt;b&gt;tag&lt;/b&gt;</p><p>&lt;div&gt;</p><p>x</p>"
    )


def test_the_title_is_left_to_who_shows_the_page() -> None:
    assert html_of("# Title\n\nWords.") == "<p>Words.</p>"
    assert "<h1" in html_of("# Another\n\nWords.")
    assert html_of("# Title\n\n# Title").count("<h1") == 1


def test_headings_have_the_anchors_of_chunks() -> None:
    page = make_page(
        "# Title\n\n## Set up `x`\n\n## Set up x\n\n### Own words {#mine}\n\n#### Deep\n\n"
        "# Second\n\n> ## Set up x\n\n## Set up x\n\n## See [here](there.md)"
    )
    reading = render(page)
    ids = [value for value in Judge(reading.html).all("id") if value.startswith("s-")]
    assert ids == [
        *("s-set-up-x", "s-set-up-x-1", "s-mine", "s-deep", "s-second"),
        *("s-set-up-x-2", "s-set-up-x-3", "s-see-here"),
    ]
    assert reading.sections == (
        Section(2, "Set up x", "set-up-x"),
        Section(2, "Set up x", "set-up-x-1"),
        Section(3, "Own words", "mine"),
        Section(1, "Second", "second"),
        Section(2, "Set up x", "set-up-x-3"),
        Section(2, "See here", "see-here"),
    )
    assert "{#" not in reading.html


def test_an_id_stands_once_on_the_page() -> None:
    ids = Judge(html_of("## A {#same}\n\n## B {#same}")).all("id")
    assert ids == ["s-same"]


@pytest.mark.parametrize(
    ("line", "kind", "shown"),
    [
        (":::note", "note", "Note"),
        (":::warning Hot **pan**", "warning", "Warning: Hot <strong>pan</strong>"),
        (":::TIP x", "tip", "Tip: x"),
        (":::theorem Of *A*", "note", "Theorem: Of <em>A</em>"),
    ],
)
def test_boxes_are_headed_as_in_the_text(line: str, kind: str, shown: str) -> None:
    html = html_of(f"{line}\n\nInside.\n\n:::\n\nOutside.")
    name = shown.partition(":")[0]
    assert html == (
        f'<aside class="box box-{kind}" aria-label="{name}"><p class="box-title">{shown}</p>'
        "<p>Inside.</p></aside><p>Outside.</p>"
    )


def test_boxes_in_boxes_in_lists_in_quotes() -> None:
    html = html_of(
        "- item\n\n  :::note\n\n  :::tip\n\n  deep\n\n  :::\n\n  :::\n\n- next\n\n> :::info\n>\n> q"
    )
    assert Judge(html).balanced
    assert "deep</p></aside></aside></li>" in html
    assert "q</p></aside></blockquote>" in html


def test_a_closing_line_too_many_closes_nothing() -> None:
    assert html_of(":::\n\n- a\n\n  :::\n\n:::") == "<ul><li><p>a</p></li></ul>"


def test_colons_in_code_are_code() -> None:
    assert "box" not in html_of("```\n:::note\n```\n\n    :::note")


def test_details_are_closed_until_a_mark_is_in_them() -> None:
    page = make_page(":::details More\n\nSome hidden words.\n\n:::")
    assert render(page).html.startswith('<details class="box"><summary>More</summary>')
    opened = render(page, quote="Some hidden words.").html
    assert opened.startswith('<details class="box" open>')
    assert "<summary>Details</summary>" in html_of(":::details\n\nx\n\n:::")


TABS = (
    ":::tabs\n\n:::tab [One](x)\n\nfirst panel\n\n:::\n\n:::tab Two\n\nsecond panel\n\n:::\n\n:::\n"
)


def test_tabs_are_a_tab_set() -> None:
    html = render(make_page(TABS + "\n" + TABS), follow=lambda _: "/reader?page=x").html
    assert html.startswith(
        '<div class="tabs"><div class="tab-list" role="tablist">'
        '<button type="button" role="tab" id="tab-1-1" aria-controls="panel-1-1" '
        'aria-selected="true" tabindex="0">One</button>'
        '<button type="button" role="tab" id="tab-1-2" aria-controls="panel-1-2" '
        'aria-selected="false" tabindex="-1">Two</button></div>'
        '<div class="tab-panel" role="tabpanel" id="panel-1-1" aria-labelledby="tab-1-1" '
        'tabindex="0"><p>first panel</p></div>'
        '<div class="tab-panel" role="tabpanel" id="panel-1-2" aria-labelledby="tab-1-2" '
        'tabindex="0" hidden><p>second panel</p></div></div>'
    )
    ids = Judge(html).all("id")
    assert len(ids) == len(set(ids)) == 8


def test_the_tab_with_the_mark_is_chosen() -> None:
    html = render(make_page(TABS), quote="second panel").html
    assert 'id="tab-1-1" aria-controls="panel-1-1" aria-selected="false" tabindex="-1"' in html
    assert 'id="tab-1-2" aria-controls="panel-1-2" aria-selected="true" tabindex="0"' in html
    assert 'aria-labelledby="tab-1-1" tabindex="0" hidden' in html
    assert 'aria-labelledby="tab-1-2" tabindex="0">' in html


def test_tabs_in_tabs_and_tabs_that_are_in_no_set() -> None:
    inner = TABS.replace("One", "Inner")
    html = html_of(f":::tabs\n\n:::tab Outer\n\n{inner}\n:::\n\n:::\n\n:::tab Lone\n\nx\n\n:::")
    assert Judge(html).balanced
    assert html.count('role="tablist"') == 2
    assert '<p class="box-title">Lone</p>' in html


def test_code_has_colours_where_its_language_is_known() -> None:
    known, unknown = html_of("```python\nx = 1\n```"), html_of("```nosuch\nx < 1\n```")
    assert known.startswith('<pre class="code" tabindex="0"><code><span class="n">x</span>')
    assert unknown == '<pre class="code" tabindex="0"><code>x &lt; 1\n</code></pre>'
    assert Judge(known).text == "x = 1\n"


@pytest.mark.parametrize("name", ["python", "c++", "yaml", "xml", "bash", "json", "console"])
def test_colours_change_no_code(name: str) -> None:
    code = '\n\n  a = "é" <b> & $X \t\n\n\n# end\n'
    html = html_of(f"```{name}\n{code}```")
    assert Judge(html).text == code
    assert "<span" in html


def test_a_diagram_is_its_source() -> None:
    html = html_of("```mermaid\na --> b\n```")
    assert html == (
        '<figure class="diagram"><figcaption>Diagram, as Mermaid source</figcaption>'
        '<pre class="code" tabindex="0"><code>a --&gt; b\n</code></pre></figure>'
    )


def test_tables_can_be_scrolled() -> None:
    html = html_of("| A | B |\n|---|--:|\n| c | d |")
    assert html.startswith(
        '<div class="table" tabindex="0" role="group" aria-label="Table"><table><thead><tr>'
        '<th scope="col">A</th><th scope="col" style="text-align:right">B</th></tr>'
    )
    assert html.endswith("</tbody></table></div>")


def test_formulas_are_mathml_with_their_tex() -> None:
    html = html_of("So $a_1 < b$ and\n\n$$\nx^2\n$$\n\nend $$y$$.")
    assert '<math display="inline" data-tex="a_1 &lt; b"><mrow><msub>' in html
    assert '<div class="math" tabindex="0" role="group" aria-label="Formula">' in html
    assert '<math display="block" data-tex="x^2">' in html
    assert html.count("<math") == 3


@pytest.mark.parametrize("tex", [r"\nosuch{x}", r"x_{", r"\href{javascript:x}{", "\\"])
def test_tex_that_cannot_be_read_is_shown(tex: str) -> None:
    html = html_of(f"A ${tex}$ b" if tex != "\\" else "$$\\$$")
    assert '<code class="tex">' in html or "math" not in html


def test_a_formula_carries_no_markup_of_its_own() -> None:
    html = html_of(
        r"$\text{<script>alert(1)</script>}$ $\href{javascript:x}{y}$ $\style{color:red}{x}$ "
        r"$\class{a}{b}$ $\color{red}{z}$ $\unicode{60}$"
    )
    judge = Judge(html)
    assert judge.balanced
    assert not set(judge.tags) & {"script", "a", "img"}
    assert not judge.all("href") + judge.all("style") + judge.all("class")


@pytest.mark.parametrize(
    "text", ["It costs $5 and $6.", "From $5 to a further 5$ here", "$ x $", r"\$a\$", "US$a$b"]
)
def test_money_is_no_formula(text: str) -> None:
    assert "<math" not in html_of(text)


def test_links_lead_where_they_are_followed() -> None:
    leads = {
        "a.md": "/reader?page=a&section=b",
        "w": "https://w.example/?a=1&b=2",
        "j": "JavaScript:x",
    }
    page = make_page('[one](a.md "t") [two](w) [*three*](j) [four](none) [five](javascript:x)')
    html = render(page, follow=lambda target: leads.get(target, "")).html
    assert html == (
        '<p><a href="/reader?page=a&amp;section=b">one</a> '
        '<a href="https://w.example/?a=1&amp;b=2" target="_blank" rel="noopener noreferrer">two</a>'
        " <em>three</em> four five</p>"
    )


def test_without_a_guide_no_link_leads_anywhere() -> None:
    assert html_of("[one](https://a.example)") == "<p>one</p>"


@pytest.mark.parametrize("href", ["//host", "/\\host", 'https://a"b', "data:x", "https://a b"])
def test_no_guide_can_lead_out_of_safety(href: str) -> None:
    assert render(make_page("[one](x)"), follow=lambda _: href).html == "<p>one</p>"


def test_images_are_words() -> None:
    assert html_of('![A "cat" *here*](https://x.example/a.png)') == (
        '<p><span class="image" role="img" aria-label="A &quot;cat&quot; here">'
        "Image: A &quot;cat&quot; here</span></p>"
    )
    assert ">Image</span>" in html_of("![](a.png)")


def test_footnotes_are_text() -> None:
    assert html_of("Said.[^1]\n\n[^1]: https://a.example") == (
        "<p>Said.[^1]</p><p>[^1]: https://a.example</p>"
    )


def test_a_page_without_a_reading_shows_its_text() -> None:
    assert render(make_page("Only text.")).html == "<p>Only text.</p>"
