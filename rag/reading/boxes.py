"""Boxes of a page: notes and warnings, details to open, sets of tabs."""

from html import escape
from typing import TYPE_CHECKING

from rag.reading.pieces import Choice, LinkEnd, LinkStart
from rag.reading.sheet import Sheet, Tabs
from rag.reading.spans import put_words

if TYPE_CHECKING:
    from markdown_it.token import Token

BOXES = frozenset({"box", "tabs", "tab"})
_KINDS = frozenset("note tip info warning danger caution important success secondary".split())


def open_box(sheet: Sheet, kind: str, title: "Token") -> None:
    """A box begins; what it is headed with is what the cleaned text has in bold."""
    frame = sheet.frames[-1]
    if kind == "tabs":
        sheet.frames.append(Tabs("tabs", "</div>", [], frame.inside, group=sheet.new_group()))
    elif kind == "tab" and isinstance(frame, Tabs):
        _tab(sheet, frame, title)
    elif kind == "details":
        _details(sheet, title)
    else:
        _aside(sheet, kind, title)


def close_box(sheet: Sheet) -> None:
    """A box ends; a closing line too many closes nothing."""
    if sheet.frames[-1].name in BOXES:
        sheet.pop()


def _aside(sheet: Sheet, kind: str, title: "Token") -> None:
    # A tab that is in no set has a label and no kind.
    name = "" if kind == "tab" else kind.capitalize()
    shade = kind if kind in _KINDS else "note"
    label = escape(name or "Tab")
    sheet.push("box", f'<aside class="box box-{shade}" aria-label="{label}">', "</aside>")
    sheet.put('<p class="box-title">')
    if name:
        sheet.new_block()
        sheet.say("title", f"{name}: " if title.content else name)
    put_words(sheet, title, "title")
    sheet.put("</p>")


def _details(sheet: Sheet, title: "Token") -> None:
    opening = Choice(sheet.new_group(), 2, '<details class="box" open>', '<details class="box">')
    sheet.push("box", opening, "</details>")
    sheet.put("<summary>")
    put_words(sheet, title, "title")
    if not title.content:
        sheet.say("label", "", "Details")
    sheet.put("</summary>")


def _tab(sheet: Sheet, tabs: Tabs, title: "Token") -> None:
    """A tab: its button goes to the buttons, its panel to the panels."""
    tabs.count += 1
    key = f"{tabs.group}-{tabs.count}"
    button = f'<button type="button" role="tab" id="tab-{key}" aria-controls="panel-{key}"'
    on, off = ' aria-selected="true" tabindex="0">', ' aria-selected="false" tabindex="-1">'
    _begin(sheet, tabs, "button", Choice(tabs.group, tabs.count, button + on, button + off))
    put_words(sheet, title, "title")
    if not title.content:
        sheet.say("label", "", f"Tab {tabs.count}")
    sheet.pop()
    # A button can hold no link.
    tabs.buttons = [p for p in tabs.buttons if not isinstance(p, LinkStart | LinkEnd)]
    panel = f'<div class="tab-panel" role="tabpanel" id="panel-{key}" aria-labelledby="tab-{key}"'
    on, off = ' tabindex="0">', ' tabindex="0" hidden>'
    _begin(sheet, tabs, "tab", Choice(tabs.group, tabs.count, panel + on, panel + off))


def _begin(sheet: Sheet, tabs: Tabs, name: str, opening: Choice) -> None:
    """Open a part of a set of tabs, away from what stands around it."""
    loose = tabs.out
    tabs.out = tabs.buttons if name == "button" else tabs.panels
    sheet.push(name, opening, "</button>" if name == "button" else "</div>")
    tabs.out = loose
