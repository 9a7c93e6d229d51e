"""What a renderer like Streamlit's makes of safe Markdown: its prose, links and pictures."""

import re
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

# How a marker is written while an answer streams, and as a link; no answer can write either.
_WAITING = re.compile(r":small\[:blue\[\\\[(\d+)\\\]\]\]")
_LINKED = re.compile(r":small\[(\[\\\[\d+\\\]\]\(\S+ \"(?:\\.|[^\"\\])*\"\))\]")
_FORMULA = re.compile(r"\$\$[^$]+\$\$|\$[^$]+\$")


class Shown(NamedTuple):
    """Prose outside code and formulas, each marker as `⟦n⟧`, and what came alive in it."""

    prose: str
    links: list[tuple[str, str, str]]
    alive: list[str]

    @property
    def markers(self) -> list[int]:
        """The numbers of the markers, in order."""
        return [int(number) for number in re.findall(r"⟦(\d+)⟧", self.prose)]


def rendered(markdown: str) -> Shown:
    """Read Markdown as Streamlit does."""
    plain = _LINKED.sub("\ue001\\1", _WAITING.sub(r"⟦\1⟧", markdown))
    prose, links, alive = "", list[tuple[str, str, str]](), list[str]()
    for token in _PARSER.parse(plain):
        if token.type in ("fence", "code_block", "formula_block"):
            prose += "\ue000"
        if token.type == "html_block":
            alive.append(token.content)
        said, found, bad = _inline(token.children or [])
        prose, links, alive = prose + said + "\n", links + found, alive + bad
    return Shown(prose, links, alive)


def _inline(tokens: list[Token]) -> tuple[str, list[tuple[str, str, str]], list[str]]:
    prose, links, alive = "", list[tuple[str, str, str]](), list[str]()
    opened: tuple[int, Token] | None = None
    for token in tokens:
        if token.type == "text":
            prose += token.content
        elif token.type in ("softbreak", "hardbreak"):
            prose += " "
        elif token.type in ("code_inline", "formula"):
            prose += "\ue000"
        elif token.type == "link_open":
            opened = len(prose), token
        elif token.type == "link_close" and opened:
            at, link = opened
            links.append((prose[at:], str(link.attrs["href"]), str(link.attrs.get("title", ""))))
            prose = prose[:at] + re.sub(r"\[(\d+)\]", r"⟦\1⟧", prose[at:])
        elif token.type in ("image", "html_inline"):
            alive.append(f"{token.type} {token.attrs} {token.content}")
    return prose, links, alive


def _formula(state: StateInline, silent: bool) -> bool:
    match = _FORMULA.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("formula", "", 0)
    state.pos = match.end()
    return True


def _display(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    lines = [state.src[state.bMarks[n] : state.eMarks[n]] for n in range(start, end)]
    if lines[0] != "$$" or "$$" not in lines[1:]:
        return False
    if not silent:
        state.line = start + lines.index("$$", 1) + 1
        state.push("formula_block", "", 0)
    return True


def _parser() -> MarkdownIt:
    # HTML is read, so that a tag which could come alive is found.
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "formula", _formula)
    parser.inline.add_terminator_char("$")
    alternatives = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("fence", "formula", _display, alternatives)  # type: ignore[arg-type]
    return parser


_PARSER = _parser()
