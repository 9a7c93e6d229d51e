"""The frame: page config, the book and engines in use, and the pages."""

import streamlit as st

from ui import frame


def main() -> None:
    """Draw the frame, then the page that was chosen."""
    frame.configure()
    page = st.navigation([st.Page("pages/chat.py", title="Chat", default=True)])
    frame.draw()
    try:
        page.run()
    finally:
        frame.leave()


main()
