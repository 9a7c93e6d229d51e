"""What `make run` starts: streamlit_app.py, kept to its own host."""

import streamlit as st
from starlette.middleware import Middleware

from ui.serving import OneHost

app = st.App("streamlit_app.py", middleware=[Middleware(OneHost)])
