"""Markers, links, images and HTML of a streamed answer: what a reader sees, case by case."""

import pytest

from rag.domain.retrieval import RetrievedChunk
from rag.markers import MarkerStream
from tests.builders import SITE, make_chunk, make_retrieved


def make_passages() -> list[RetrievedChunk]:
    """Five passages, each of its own page."""
    return [
        make_retrieved(
            n,
            chunk=make_chunk(
                n,
                url=f"{SITE}/p{n}#part",
                page_title=f"Page {n}",
                heading_path=(f"Page {n}", f"Part {n}"),
            ),
        )
        for n in range(1, 6)
    ]


PASSAGES = make_passages()
URL2 = f"{SITE}/p2#part"
LONG = "y" * 700

# What a model writes, what is shown, the passages cited in order, how many were dropped.
CASES = [
    # Plain markers, renumbered by first appearance
    ("A [1].", "A [1].", [1], 0),
    ("A [4] b [2], c [4].", "A [1] b [2], c [1].", [4, 2], 0),
    ("A [1][2].", "A [1][2].", [1, 2], 0),
    ("A [1,2].", "A [1][2].", [1, 2], 0),
    ("A [1, 3; 5].", "A [1][2][3].", [1, 3, 5], 0),
    ("A [1-3].", "A [1][2][3].", [1, 2, 3], 0),
    ("A [2–4].", "A [1][2][3].", [2, 3, 4], 0),
    ("A [1 and 2].", "A [1][2].", [1, 2], 0),
    ("A [3-1].", "A [1][2].", [3, 1], 0),
    ("A [1] [1], [1].", "A [1].", [1], 0),
    ("A 【3】.", "A [1].", [3], 0),
    ("A【3†source】.", "A[1].", [3], 0),
    ("A ［2］.", "A [1].", [2], 0),
    ("A [[2]].", "A [1].", [2], 0),
    ("A [^2].", "A [1].", [2], 0),
    ("A \\[2\\].", "A [1].", [2], 0),
    ("A [Passage 2] b", "A [1] b", [2], 0),
    ("A [2\u200b] [\u200b3].", "A [1] [2].", [2, 3], 0),
    ("A &#91;2&#93; &lbrack;9&rbrack; &#91;x&#93; R&D &", "A [1] &#91;x&#93; R&D &", [2], 1),
    ("A [2\\] \\[3] \\[[4\\].", "A [1] [2] \\[[3].", [2, 3, 4], 0),
    # What is taken out of a bracket leaves no number behind
    ("A [<b>9</b>] [<b>2</b>].", "A [1].", [2], 1),
    ("A [9 ![x](y.png)] [2 ![x](y.png)].", "A [1].", [2], 1),
    ("A [9 [8]] [2 [3]].", "A [1][2].", [2, 3], 2),
    ("A [**9**] [*2*] [~~8~~](x y).", "A [1] (x y).", [2], 2),
    ("~~[9]~~ x", "~~ ~~ x", [], 1),
    # Markers that resolve to nothing leave no trace
    ("A [9].", "A.", [], 1),
    ("A [0].", "A.", [], 1),
    ("A [9] b.", "A b.", [], 1),
    ("A [1][9].", "A [1].", [1], 1),
    ("A [9][1].", "A [1].", [1], 1),
    ("A [4-7].", "A [1][2].", [4, 5], 2),
    ("A [1], [9].", "A [1].", [1], 1),
    ("A [9], [1].", "A [1].", [1], 1),
    ("A ([9]).", "A.", [], 1),
    ("A ([1], [9]).", "A ([1]).", [1], 1),
    ("A ([9], [1]).", "A ([1]).", [1], 1),
    ("A ([9] is wrong).", "A (is wrong).", [], 1),
    ("A (see [9]).", "A (see).", [], 1),
    ("A [9], then b", "A, then b", [], 1),
    ("[9] Begin.", "Begin.", [], 1),
    ("- [9] one\n- [1] two", "- one\n- [1] two", [1], 1),
    ("| a [9] | b [1] |", "| a | b [1] |", [1], 1),
    ("A [[9]].", "A.", [], 1),
    ("A【9】.", "A.", [], 1),
    # Brackets that are no markers
    ("in [0, 1] or [-1, 1]", "in [0, 1] or [-1, 1]", [], 0),
    ("8 bits: [0, 255], [1, 100]", "8 bits: [0, 255], [1, 100]", [], 0),
    ("in [2024] an [aside]", "in [2024] an [aside]", [], 0),
    ("m[i][j] and cb[i](msg)", "m[i][j] and cb[i] (msg)", [], 0),
    ("[note](see below)", "[note] (see below)", [], 0),
    ("[outer [inner] text]", "[outer [inner] text]", [], 0),
    ("[outer [1] text]", "[outer [1] text]", [1], 0),
    ("[outer [9] text]", "[outer text]", [], 1),
    # Links to passages are markers
    (f"A [Page 2]({URL2}).", "A [1].", [2], 0),
    (f"A [Page 2 - Part 2]({URL2}).", "A [1].", [2], 0),
    (f"A [Source: Page 2]({URL2}).", "A [1].", [2], 0),
    (f"A [Source: Page 2]({URL2} 'Page 2').", "A [1].", [2], 0),
    (f"A [Page 2](<{URL2}>).", "A [1].", [2], 0),
    (f"A [Page 2]({SITE}/p2).", "A [1].", [2], 0),
    (f"A [Page 2]({SITE}/p2/).", "A [1].", [2], 0),
    (f"A [3]({URL2}).", "A [1].", [2], 0),
    (f"A <{URL2}>.", "A [1].", [2], 0),
    ("A [Source: page 3] b", "A [1] b", [3], 0),
    ("A [Source: Part 3] b", "A [1] b", [3], 0),
    # Links to elsewhere lose their target; a source that is none goes
    ("A [text](http://evil) b", "A text b", [], 0),
    (f"A [text]({SITE}/p2#other) b", "A text b", [], 0),
    (f"A [text]({SITE}/p22) b", "A text b", [], 0),
    ("A [Source: x](http://evil).", "A.", [], 1),
    ("A [Source: nothing] b", "A b", [], 1),
    ("A [1](http://evil).", "A [1].", [1], 0),
    ("A [9](http://evil).", "A.", [], 1),
    ("A [1](see below)", "A [1] (see below)", [1], 0),
    ("A [x](javascript:alert(1)) b", "A x b", [], 0),
    ("A [x](javascript:f((1),(2))) b", "A x b", [], 0),
    ("A [x](<http://e)>) b", "A x b", [], 0),
    ("A [x](http://e\\)) b", "A x b", [], 0),
    ("A [x](data:text/html,<b>) b", "A [x] (data:text/html,) b", [], 0),
    ("A [x]( http://e 'a (b)' ) b", "A x b", [], 0),
    ("A [](http://e) b", "A  b", [], 0),
    ("A [x]() b", "A x b", [], 0),
    ("A [a [b] c](http://e) d", "A a [b] c d", [], 0),
    ("A [a [1]](http://e) d", "A a [1] d", [1], 0),
    ("A [`a]`](http://e) b", "A `a]` b", [], 0),
    ("A [x](/reader?page=2) b", "A x b", [], 0),
    (f"A [x](http://evil/{LONG}) b", f"A x(http://evil/{LONG}) b", [], 0),
    (f"[{LONG}](http://evil)", f"[{LONG}] (http://evil)", [], 0),
    # Reference links and definitions
    ("A [text][1] b", "A text [1] b", [1], 0),
    ("A [text][9] b", "A text b", [], 1),
    ("A [text][] b", "A text b", [], 0),
    ("[1]: http://evil\nA [1].", "\nA [1].", [1], 0),
    ("A [foo].\n\n[foo]: http://evil 'x'", "A [foo].\n\n", [], 0),
    ("A [foo].\n[foo]:\n  <http://evil>\nb", "A [foo].\n\nb", [], 0),
    ("[1]: the book says so", "[1]: the book says so", [1], 0),
    ("[1]: http://evil [9]", "[1] : http://evil", [1], 1),
    ("As said [1]: it walks", "As said [1]: it walks", [1], 0),
    # Images
    ("A ![alt](http://e/x.png).", "A.", [], 0),
    ("A ![alt [1]](http://e/x.png) b", "A b", [], 0),
    ("A ![alt][1] b", "A b", [], 0),
    ("A [![alt](i.png)](http://evil) b", "A b", [], 0),
    ("Stop! [1] Go!", "Stop! [1] Go!", [1], 0),
    ("Wow![1]", "Wow![1]", [1], 0),
    # HTML
    ("A <img src=x onerror=alert(1)> b", "A b", [], 0),
    ("A <a href='http://e'>text</a> b", "A text b", [], 0),
    ('A <img alt=">" src=x> b', "A b", [], 0),
    ("A<br>b<br/>c", "A b c", [], 0),
    ("H<sub>2</sub>O", "H2O", [], 0),
    ("<script>x()</script> b", "x()  b", [], 0),
    ("A <!-- [1] --> b", "A b", [], 0),
    ("<svg/onload=alert(1)>b", "b", [], 0),
    ("<LINK rel=x HREF=//e>b", "b", [], 0),
    ("the <robot> and <link name='a'>", "the `<robot>` and `<link name='a'>`", [], 0),
    ("a<b and c>d", "a\\<b and c>d", [], 0),
    ("a < b, 3 <5, x <= y", "a < b, 3 <5, x <= y", [], 0),
    ("A <img src=x\nonerror=f()> b", "A \\<img src=x\nonerror=f()> b", [], 0),
    ("A <http://evil/x> b", "A http://evil/x b", [], 0),
    ("A <javascript:alert(1)> b", "A javascript:alert(1) b", [], 0),
    ("A <me@example.org> b", "A me@example.org b", [], 0),
    ("see http://e.org/x [1].", "see http://e.org/x [1].", [1], 0),
    # Taking something out puts nothing dangerous together
    ("[x]<b></b>(http://evil)", "[x] (http://evil)", [], 0),
    ("[x][9](http://evil)", "x", [], 1),
    ("<<b></b>img src=x>", "\\< img src=x>", [], 0),
    ("<[9]img src=x>", "< img src=x>", [], 1),
    ("<[img](http://e) src=x>", "< img src=x>", [], 0),
    ("[x] [9]: http://evil", "[x] : http://evil", [], 1),
    # Code and formulas are left alone
    ("x `[9]` y [1]", "x `[9]` y [1]", [1], 0),
    ("x ``a ` [9] <b>`` y", "x ``a ` [9] <b>`` y", [], 0),
    ("x ` [9] y", "x \\` y", [], 1),
    ("x `a\n[9]` y", "x \\`a\n\\` y", [], 1),
    ("x \\`[1]\\` y", "x \\`[1]\\` y", [1], 0),
    (
        "```py\na[9] = '<b>'\n\n![x](y)\n```\nz [9].",
        "```py\na[9] = '<b>'\n\n![x](y)\n```\nz.",
        [],
        1,
    ),
    ("~~~\n```\n[9]\n~~~\nz [1]", "~~~\n```\n[9]\n~~~\nz [1]", [1], 0),
    ("````\n```\n[9]\n````\n[9]", "````\n```\n[9]\n````\n", [], 1),
    ("- a\n  ```\n  b[9]\n  ```\n  c [9]", "- a\n  ```\n  b[9]\n  ```\n  c", [], 1),
    ("> ```\n> a[9]\nb [9]", "> ```\n> a[9]\nb", [], 1),
    ("```\nnever closed [9]", "```\nnever closed [9]", [], 0),
    ("$x \\in [0,1]$ y [1]", "$x \\in [0,1]$ y [1]", [1], 0),
    ("$$\nx[9]\n$$\ny [1]", "$$\nx[9]\n$$\ny [1]", [1], 0),
    ("\\(x[9]\\) y [1]", "\\(x[9]\\) y [1]", [1], 0),
    ("\\[ x[9] \\]\ny", "\\[ x[9] \\]\ny", [], 0),
    ("a\n\\[\nx[9]\n\\]", "a\n\\[\nx[9]\n\\]", [], 0),
    # A formula is what is shown as one: on lines of its own, or within a line
    ("\\[ x[9] \\] y", "[ x \\] y", [], 1),
    ("y \\[ x[9] \\]", "y \\[ x \\]", [], 1),
    ("$$\nx[9]\n$$ y [1]", "\\$\\$\nx\n\\$\\$ y [1]", [1], 1),
    ("\\(x\n[9]\\) y", "(x\n\\) y", [], 1),
    ("\\(see [1]\\) y", "(see [1]\\) y", [1], 0),
    ("\\[ see [1] \\]\ny", "[ see [1] \\]\ny", [1], 0),
    ("$\\href{a}{x[9]}$ y", "\\$\\href{a}{x}$ y", [], 1),
    ("$5 a month[9] or 6$", "\\$5 a month or 6$", [], 1),
    ("$5 [1] and $10 [9].", "$5 [1] and $10.", [1], 1),
    ("$5 [9] or 6$", "\\$5 or 6$", [], 1),
    ("$[x](http://evil)$", "\\$x$", [], 0),
    # An answer that was cut off
    ("A [1", "A", [], 1),
    ("A [", "A", [], 1),
    ("A [1, ", "A", [], 1),
    ("A [Source: Pa", "A", [], 1),
    ("A [Page 2](https://book.exa", "A Page 2", [], 0),
    ("A [and so", "A [and so", [], 0),
    ("A [1]", "A [1]", [1], 0),
    ("A `x", "A \\`x", [], 0),
    ("A <img src=", "A \\<img src=", [], 0),
    # Nothing else changes
    ("", "", [], 0),
    ("**Bold** _x_ ~~y~~ # 1. (a)\t\n", "**Bold** _x_ ~~y~~ # 1. (a)\t\n", [], 0),
    ("a  \nb\r\nc (", "a  \nb\r\nc (", [], 0),
]


@pytest.mark.parametrize(("written", "shown", "cited", "dropped"), CASES)
def test_what_a_reader_sees(written: str, shown: str, cited: list[int], dropped: int) -> None:
    stream = MarkerStream(PASSAGES)
    assert stream.feed(written) + stream.finish() == shown
    assert [PASSAGES.index(p) + 1 for p in stream.cited] == cited
    assert stream.dropped == dropped


def test_an_address_is_recognised_however_it_is_written() -> None:
    url = "/reader?page=a%20b&section=x%28y%29"
    passage = make_retrieved(1, chunk=make_chunk(1, url=url))
    for written in (url, url.replace("&", "&amp;"), "/reader?page=a%20b&section=x\\(y\\)"):
        stream = MarkerStream([passage])
        assert stream.feed(f"See [it]({written}).") + stream.finish() == "See [1]."


def test_two_passages_of_one_section_share_an_address_and_the_best_is_meant() -> None:
    same = [make_retrieved(n, chunk=make_chunk(n)) for n in (1, 2)]
    stream = MarkerStream(same)
    assert stream.feed(f"A [x]({same[0].chunk.url}) b [2].") + stream.finish() == "A [1] b [2]."
    assert stream.cited == same


def test_without_passages_every_marker_is_dropped() -> None:
    stream = MarkerStream([])
    assert stream.feed("A [1] b [2, 3].") + stream.finish() == "A b."
    assert stream.dropped == 3
