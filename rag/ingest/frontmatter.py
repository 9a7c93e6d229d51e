"""The YAML at a page's head, read even where it is not quite YAML."""

import re
from typing import NamedTuple

import yaml

_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n(?P<yaml>(?:.*?\n)??)---[ \t]*(?:\n|$)", re.DOTALL)
_FIELD = re.compile(r"(?P<key>[A-Za-z_][\w-]*):[ \t]+(?P<value>\S.*?)[ \t]*")
_NOTHING = frozenset({"", "~", "null", "Null", "NULL"})
_PROBLEM = "Its front matter is not valid YAML; I took what could be read line by line."


class FrontMatter(NamedTuple):
    """A page's fields as text, the body below them, and what was wrong, if anything."""

    fields: dict[str, str]
    body: str
    problem: str | None = None

    def number(self, key: str) -> float | None:
        """A field as a number, or None."""
        try:
            return float(self.fields[key])
        except (KeyError, ValueError):
            return None

    def flag(self, key: str, default: bool = False) -> bool:
        """A field as yes or no."""
        return self.fields.get(key, str(default)).lower() == "true"


def split_front_matter(text: str) -> FrontMatter:
    """A page's head and its body."""
    match = _FRONT_MATTER.match(text)
    if match is None:
        return FrontMatter({}, text)
    body = text[match.end() :]
    fields = read_fields(match["yaml"])
    if fields is None:
        return FrontMatter(_line_by_line(match["yaml"]), body, _PROBLEM)
    return FrontMatter(fields, body)


def read_fields(source: str) -> dict[str, str] | None:
    """The plain fields of a YAML mapping, or None where it is none."""
    try:
        # BaseLoader leaves every value text: "title: No" is a title, not False.
        data = yaml.load(source, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError):
        return None
    if data is None or data == "":
        return {}
    if not isinstance(data, dict):
        return None
    return {
        str(key): value.strip()
        for key, value in data.items()
        if isinstance(value, str) and value.strip() not in _NOTHING
    }


def _line_by_line(source: str) -> dict[str, str]:
    """The fields that stand on one line, whatever is wrong with the others."""
    found = map(_FIELD.fullmatch, source.split("\n"))
    return {match["key"]: match["value"].strip("\"'") for match in found if match}
