"""A Docusaurus docs folder, or any folder of Markdown, read as a book."""

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from pathlib import Path, PurePosixPath

from rag.domain.base import NonBlank, Value
from rag.domain.book import Page
from rag.domain.errors import BookError
from rag.ingest import slugs
from rag.ingest.clean import clean_for_reading, clean_markdown, normalise
from rag.ingest.frontmatter import FrontMatter, read_fields, split_front_matter
from rag.ingest.markdown import read_blocks

_ENDINGS = frozenset({".md", ".mdx"})
_NOT_CONTENT = frozenset({"node_modules", "__pycache__", "__tests__"})
_CATEGORY_FILES = ("_category_.json", "_category_.yml", "_category_.yaml")
_CONFIGS = tuple(f"docusaurus.config.{ending}" for ending in ("js", "ts", "mjs", "cjs", "mts"))
_SITE_TITLE = re.compile(
    r"^\s*title:\s*(?P<quote>['\"`])(?P<title>[^\n]+?)(?P=quote)", re.MULTILINE
)


class Problem(Value):
    """Something a person may want to repair in a file that was read all the same."""

    file: NonBlank
    reason: NonBlank


class Skipped(Problem):
    """A file that is not in the book, and why."""


class Book(Value):
    """A book as it was read: its pages in reading order, and what was left out."""

    title: NonBlank
    pages: tuple[Page, ...]
    skipped: tuple[Skipped, ...] = ()
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class _Source:
    """One readable file: where it stands, its head, its cleaned text and its title."""

    path: PurePosixPath
    head: FrontMatter
    text: str
    reading: str
    title: str

    @property
    def folder(self) -> str:
        return "" if self.path.parent == PurePosixPath(".") else str(self.path.parent)

    @property
    def prefixes(self) -> bool:
        return self.head.flag("parse_number_prefixes", default=True)

    @property
    def front_id(self) -> str:
        """The id its author gave it; Docusaurus refuses one with a slash."""
        given = self.head.fields.get("id", "")
        return "" if "/" in given else given

    @property
    def is_index(self) -> bool:
        return slugs.is_index(self.folder, self.path.stem)

    @property
    def position(self) -> float | None:
        given = self.head.number("sidebar_position")
        prefix = slugs.split_number_prefix(self.path.stem)[1] if self.prefixes else None
        return prefix if given is None else given


def read_book(folder: Path) -> Book:
    """The book in a folder, or a BookError that says what to do about it."""
    root = _docs_root(folder)
    reader = _BookReader(root)
    sources = reader.read()
    if not sources and not reader.skipped:
        raise BookError(
            f"There is no Markdown (.md or .mdx) in {folder}; point me at a Docusaurus docs folder."
        )
    if not sources:
        first = reader.skipped[0]
        raise BookError(
            f"No page of {folder} can be read. The first of {len(reader.skipped)}: "
            f"{first.file}. {first.reason}"
        )
    pages = reader.pages(sources)
    return Book(
        title=_book_title(root, pages),
        pages=tuple(pages),
        skipped=tuple(reader.skipped),
        problems=tuple(reader.problems),
    )


def _docs_root(folder: Path) -> Path:
    """The folder of pages: the one given, or docs/ where that is a whole Docusaurus site."""
    if not folder.exists():
        raise BookError(f"There is no folder {folder}; check the path.")
    if not folder.is_dir():
        raise BookError(f"{folder} is a file; point me at the folder the book's pages are in.")
    if not os.access(folder, os.R_OK | os.X_OK):
        raise BookError(f"I may not read {folder}; check its permissions.")
    is_site = any((folder / name).is_file() for name in _CONFIGS)
    return folder / "docs" if is_site and (folder / "docs").is_dir() else folder


class _NotAPage(Exception):
    """A file stays out of the book; the text says why."""


class _BookReader:
    """Reads the files of one folder and remembers what it could not use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.skipped: list[Skipped] = []
        self.problems: list[Problem] = []
        self._categories: dict[str, dict[str, str]] = {}
        self._indexes: dict[str, _Source] = {}

    def read(self) -> list[_Source]:
        """Every page, in reading order."""
        sources = [source for file in _files(self.root) if (source := self._source(file))]
        self._indexes = {source.folder: source for source in sources if source.is_index}
        return sorted(sources, key=self._order)

    def _source(self, file: Path) -> _Source | None:
        """One file, or None with the reason noted."""
        path = PurePosixPath(file.relative_to(self.root).as_posix())
        name = str(path).encode("utf-8", "backslashreplace").decode()
        try:
            head = split_front_matter(normalise(self._content(file, path)))
            if head.problem:
                self.problems.append(Problem(file=name, reason=head.problem))
            text = clean_markdown(head.body)
            if head.flag("draft"):
                raise _NotAPage("It is marked as a draft.")
            if not text.strip():
                raise _NotAPage("It is empty.")
        except _NotAPage as reason:
            self.skipped.append(Skipped(file=name, reason=str(reason)))
            return None
        return _Source(path, head, text, clean_for_reading(head.body), _title(path, head, text))

    def _content(self, file: Path, path: PurePosixPath) -> str:
        """What a file holds, if it is one of the book's pages."""
        if any(part.startswith("_") for part in path.parts):
            raise _NotAPage("Its name begins with _, which makes it part of other pages.")
        try:
            str(path).encode()
            if not file.resolve().is_relative_to(self.root.resolve()):
                raise _NotAPage("It is a link that leads out of the book's folder.")
            return file.read_bytes().decode("utf-8")
        except UnicodeEncodeError as error:
            raise _NotAPage("Its name is not UTF-8; rename it.") from error
        except UnicodeDecodeError as error:
            raise _NotAPage("It is not UTF-8 text; save it as UTF-8.") from error
        except OSError as error:
            raise _NotAPage(f"It cannot be read: {error.strerror or 'unknown error'}.") from error

    def _category(self, folder: str) -> dict[str, str]:
        """What a folder's _category_ file says about it."""
        if folder not in self._categories:
            self._categories[folder] = self._read_category(folder)
        return self._categories[folder]

    def _read_category(self, folder: str) -> dict[str, str]:
        file = next((f for n in _CATEGORY_FILES if (f := self.root / folder / n).is_file()), None)
        if file is None:
            return {}
        try:
            fields = _category_fields(file.name, file.read_text("utf-8-sig"))
        except (OSError, ValueError):
            fields = None
        if fields is None:
            name = file.relative_to(self.root).as_posix()
            self.problems.append(Problem(file=name, reason="It cannot be read as a category."))
        return fields or {}

    def _folder_position(self, folder: str) -> float | None:
        """Where a folder stands: by its category file, its index page, or its number."""
        try:
            return float(self._category(folder)["position"])
        except (KeyError, ValueError):
            pass
        index = self._indexes.get(folder)
        if index and (given := index.head.number("sidebar_position")) is not None:
            return given
        return slugs.split_number_prefix(PurePosixPath(folder).name)[1]

    def _order(self, source: _Source) -> list[tuple[int, float, str, str]]:
        """Reading order, folder by folder: the index page, then by position, then by name."""
        parents = [str(parent) for parent in reversed(source.path.parents)][1:]
        keys = [_key(PurePosixPath(p).name, self._folder_position(p)) for p in parents]
        is_first = source.is_index and (bool(parents) or source.position is None)
        return [*keys, (0, 0.0, "", "") if is_first else _key(source.path.name, source.position)]

    def _module(self, source: _Source) -> str:
        """The name of the top folder a page is in; none for a page beside those folders."""
        if not source.folder:
            return ""
        top = source.path.parts[0]
        index = self._indexes.get(top)
        of_index = (index.head.fields.get("sidebar_label") or index.title) if index else ""
        return self._category(top).get("label") or of_index or _prettified(top)

    def pages(self, sources: list[_Source]) -> list[Page]:
        """The sources as pages, no two of which share a chapter id."""
        taken: set[str] = set()
        pages = []
        for position, source in enumerate(sources):
            pages.append(self._page(source, position, taken))
            taken.add(pages[-1].chapter_id)
        return pages

    def _page(self, source: _Source, position: int, taken: set[str]) -> Page:
        stem, front_id, prefixes = source.path.stem, source.front_id, source.prefixes
        ids = (
            slugs.doc_id(source.folder, stem, front_id, prefixes=prefixes),
            str(source.path.with_suffix("")),
            str(source.path),
        )
        slug = source.head.fields.get("slug", "")
        return Page(
            source_file=str(source.path),
            chapter_id=next((given for given in ids if given not in taken), str(source.path)),
            module=self._module(source),
            title=source.title,
            route=slugs.route(source.folder, stem, front_id=front_id, slug=slug, prefixes=prefixes),
            text=source.text,
            reading=source.reading,
            position=position,
        )


def _files(root: Path) -> Iterator[Path]:
    """Every Markdown file below a folder; linked folders are not entered."""
    for folder, names, files in os.walk(root):
        names[:] = sorted(n for n in names if n not in _NOT_CONTENT and not n.startswith("."))
        for name in sorted(files):
            if Path(name).suffix.lower() in _ENDINGS and not name.startswith("."):
                yield Path(folder, name)


def _category_fields(name: str, content: str) -> dict[str, str] | None:
    """A category file's plain fields."""
    if not name.endswith(".json"):
        return read_fields(content)
    data = json.loads(content)
    if not isinstance(data, dict):
        return None
    return {key: str(value) for key, value in data.items() if isinstance(value, str | int | float)}


def _key(name: str, position: float | None) -> tuple[int, float, str, str]:
    return (1, inf if position is None else position, name.lower(), name)


def _title(path: PurePosixPath, head: FrontMatter, text: str) -> str:
    """Front matter's title, else the first H1, else the file's name made readable."""
    if given := head.fields.get("title"):
        return given
    first = next((b.title for b in read_blocks(text) if b.kind == "heading" and b.level == 1), "")
    stem = path.parent.name if path.stem.lower() in {"index", "readme"} else path.stem
    return first or _prettified(stem or path.stem)


def _prettified(name: str) -> str:
    """01-how-cells-divide -> How cells divide."""
    words = re.sub(r"[-_\s]+", " ", slugs.split_number_prefix(name)[0]).strip() or name
    return words[:1].upper() + words[1:]


def _book_title(root: Path, pages: list[Page]) -> str:
    """The site's own title, else that of the first page beside the modules, else the folder's."""
    for config in (folder / name for folder in (root, root.parent) for name in _CONFIGS):
        if config.is_file():
            match = _SITE_TITLE.search(config.read_text("utf-8", errors="replace"))
            if match:
                return match["title"]
    beside = next((page.title for page in pages if not page.module), "")
    resolved = root.resolve()
    folder = resolved.parent.name if resolved.name == "docs" else resolved.name
    return beside or _prettified(folder) or "Book"
