"""The frame: page config, the pages and the way between them."""

import streamlit as st

from ui import frame


def main() -> None:
    """Draw the frame, then the page that was chosen."""
    frame.configure()
    pages = [
        st.Page(file, title=title, default=title == "Chat") for file, title in frame.PAGES.items()
    ]
    page = st.navigation(pages, position="top")
    frame.draw()
    frame.navigate()
    try:
        page.run()
    finally:
        frame.leave()


main()
