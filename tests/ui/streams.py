"""Adversarial answers: at least 200 texts a model might write, and the five passages it was given.

tests/ui/test_streams.py cuts each of them everywhere; tests/browser/test_streams_browser.py plays
them in Chromium.
"""

import random

from tests.builders import SITE
from tests.rag.test_markers import PASSAGES

__all__ = ["PASSAGES", "STREAMS"]

EVIL = "http://evil.example/x"
URL2 = f"{SITE}/p2#part"

WRITTEN = [
    # Markers in every spelling
    "It walks [1].",
    "It walks [1][2], then [3].",
    "It walks [9] of 5 and [1].",
    "It walks [1,2] and [1, 9].",
    "It walks [1-3] and [4–9].",
    "It walks 【1】 and 【9】 and 【2†source】.",
    "It walks ［1］ and ［9］.",
    "It walks [^1] and [^9].\n\n[^1]: a note",
    "It walks [[1]] and [[9]] and [[1], [2]].",
    "It walks \\[1\\] and \\[9\\].",
    "It walks [ 1 ] and [\t2] and [1 ] .",
    "It walks [99999999999999999999] and [1000] and [0] and [00] and [001].",
    "It walks [-1] and [1.5] and [1e3] and [1/2] and [+1].",
    "It walks [1\u200b] and [\u200b2] and [\u200c3] and [\ufeff4].",
    "It walks [1️⃣] and [🔥1] and [1🔥] and [①] and [１] and [٣].",
    "It walks [1], [2] (and [3]; [4]) [5]. [6]",
    "It walks [Source: Page 2] and [source 3] and [Passage 4] and [Ref. 9].",
    "[1]",
    "[9]",
    "[1][1][1][1]",
    "Ends open [",
    "Ends open [1",
    "Ends open [1, ",
    "Ends open [[1]",
    "Ends open 【1",
    "Ends open ［1",
    "Ends open [Source: Pa",
    "Ends open [x](http://evil",
    "Ends open ![x",
    "Ends open <img src=",
    "Ends open `[1]",
    "Ends open $x [1]",
    "Ends open \\[1",
    "Ends open ```\n[1]",
    "Ends [9]",
    # Code and mathematics
    "Call `a[1]` and ``b[9]`` [1].",
    "Call `a[1] and [2] [9].",
    "```py\na[1] = b[9]\n![x](http://evil.example)\n```\nSo [1] [9].",
    "~~~\na[1]\n~~~\nSo [1].",
    "> ```\n> a[9]\nSo [1] [9].",
    "- item\n  ```\n  a[9]\n  ```\n  so [1].",
    "    indented a[9] [1]\n\nSo [1].",
    "```mermaid\nclick A href 'http://evil.example'\n```\nSo [1].",
    "So $x[1] \\in [0,1]$ holds [1] for $5 [9] or 6$.",
    "So \\(x[9]\\) holds [1].",
    "$$\nx[9]\n$$\nSo [1].",
    "\\[ x[9] \\] so [1].",
    "$\\href{http://evil.example}{x}$ [1]",
    "It costs $5 [1] and $10 [2].",
    # Links, images, definitions
    f"See [Source: Page 2]({URL2}) and [Page 2]({URL2}) and [text]({SITE}/p22).",
    f'See [Source: x]({EVIL}) and [1]({EVIL}) and [9]({EVIL}) and [x]({EVIL} "t").',
    f"See [a [1] b]({EVIL}) and [[1]]({EVIL}) and [a [b [9]]]({EVIL}).",
    f"See ![1]({EVIL}) and ![alt [1]]({EVIL}) and ![a][1] and ![]({EVIL}) [1].",
    f"See [![1]({EVIL})]({EVIL}) and [![x]({EVIL})][1].",
    "See [x](javascript:alert(1)) and [1](javascript:alert(1)) and [x](JaVaScRiPt:alert(1)).",
    "See [x](data:text/html,<script>alert(1)</script>) and ![x](data:image/png;base64,AA==).",
    "See [x](//evil.example) and [x](/reader?page=a) and [x](#top) and [x](mailto:a@evil.example).",
    "See [x](\\javascript:alert(1)) and [x](java\nscript:alert(1)).",
    "See [x](&#106;avascript:alert(1)) and [x](%6aavascript:alert(1)) [1].",
    f"[**12]**]({EVIL}) and ~~[Source: x]({EVIL})~~ and ~~[3~~] and [*2*] [_9_].",
    "~~[9]~~ x\n`[9]`` y [1]` z\n$[9]$x[2]$ w [3]",
    f"See [x][1] and [x][ref] and [ref] and [ref][].\n\n[ref]: {EVIL}\n[1]: {EVIL}",
    f"[1]: {EVIL} [9]\n[2]: <{EVIL}> 'x'\n\nSo [1] and [2].",
    f"See <{EVIL}> and {EVIL} and www.evil.example and a@evil.example and <a@evil.example>.",
    f"See <a href='{EVIL}'>[1]</a> and <a href=\"{EVIL}\">x [9]</a>.",
    f"See <img src={EVIL} onerror=alert(1)> and <iframe src='{EVIL}'></iframe> [1].",
    "See <script>alert([1])</script> and <svg onload=alert(1)> and <!-- [1] --> [2].",
    "See <b>[1]</b> and <sup>[2]</sup> and [<b>1</b>] and [1</b>].",
    "See &#91;1&#93; and &lbrack;9&rbrack; and &#91;x&#93;(//evil.example).",
    "See \\[x\\](//evil.example) and [x\\](//evil.example) and \\![x](//evil.example) [1].",
    "See ftp://evil.example and file:///etc/passwd and tel:123 and vbscript:x [1].",
    # Tables, lists, quotes, headings, Streamlit's own signs
    "| a [1] | b [9] |\n|---|---|\n| [2] | `c[9]` |\n",
    "| a | b |\n|---|---|\n| `x | [9]` | y [1] |\n",
    "Call `x | [9]` now.\n\n| a [1] | b |\n|:--|--:|\n| c | d [2] |\n",
    "So $a | [9]$ holds.\n\n| a [1] | b |\n|---|---|\n| $c | [9]$ | d |\n",
    f"| [x]({EVIL}) | ![x]({EVIL}) |\n|---|---|\n| {EVIL} | [1]({EVIL}) |",
    "- [1] one\n- [9] two\n- [ ] todo [2]\n- [x] done [3]",
    "1. [1]\n2. [9]\n3. ```\n   [9]\n   ```",
    "> [1] quoted [9]\n> > [2]",
    "# Heading [1]\n\nText [9]\n=====\n\n## [9]",
    ":red[[1]] and :material/home: and :small[[9]] and :blue-badge[x [1]] and :tada: [2]",
    "**[1]** and *[2]* and ~~[3]~~ and __[9]__ and **bold[4]**",
    "[outer [1] text] and [outer [9] text] and [ [1] [2] ] and [[[1]]]",
    "m[i][j] and m[1][2] and cb[i](msg) and f[1](x) and a[9]",
    "in [0, 1] or [1, 100] or [2024] and [1] of [1, 2, 3, 4, 5, 6, 7]",
    "[1\n] and [\n2] and [1,\n2] and [\n\n3]",
    "[1](\nhttp://evil.example) and [x](\n\nhttp://evil.example)",
    "a]b [1] c[d [2] e](f [3] g)h [9] i)",
    "`` ` `` [1] ``` [2] ` [9] `",
    "~~~~\n~~~\n[9]\n~~~~\n[1]",
    "[" * 30 + "1" + "]" * 30,
    "[1" * 20,
    "]" * 10 + "[1]" + "(" * 10,
]

_SPACES = ["", " ", " ", ", ", "\n", "\n\n", ". ", "\u200b", "(", ") "]
_PLAIN = ["It walks", "the arm", "holds", "a cup", "so", "🤖", "naïve", "5 %", "x_1"]
_MARKERS = [
    "[{n}]", "[{n}]", "[{n},{m}]", "[{n}-{m}]", "[{n}–{m}]", "【{n}】", "［{n}］", "[^{n}]",
    "[[{n}]]", "\\[{n}\\]", "[{n}][{m}]", "[Source: Page {n}]", "[passage {n}]", "[{n} and {m}]",
    "[{n}\u200b]", "[ {n} ]", "({n})", "[{n}", "{n}]",
]  # fmt: skip
_FRAMES = [
    "{}", "{}", "{}", "`{}`", "``{}``", "**{}**", "*{}*", "~~{}~~", "\n```\n{}\n```\n", "${}$",
    "\n$$\n{}\n$$\n", "\\({}\\)", "[{}](http://evil.example/x)", "[{}](javascript:alert(1))",
    "[{}][1]", "![{}](http://evil.example/x.png)", "![{}](data:image/png;base64,AA==)",
    "<a href='http://evil.example'>{}</a>", "<b>{}</b>", "<img src=x alt='{}'>", "<!-- {} -->",
    "\n| {} | `{}` |\n|---|---|\n| b | {} |\n", "\n- {}\n- x\n", "\n> {}\n\n", "\n# {}\n",
    "[a {} b]", "\\[{}\\]", "{}: http://evil.example", "\n[{}]: http://evil.example\n", ":red[{}]",
    "<http://evil.example/{}>", "http://evil.example/{}", "[Source: {}](http://evil.example)",
    f"[{{}}]({URL2})", "`{}", "${} ", "<{}>",
]  # fmt: skip


def _generated(count: int) -> list[str]:
    """Texts of a small grammar: markers in frames in frames, with words and gaps between them."""
    chance = random.Random(3)

    def marker() -> str:
        numbers = {
            "n": chance.choice([1, 2, 3, 5, 9, 0, 12]),
            "m": chance.choice([1, 2, 4, 9, 300]),
        }
        return chance.choice(_MARKERS).format(**numbers)

    def part(depth: int) -> str:
        if depth == 0 or chance.random() < 0.3:
            return marker() if chance.random() < 0.75 else chance.choice(_PLAIN)
        inside = part(depth - 1) + (chance.choice(_SPACES) + part(depth - 1)) * chance.randint(0, 1)
        return chance.choice(_FRAMES).replace("{}", inside)

    def text() -> str:
        parts = [chance.choice([chance.choice(_PLAIN), part(2)]) for _ in range(4)]
        return "".join(piece + chance.choice(_SPACES) for piece in parts)

    return [text() for _ in range(count)]


STREAMS = list(dict.fromkeys([*WRITTEN, *_generated(170)]))
