"""Draws favicon.png, a book on a lectern, and reader.png. Run it by hand after a change."""

from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw

_SIZE = 256
_TEAL, _PAPER, _GREY = "#0b6e6e", "#fdfcf9", "#6b6e64"


def _lectern(pen: ImageDraw.ImageDraw) -> None:
    pen.polygon([(124, 82), (124, 168), (44, 148), (44, 62)], fill=_PAPER)
    pen.polygon([(132, 82), (132, 168), (212, 148), (212, 62)], fill=_PAPER)
    for y in (86, 106, 126):
        pen.line([(60, y), (110, y + 12)], fill=_TEAL, width=7)
        pen.line([(146, y + 12), (196, y)], fill=_TEAL, width=7)
    pen.rounded_rectangle((119, 176, 137, 222), radius=6, fill=_PAPER)
    pen.rounded_rectangle((88, 212, 168, 226), radius=6, fill=_PAPER)


def _reader(pen: ImageDraw.ImageDraw) -> None:
    pen.ellipse((88, 52, 168, 132), fill=_PAPER)
    pen.pieslice((48, 148, 208, 308), 180, 360, fill=_PAPER)


def _save(name: str, ground: str, draw: Callable[[ImageDraw.ImageDraw], None]) -> None:
    """Draw at four times the size, so that the edges come out smooth."""
    image = Image.new("RGBA", (_SIZE, _SIZE), (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    pen.rounded_rectangle((0, 0, _SIZE - 1, _SIZE - 1), radius=52, fill=ground)
    draw(pen)
    small = image.resize((64, 64), Image.Resampling.LANCZOS)
    small.save(Path(__file__).with_name(name), optimize=True)


if __name__ == "__main__":
    _save("favicon.png", _TEAL, _lectern)
    _save("reader.png", _GREY, _reader)
