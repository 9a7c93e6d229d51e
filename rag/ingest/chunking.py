"""Pages become chunks: each about one thing, readable alone, and knowing its place."""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from hashlib import sha256
from uuid import UUID, uuid5

from rag.domain.book import Chunk, Page, reader_address, site_address
from rag.ingest.markdown import Block, read_blocks
from rag.ingest.packing import Heading, Path, Piece, Run, pack
from rag.ingest.splitting import Room, split_block
from rag.tokens import count_tokens

MAX_TOKENS = 512
# About the length at which a passage still answers one question.
TARGET_TOKENS = 190
# Longer "headings" are paragraphs that were marked by mistake.
_MAX_HEADING_TOKENS = 80
_MAX_LEAD_IN_TOKENS = 120
_LEAD_IN_END = re.compile(r":[*_]*$")
_NAMESPACE = UUID("5f0c1d52-6a3e-4c0b-9d53-3a2f7f0b1c11")

Fits = Callable[[str], bool]


def chunk_book(
    pages: Iterable[Page],
    *,
    base_url: str = "",
    max_tokens: int = MAX_TOKENS,
    target_tokens: int = TARGET_TOKENS,
    fits: Fits | None = None,
) -> list[Chunk]:
    """Every chunk of a book, page after page."""
    return [
        chunk
        for page in pages
        for chunk in chunk_page(
            page, base_url=base_url, max_tokens=max_tokens, target_tokens=target_tokens, fits=fits
        )
    ]


def chunk_page(
    page: Page,
    *,
    base_url: str = "",
    max_tokens: int = MAX_TOKENS,
    target_tokens: int = TARGET_TOKENS,
    fits: Fits | None = None,
) -> list[Chunk]:
    """The chunks of a page. The text of each has at most max_tokens and fits the embedder.

    base_url is the address of the docs; without one, chunks are cited in Lectern's reader.
    """
    target = min(target_tokens, max_tokens)
    pieces = _pieces(page, max_tokens, target, fits)

    def accepts(run: Run) -> bool:
        text = run.text
        if count_tokens(text) > max_tokens:
            return False
        return fits is None or fits(_search_text(page, run.path, text))

    runs = pack(pieces, target=target, limit=max_tokens, accepts=accepts)
    seen: Counter[str] = Counter()
    return [_chunk(page, run, at, base_url, seen) for at, run in enumerate(runs)]


def _always(_text: str) -> bool:
    return True


def _pieces(page: Page, max_tokens: int, target: int, fits: Fits | None) -> list[Piece]:
    """The page's headings and blocks, too large ones cut, each with the headings above it."""
    path: Path = (Heading(index=-1, level=1, title=page.title, anchor=""),)
    pieces: list[Piece] = []
    for index, block in enumerate(read_blocks(page.text)):
        tokens = count_tokens(block.text) if block.kind == "heading" else 0
        if block.kind == "heading" and tokens <= _MAX_HEADING_TOKENS:
            heading = Heading(index, block.level, block.title, block.anchor)
            path = (*(above for above in path if above.level < block.level), heading)
            pieces.append(Piece(block.text, path, tokens, heading=True))
            continue
        room = _room(page, path, max_tokens, target, fits)
        texts = split_block(block, room)
        pieces += [
            Piece(
                text,
                path,
                count_tokens(text),
                leads_in=at == len(texts) - 1 and _leads_in(block),
                continues=at > 0,
            )
            for at, text in enumerate(texts)
        ]
    return pieces


def _room(page: Page, path: Path, max_tokens: int, target: int, fits: Fits | None) -> Room:
    """How large a piece under these headings may be."""

    def fits_here(text: str) -> bool:
        return fits is None or fits(_search_text(page, path, text))

    # Headings that fill the embedder's window by themselves leave nothing to be decided by it.
    usable = fits_here if fits_here("x") else _always
    return Room(fits=usable, count=count_tokens, max_tokens=max_tokens, target=target)


def _leads_in(block: Block) -> bool:
    """Whether a block only announces the next one."""
    if block.kind == "label":
        return True
    is_short = block.kind == "paragraph" and count_tokens(block.text) <= _MAX_LEAD_IN_TOKENS
    return is_short and _LEAD_IN_END.search(block.text) is not None


def _titles(page: Page, path: Path) -> tuple[str, ...]:
    """A chunk's heading path; chunks across several H1s stand under the page's title."""
    return tuple(heading.title for heading in path) or (page.title,)


def _search_text(page: Page, path: Path, text: str) -> str:
    """What the chunk of this text will be embedded as."""
    draft = Chunk(
        chunk_id="draft",
        text=text,
        source_file=page.source_file,
        chapter_id=page.chapter_id,
        module=page.module,
        page_title=page.title,
        heading_path=_titles(page, path),
        url=reader_address(page.chapter_id, ""),
        position=0,
        token_count=1,
        content_hash="draft",
    )
    return draft.search_text


def _chunk(page: Page, run: Run, position: int, base_url: str, seen: Counter[str]) -> Chunk:
    """A run as a chunk. Its id is made of its words, so text added before it changes nothing."""
    text = run.text
    digest = sha256(_search_text(page, run.path, text).encode()).hexdigest()
    identity = f"{page.source_file}\n{digest}\n{seen[digest]}"
    seen[digest] += 1
    return Chunk(
        chunk_id=str(uuid5(_NAMESPACE, identity)),
        text=text,
        source_file=page.source_file,
        chapter_id=page.chapter_id,
        module=page.module,
        page_title=page.title,
        heading_path=_titles(page, run.path),
        anchors=tuple(heading.anchor for heading in (*run.path, *run.inner) if heading.anchor),
        url=_address(page, _first_anchor(run), base_url),
        position=position,
        token_count=count_tokens(text),
        content_hash=digest,
    )


def _first_anchor(run: Run) -> str:
    """The anchor of the innermost heading where the chunk begins."""
    first = run.pieces[0]
    begins_inside = first.heading and first in run.shown
    path = first.path if begins_inside else run.path
    return path[-1].anchor if path else ""


def _address(page: Page, anchor: str, base_url: str) -> str:
    """Where a reader finds a section: on the book's website, or in Lectern's reader."""
    if base_url:
        return site_address(base_url, page.route, anchor)
    return reader_address(page.chapter_id, anchor)
