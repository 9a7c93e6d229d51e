"""Anchors, ids and routes exactly as Docusaurus makes them."""

import posixpath
import re
import unicodedata

# github-slugger strips these Unicode categories, whatever else a heading is made of.
_STRIPPED = {
    *("No", "Pe", "Pf", "Pi", "Ps", "Po", "Pd", "Sm", "Sc", "Sk", "So"),
    *("Cc", "Co", "Cf", "Cn", "Zs", "Zl", "Zp"),
}
# Symbols that Unicode also calls alphabetic (circled and squared letters); these it keeps.
_LETTER_SYMBOLS = (
    (0x24B6, 0x24E9),
    (0x1F130, 0x1F149),
    (0x1F150, 0x1F169),
    (0x1F170, 0x1F189),
)
_EXPLICIT_IDS = (
    re.compile(r"\s*\\?\{#(?P<id>(?:.(?!\{#|\}))*.)\}$"),
    re.compile(r"\s*\{/\*\s*#(?P<id>\S+)\s*\*/\}$"),
    re.compile(r"\s*<!--\s*#(?P<id>\S+)\s*-->$"),
)
# Dates (2021-11-foo) and versions (7.0-foo) begin with a number that is no prefix.
_NOT_A_PREFIX = re.compile(r"[0-9]+[-_.][0-9]+")
_PREFIX = re.compile(r"(?P<number>[0-9]+)\s*[-_.]+\s*(?P<rest>[^-_.\s].*)", re.DOTALL)


def slug(text: str) -> str:
    """The anchor of a heading's plain text, before duplicates are told apart."""
    kept = (c for c in text.lower() if c in " -" or _is_kept(c))
    return "".join(kept).replace(" ", "-")


def _is_kept(char: str) -> bool:
    """Whether github-slugger leaves a character in an anchor."""
    if unicodedata.category(char) not in _STRIPPED:
        return True
    return any(first <= ord(char) <= last for first, last in _LETTER_SYMBOLS)


class Slugger:
    """Makes the anchors of one page: the second "Foo" becomes foo-1."""

    def __init__(self) -> None:
        """Begin with no anchor taken."""
        self._occurrences: dict[str, int] = {}

    def slug(self, text: str) -> str:
        """The anchor of the next heading on the page."""
        wanted = anchor = slug(text)
        while anchor in self._occurrences:
            self._occurrences[wanted] += 1
            anchor = f"{wanted}-{self._occurrences[wanted]}"
        self._occurrences[anchor] = 0
        return anchor


def split_heading_id(heading: str) -> tuple[str, str | None]:
    """A heading without its explicit id, and that id: {#id}, {/* #id */} or <!-- #id -->."""
    for pattern in _EXPLICIT_IDS:
        if match := pattern.search(heading):
            return heading[: match.start()], match["id"].strip()
    return heading, None


def split_number_prefix(name: str) -> tuple[str, int | None]:
    """A file or folder name without its number prefix, and that number."""
    match = None if _NOT_A_PREFIX.match(name) else _PREFIX.fullmatch(name)
    return (match["rest"], int(match["number"])) if match else (name, None)


def strip_path_prefixes(path: str) -> str:
    """A folder path with every number prefix stripped."""
    return "/".join(split_number_prefix(part)[0] for part in path.split("/"))


def is_index(folder: str, name: str) -> bool:
    """Whether a file (without its ending) stands for its whole folder."""
    return name.lower() in {"index", "readme", posixpath.basename(folder).lower() or "index"}


def doc_id(folder: str, name: str, front_id: str = "", *, prefixes: bool = True) -> str:
    """Docusaurus' id of a document: stripped folders and the id of front matter or file."""
    if prefixes:
        folder, name = strip_path_prefixes(folder), split_number_prefix(name)[0]
    return posixpath.join(folder, front_id or name)


def route(
    folder: str, name: str, *, front_id: str = "", slug: str = "", prefixes: bool = True
) -> str:
    """Where a document stands below the address of the docs."""
    if slug.startswith("/"):
        return slug
    base = "/" + (strip_path_prefixes(folder) if prefixes else folder)
    if not slug and is_index(folder, name):
        return base if base.endswith("/") else base + "/"
    last = slug or front_id or (split_number_prefix(name)[0] if prefixes else name)
    resolved = posixpath.normpath(posixpath.join(base, last))
    return resolved + "/" if last.endswith("/") and resolved != "/" else resolved
