"""A page of Markdown, and a judge of HTML."""

from html.parser import HTMLParser

from rag.domain.book import Page

_VOID = {"br", "hr"}


def make_page(markdown: str, title: str = "Title", **over: object) -> Page:
    """A page whose reading is this Markdown; its text is the same unless given."""
    usual = {
        "source_file": "part/02-page.md",
        "chapter_id": "part/page",
        "module": "Part",
        "title": title,
        "route": "/part/page",
        "text": markdown,
        "position": 0,
    }
    return Page.model_validate({**usual, **over})


class Judge(HTMLParser):
    """Notes the tags and attributes of a fragment, its words, and if its tags are balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.marked = ""
        self.balanced = True
        self.feed(html)
        self.close()
        self.balanced = self.balanced and not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.balanced = False

    def handle_data(self, data: str) -> None:
        self.text += data
        if "mark" in self.open:
            self.marked += data

    def handle_comment(self, data: str) -> None:
        self.balanced = False

    def handle_decl(self, decl: str) -> None:
        self.balanced = False

    def handle_pi(self, data: str) -> None:
        self.balanced = False

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.attributes if key == name]
