"""What only a build tool reads goes; every word a reader sees stays."""

import pytest

from rag.ingest.clean import clean_markdown
from rag.ingest.frontmatter import split_front_matter


def test_bom_crlf_and_lone_cr_become_plain_lines() -> None:
    assert clean_markdown("\ufeff# A\r\n\r\nb\rc") == "# A\n\nb\nc"


def test_zero_width_characters_and_soft_hyphens_go_also_inside_headings() -> None:
    assert clean_markdown("## Zero\u200bwidth\n\nki\u00adne\u2060ma\u200dtics") == (
        "## Zerowidth\n\nkinematics"
    )


def test_joiners_that_carry_meaning_stay() -> None:
    assert clean_markdown("می\u200cخواهم 👩\u200d🔬") == "می\u200cخواهم 👩\u200d🔬"


@pytest.mark.parametrize(
    "statement",
    [
        "import Tabs from '@theme/Tabs';",
        'import {a, b} from "x"',
        "import './style.css';",
        "import React, {\n  useState,\n  useEffect,\n} from 'react';",
        "export const answer = 42;",
        "export const toc = [\n  {\n    value: 'x }',\n\n    id: `a\n{`,\n  },\n];",
        "export default function Layout({children}) {\n  return <div>{children}</div>;\n}",
        "export const Highlight = ({children}) => (\n  <span>{children}</span>\n);",
        "export {x} from './y';",
    ],
)
def test_imports_and_exports_are_dropped(statement: str) -> None:
    assert clean_markdown(f"before\n\n{statement}\n\nafter") == "before\n\nafter"


@pytest.mark.parametrize(
    "prose",
    [
        "import the URDF into Gazebo first.",
        "export ROS_DOMAIN_ID before you start.",
        "important words",
        "export default values to a file.",
        "exports are dropped",
    ],
)
def test_prose_that_begins_with_import_or_export_stays(prose: str) -> None:
    assert clean_markdown(f"before\n\n{prose}\n\nafter") == f"before\n\n{prose}\n\nafter"


def test_an_export_that_is_never_closed_does_not_swallow_the_page() -> None:
    assert clean_markdown("export const x = {\n  a: 1,\n\nThe rest.") == "The rest."


def test_imports_inside_fences_are_code() -> None:
    page = "```python\nimport rclpy\nfrom x import y\n```\n\n```js\nimport a from 'a';\n```"
    assert clean_markdown(page) == page


def test_comments_of_html_and_mdx_go_even_over_several_lines_and_around_fences() -> None:
    page = "a <!-- b --> c {/* d */} e\n\n<!--\n```\n# f\n```\n-->\n\n{/*\n\n    g\n*/}\n\nh"
    assert clean_markdown(page).split() == ["a", "c", "e", "h"]


def test_a_comment_inside_code_stays() -> None:
    page = "`<!-- a -->`\n\n```html\n<!-- b -->\n```"
    assert clean_markdown(page) == page


def test_tags_go_and_their_text_stays() -> None:
    page = 'An <b>important</b> <Term id="x">node</Term>, H<sub>2</sub>O<br/>and <>more</>.'
    assert clean_markdown(page) == "An important node, H2O and more."


def test_words_on_both_sides_of_a_tag_do_not_grow_together() -> None:
    page = "<table><tr><td>one</td><td>two</td></tr></table><p>three</p><p>four</p>"
    assert clean_markdown(page).replace("|", "").split() == ["one", "two", "three", "four"]


def test_tab_labels_titles_and_summaries_become_text() -> None:
    page = (
        '<Tabs groupId="os">\n<TabItem value="linux" label="On Linux">\n\none\n\n</TabItem>\n'
        '<TabItem value="mac">\n\ntwo\n\n</TabItem>\n</Tabs>\n\n'
        '<Card title={"A card"} icon={<Icon/>}>\nthree\n</Card>\n\n'
        "<details>\n<summary>Why <code>x</code>?</summary>\nfour\n</details>"
    )
    lines = [line for line in clean_markdown(page).split("\n") if line]
    assert lines == [
        *("**On Linux**", "one", "**mac**", "two"),
        *("**A card**", "three", "**Why x?**", "four"),
    ]


def test_a_component_with_data_over_many_lines_is_one_tag() -> None:
    page = (
        'before\n\n<Quiz questions={[\n  {\n    q: "Is 1 > 0, isn\'t it?",\n\n'
        "    # no heading\n    a: '<b>',\n  },\n]} />\n\nafter"
    )
    assert clean_markdown(page).split() == ["before", "after"]


def test_content_indented_inside_components_is_not_code() -> None:
    page = (
        "<Tabs>\n  <TabItem value='a' label='A'>\n\n    Some words.\n\n    ```bash\n    ls\n"
        "      -l\n    ```\n\n    - x\n      - y\n\n  </TabItem>\n</Tabs>"
    )
    assert clean_markdown(page) == ("**A**\n\nSome words.\n\n```bash\nls\n  -l\n```\n\n- x\n  - y")


@pytest.mark.parametrize(
    "prose",
    [
        "if x < 3 and y > 2",
        "a <b or c, d> e <",
        "use `Vector<int>` and `<b>`",
        "use Vector<int> or List<String> or std::map<K, V>",
        "ros2 run <package> <executable>",
        "$a<b>c$ holds",
        "Vorsicht: 3<5",
        r"\<b> is not a tag",
        "an open <b without end",
    ],
)
def test_less_than_signs_that_are_no_tags_stay(prose: str) -> None:
    assert clean_markdown(prose) == prose


def test_scripts_and_styles_go_with_what_they_hold() -> None:
    assert clean_markdown("a <script>alert(1)</script><style>{`p {}`}</style> b") == "a  b"


def test_links_keep_their_words_and_images_their_alt_text() -> None:
    page = (
        'See [the *`x`* docs](./a_(b).md "Title"), ![a graph](g.png), '
        "[![badge](b.svg)](http://c), [d][ref], [e][], [ref], <https://f.org> "
        "and [^1] or a[0](1].\n\n[ref]: http://g\n[e]: <h> 'i'\n\n[^1]: note"
    )
    assert clean_markdown(page) == (
        "See the *`x`* docs, a graph, badge, d, e, ref, https://f.org "
        "and [^1] or a[0](1].\n\n[^1]: note"
    )


def test_links_inside_code_are_code() -> None:
    page = "`[a](b)` and ``[c](d) ` e``\n\n~~~\n[f](g)\n~~~"
    assert clean_markdown(page) == page


def test_admonitions_keep_title_and_text() -> None:
    page = (
        ":::warning Mind the `gap`\na\n:::\n\n::::tip[With [a link](x)]{.c}\n:::note\nb\n:::\n::::"
        '\n\n:::info{title="In braces"}\nc\n:::'
    )
    lines = [line for line in clean_markdown(page).split("\n") if line]
    assert lines == [
        *("**Warning: Mind the `gap`**", "a"),
        *("**Tip: With a link**", "**Note**", "b"),
        *("**Info: In braces**", "c"),
    ]


def test_a_fences_title_becomes_a_line_and_its_language_stays() -> None:
    page = '- step\n\n  ```python title="a/b.py" {1,3} showLineNumbers\n  x = 1\n  ```'
    assert clean_markdown(page) == ("- step\n\n  **a/b.py**\n\n  ```python\n  x = 1\n  ```")


@pytest.mark.parametrize(
    "page",
    [
        "````md\n```js\n# a\n```\n````",
        "~~~text\n```\n# b\n~~~",
        "```mermaid\ngraph TD; A-->B\n```",
        "- a\n  ```sh\n  # c\n  ```",
        "> ```sh\n> # d\n> ```",
    ],
)
def test_fences_of_every_kind_stay_verbatim(page: str) -> None:
    assert clean_markdown(page) == page


def test_a_fence_that_is_never_closed_is_closed() -> None:
    assert clean_markdown("```sh\n# a\n<b>") == "```sh\n# a\n<b>\n```"


def test_indented_code_becomes_fenced_and_is_left_alone() -> None:
    page = "a\n\n    # b\n    <i>[c](d)</i>\n\n    e\n\nf"
    assert clean_markdown(page) == "a\n\n```\n# b\n<i>[c](d)</i>\n\ne\n```\n\nf"


def test_indented_paragraphs_of_a_list_are_not_code() -> None:
    page = "1.  a\n\n    b\n\n    - c\n\n        d"
    assert clean_markdown(page) == page


def test_html_code_blocks_become_fenced() -> None:
    assert clean_markdown("<pre><code>\n# a &lt; b\n</code></pre>") == "```\n# a < b\n```"


def test_math_is_left_alone() -> None:
    page = "$$\na < b > c [d](e)\n$$\n\nand $$x<y>z$$ and $p<q>r$"
    assert clean_markdown(page) == page


def test_a_dollar_block_that_is_never_closed_hides_nothing() -> None:
    assert clean_markdown("$$\na\n\n<b>b</b>") == "$$\na\n\nb"


def test_explicit_heading_ids_outlive_cleaning() -> None:
    page = "## A {#x}\n\n## B {/* #y */}\n\n## C <!-- #z -->"
    assert clean_markdown(page) == "## A {#x}\n\n## B {#y}\n\n## C {#z}"


@pytest.mark.parametrize(
    "piece", ["[", "`", "<a ", "![`", "$", "**", "{/*", "<!--", "[a](", "<X {"]
)
def test_stray_marks_in_great_number_are_survived(piece: str) -> None:
    assert isinstance(clean_markdown(piece * 600), str)


def test_front_matter_is_split_off() -> None:
    head = split_front_matter("---\ntitle: No\nsidebar_position: 2.5\ndraft: true\n---\n# A\n")
    assert head.fields["title"] == "No"
    assert (head.number("sidebar_position"), head.flag("draft")) == (2.5, True)
    assert (head.body, head.problem) == ("# A\n", None)


@pytest.mark.parametrize("broken", ["title: A: B\n  x: [", "title: A: B\n\t- c"])
def test_front_matter_that_is_not_yaml_is_read_line_by_line(broken: str) -> None:
    head = split_front_matter(f"---\n{broken}\nsidebar_position: 3\n---\nbody")
    assert head.fields["title"] == "A: B"
    assert head.number("sidebar_position") == 3
    assert head.body == "body"
    assert head.problem is not None
    assert "not valid YAML" in head.problem


@pytest.mark.parametrize("text", ["---\nno end", "text\n---\nmore\n---\n", "", "----\na\n---\n"])
def test_what_is_no_front_matter_stays(text: str) -> None:
    assert split_front_matter(text).body == text


def test_front_matter_may_be_empty_or_a_list() -> None:
    assert split_front_matter("---\n---\na").body == "a"
    assert split_front_matter("---\n- a\n---\nb").problem is not None
