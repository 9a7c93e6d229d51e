"""What `make run` starts: streamlit_app.py, kept to its own host."""

import streamlit as st
from starlette.middleware import Middleware
from streamlit.runtime.pages_manager import PagesManager

from ui.serving import OneHost

# Streamlit would show the first visitor who comes by a link a page's file alone, without the frame.
PagesManager.uses_pages_directory = False
app = st.App("streamlit_app.py", middleware=[Middleware(OneHost)])
