"""Draws each text of a JSON file as an answer is drawn."""

import json
import os
from pathlib import Path

import streamlit as st

from ui.markdown import literal, safe_markdown

for number, text in enumerate(json.loads(Path(os.environ["LECTERN_TEST_TEXTS"]).read_text())):
    with st.container(key=f"answer_{number}"):
        st.markdown(safe_markdown(text), anchors=False)
    with st.container(key=f"literal_{number}"):
        st.markdown(f"**\\[1\\]** :small[{literal(text)}]")
st.text("drawn")
