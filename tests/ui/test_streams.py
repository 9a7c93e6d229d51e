"""200 adversarial answers, cut everywhere, as a learner sees them at every moment."""

import re
from functools import cache

import pytest

from rag.markers import MarkerStream
from tests.ui.rendered import Shown, rendered
from tests.ui.streams import PASSAGES, STREAMS
from ui.markdown import Link, safe_markdown

NASTY = 'On "a" [1](//evil.example) | <b> \\ `c` $5$ :red[x] &amp; *y* — “it’s (so)”'
LINKS = {
    n: Link(f"reader?page=p{n}&section=part&quote=a%20%28b%29", f"{n} {NASTY}") for n in range(1, 6)
}
# A number in brackets of any kind; what nobody sees between them does not matter.
UNSEEN = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
BRACKETED = re.compile(r"[\[【［][^\S\n]*\^?[^\S\n]*\d{1,3}[^\S\n]*[\]】］]")
BEGUN = re.compile(r"(?:[\[【［][ \t]*\^?[\d \t,;–-]*|\[ *sources? *:[^\]\n]*)$", re.IGNORECASE)
ENDED = re.compile(
    r"(?:[\[【［][ \t]*\^?\d[\d \t,;–-]*|\[ *sources? *:[^\]\n]*)[\]】］]", re.IGNORECASE
)
ADDRESS = re.compile(r"(?:https?|ftp)://\w|www\.|\w@\w+\.\w", re.IGNORECASE)


def moments(pieces: list[str]) -> tuple[list[str], MarkerStream]:
    """The answer as far as it was let through, after each piece and at the end."""
    stream = MarkerStream(PASSAGES)
    seen, shown = [], ""
    for piece in pieces:
        shown += stream.feed(piece)
        seen.append(shown)
    return [*seen, shown + stream.finish()], stream


@cache
def every_moment(text: str) -> tuple[dict[str, Shown], str, int]:
    """All that is ever on the page however a text is cut, its end, and how many it cites."""
    seen, stream = moments(list(text))
    for at in range(1, len(text)):
        cut, _ = moments([text[:at], text[at:]])
        assert cut[-1] == seen[-1]
        seen[:0] = cut
    found = {shown: rendered(safe_markdown(shown)) for shown in dict.fromkeys(seen)}
    return found, seen[-1], len(stream.cited)


def half_written(shown: str, prose: str, end: str) -> str:
    """What looks begun at the end of the page, if the answer goes on to make a marker of it."""
    begun = BEGUN.search(prose.rstrip())
    if begun is None or begun.group()[-1] != shown.rstrip()[-1:]:
        return ""
    onwards = end[len(shown.rstrip()) :]
    return begun.group() if ENDED.match(begun.group() + onwards) else ""


def test_there_are_enough_streams() -> None:
    assert len(set(STREAMS)) >= 200


@pytest.mark.parametrize("text", STREAMS)
def test_at_no_moment_is_a_marker_seen_by_halves(text: str) -> None:
    found, end, _ = every_moment(text)
    for shown, page in found.items():
        # What was seen once stays: nothing is taken back.
        assert end.startswith(shown)
        assert half_written(shown, page.prose, end) == ""


@pytest.mark.parametrize("text", STREAMS)
def test_at_no_moment_is_a_marker_dead(text: str) -> None:
    found, _, cited = every_moment(text)
    for page in found.values():
        assert BRACKETED.findall(UNSEEN.sub("", page.prose)) == []
        assert set(page.markers) <= set(range(1, cited + 1))


@pytest.mark.parametrize("text", STREAMS)
def test_at_no_moment_does_anything_come_alive(text: str) -> None:
    found, _, _ = every_moment(text)
    for page in found.values():
        assert (page.links, page.alive) == ([], [])
        assert ADDRESS.search(UNSEEN.sub("\ue000", page.prose)) is None


@pytest.mark.parametrize("text", STREAMS)
def test_in_the_end_every_marker_leads_to_its_passage(text: str) -> None:
    found, end, cited = every_moment(text)
    links = {n: LINKS[n] for n in range(1, cited + 1)}
    page = rendered(safe_markdown(end, links))
    assert page.alive == []
    assert page.links == [(f"[{n}]", *links[n]) for n in page.markers]
    assert set(page.markers) == set(links)
    assert page.prose.replace("\ue001", "") == found[end].prose


def test_the_streams_speak_to_every_check() -> None:
    """Without the stream's care, the checks above find what they look for."""
    raw = "It walks [1] and [9] and http://evil.example"
    seen = {raw[:n]: rendered(safe_markdown(raw[:n])) for n in range(len(raw) + 1)}
    assert any(half_written(shown, page.prose, raw) for shown, page in seen.items())
    assert set(seen[raw].markers) == {1, 9}
    live = rendered("[x](http://evil.example) ![y](z) <b> [9] www.evil.example")
    assert live.links
    assert len(live.alive) == 2
    assert BRACKETED.search(live.prose)
    assert ADDRESS.search(live.prose)
