"""Template: whether a chat template lets a growing conversation only grow, and which argument cures it."""

import streamlit as st

from app import template_view

st.title("Check a chat template", anchor=False)
st.write("Synthetic agent conversations are rendered as they grow: each next prompt should only extend the last one.")
check = template_view.chosen()
if check is not None:
    template_view.answer(check)
