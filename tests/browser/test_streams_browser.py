"""Chromium's verdict on 200 adversarial answers while they stream: every moment is looked at."""

import os
import re
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Visit
from tests.browser.server import ROOT, streamlit_server
from tests.ui.streams import STREAMS
from tests.ui.test_streams import BEGUN, BRACKETED, UNSEEN

pytestmark = pytest.mark.browser

# Notes every text that an answer ever shows, outside code and formulas and with `⟦n⟧` for a
# marker, and every element that leads or loads anywhere.
WATCH = """
window.moments = {}
window.alive = []
const LOADS = "a, img, iframe, script, object, embed, video, audio, form, link, base"
const BLOCK = "p, li, td, th, h1, h2, h3, h4, h5, h6, blockquote"
const HOME = "[class*=st-key-stream_], [class*=st-key-whole_]"
const nameOf = (home) => [...home.classList].find((c) => c.startsWith("st-key-")).slice(7)
const homesOf = (node) => {
  const element = node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement
  const around = element?.closest(HOME)
  return around ? [around] : [...(element?.querySelectorAll(HOME) ?? [])]
}
const isMarker = (element) => /^\\[\\d{1,3}\\]$/.test(element.textContent) &&
  element.matches("a[href], .stMarkdownColoredText")
const read = (home) => {
  let text = "", block = null
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) {
      const at = node.parentElement.closest(BLOCK)
      text += (at !== block ? "\\n" : "") + node.data
      block = at
    } else if (node.matches?.("pre, code, .katex, [data-testid=stCode]")) text += "\\ue000"
    else if (node.nodeType === Node.ELEMENT_NODE && isMarker(node))
      text += node.textContent.replace("[", "⟦").replace("]", "⟧")
    else node.childNodes.forEach(walk)
  }
  walk(home)
  return text
}
new MutationObserver((records) => {
  const changed = new Set()
  for (const record of records) {
    const target = record.target.nodeType === Node.TEXT_NODE ? [record.target] : []
    for (const node of [...target, ...record.addedNodes, ...record.removedNodes]) {
      for (const home of homesOf(node.isConnected ? node : record.target)) changed.add(home)
    }
    for (const node of record.addedNodes) {
      if (node.nodeType !== Node.ELEMENT_NODE) continue
      for (const element of [node, ...node.querySelectorAll("*")].filter((e) => e.matches(LOADS))) {
        const home = element.closest(HOME)
        const href = element.getAttribute("href")
        if (home) window.alive.push([nameOf(home), element.localName, href, element.outerHTML])
      }
    }
  }
  for (const home of changed) {
    const seen = (window.moments[nameOf(home)] ??= [])
    const text = read(home)
    if (seen.at(-1) !== text) seen.push(text)
  }
}).observe(document, { childList: true, subtree: true, characterData: true })
"""


@pytest.fixture
def pace(tmp_path: Path) -> Path:
    """A pipe through which the app is told that it may go on."""
    pipe = tmp_path / "pace"
    os.mkfifo(pipe)
    return pipe


@pytest.fixture
def address(pace: Path) -> Iterator[str]:
    script = ROOT / "tests" / "browser" / "apps" / "streams.py"
    with streamlit_server(script, {"LECTERN_TEST_PACE": str(pace)}) as url:
        yield url


def _half_written(text: str, end: str) -> bool:
    """Whether a text ends with the beginning of what is a marker in the end."""
    begun = BEGUN.search(text)
    return begun is not None and end.startswith(text[: begun.start()] + "⟦")


def _watched(visit: Visit, address: str, pace: Path) -> tuple[dict[str, list[str]], list[Any]]:
    """Every text that each answer showed, and everything in one that leads or loads anywhere."""
    visit.page.add_init_script(WATCH)
    visit.page.goto(address)
    with pace.open("wb", buffering=0) as tell:
        for number in count(1):
            told = visit.page.get_by_text(re.compile(rf"^(round {number}|drawn)$"))
            told.wait_for()
            if told.text_content() == "drawn":
                break
            tell.write(b".")
    visit.settled()
    seen: Any = visit.page.evaluate("() => [window.moments, window.alive]")
    return seen[0], seen[1]


def test_no_moment_of_any_stream_shows_what_it_must_not(
    address: str, pace: Path, visit: Visit
) -> None:
    moments, alive = _watched(visit, address, pace)
    wrong = []
    for number, text in enumerate(STREAMS):
        end = moments.get(f"whole_{number}", [""])[-1]
        cited = set(re.findall(r"⟦(\d+)⟧", end))
        for shown in [*moments.get(f"stream_{number}", []), end]:
            markers = set(re.findall(r"⟦(\d+)⟧", shown))
            dead = BRACKETED.findall(UNSEEN.sub("", shown))
            if dead or not markers <= cited or _half_written(shown, end):
                wrong.append((number, text, shown, end))
    assert wrong == []
    leads = re.compile(r"reader\?page=p[1-5]&quote=a%20%28b%29")
    foreign = [
        found
        for name, kind, href, found in alive
        if not (name.startswith("whole_") and kind == "a" and leads.fullmatch(href or ""))
    ]
    assert foreign == []
    # The test has eyes: most answers were seen in the making, and their markers are links.
    seen = [len(moments.get(f"stream_{number}", [])) for number in range(len(STREAMS))]
    assert sum(seen) > 5 * len(STREAMS)
    assert len(alive) > 100
