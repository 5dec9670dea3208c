"""Compare: two request bodies, where they first differ, and what stays reusable."""

import streamlit as st

from app.compare_view import answer, bodies
from app.log_form import block_size_choice, renderer_choice

st.title("Compare two requests", anchor=False)
st.write("Paste or drop two request bodies of one conversation, the earlier one on the left.")
given = bodies()
left, right = st.columns([3, 2])
with left:
    renderers = renderer_choice("compare")
with right:
    settings = block_size_choice("compare")
if len(given) < 2:
    st.info(
        "A body is the JSON that a client sends to /v1/chat/completions or /v1/completions. The output of a render and"
        " a bare list of token ids will do as well."
    )
    st.stop()
answer(given, renderers, settings)
