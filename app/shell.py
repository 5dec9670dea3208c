"""What stands around every page: the look, the keys, and a line for when the server does not answer."""

from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from app.going_on import going_on
from app.key_map import key_map

_STYLE = (Path(__file__).parent / "shell.css").read_text("utf-8")
_OFFLINE = (
    "The dashboard does not answer. What you see stays; nothing can be changed or opened until it runs again. Where it"
    " was started, start it again with <code>whymiss</code>: this page then goes on by itself."
)


def shell() -> DeltaGenerator:
    """Put it around the page of this run; return its place, which takes no room on the page."""
    place = st.container(key="shell")
    with place:
        st.html(f"<style>{_STYLE}</style><p class='wm-offline' role='alert'>{_OFFLINE}</p>")
        key_map()
        going_on()
    return place
