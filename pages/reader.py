"""Reader: the book in the app, open at the passage that an answer cites."""

import streamlit as st

from rag.build import Library
from rag.domain.errors import InvalidInput
from ui import frame, reading, resources, session
from ui.markdown import literal


def main() -> None:
    """Read the place from the address, draw the contents and the page."""
    frame.enter()
    library = resources.library()
    session.return_to(st.query_params.get(session.ADDRESS, ""))
    wanted = reading.draw_search()
    with resources.explained():
        draw_place(library, wanted)
    frame.draw_engines(library)


def draw_place(library: Library, wanted: str) -> None:
    """What was searched for, or else the page in the address."""
    book, at = library.tutor.book(), reading.place()
    known = at.page in {entry.chapter_id for entry in book.pages}
    page = library.page(at.page if known else book.pages[0].chapter_id)
    if page is None:
        return
    made = reading.rendered(library, page, at)
    reading.draw_contents(book, page.chapter_id, made)
    if wanted:
        draw_search(library, wanted)
        return
    if at.page and not known:
        st.info(literal(f"There is no page “{at.page}” in this book. Here is its beginning."))
    elif at.quote and not made.marked:
        st.info("The cited words are not on this page any more: the book has changed since.")
    reading.ask_about(library, page)
    reading.draw_page(book, page, made, at)


def draw_search(library: Library, wanted: str) -> None:
    """What the book says about some words."""
    st.title(literal(f"Search: {wanted}"), anchor=False)
    try:
        reading.draw_found(library, wanted)
    except InvalidInput as error:
        st.error(literal(str(error)))


main()
