"""The name of who writes, kept in the browser beyond a reload; for who is logged in the login knows it."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import Any

import streamlit as st

from app import notes_state, visitors
from app.note_text import MOST_IN_A_LINE

KEY = "own_name"
ASKS = "own_name_asks"  # which browser session asks: each is told once, also one that a restarted server begins


def remember_name() -> None:
    """Mount what keeps the name and gives it back; nothing for who is logged in or may not write."""
    if notes_state.is_logged_in() or not visitors.may_write():
        return

    def take() -> None:
        name = kept_in(st.session_state.get(KEY))
        if name and not notes_state.author() and not notes_state.is_nameless():
            notes_state.call_me(name)

    asks = st.session_state.setdefault(ASKS, token_hex(8))
    data = {"name": notes_state.author(), "forget": notes_state.is_nameless(), "asks": asks}
    _component()(data=data, key=KEY, height="content", on_name_change=take)


def kept_in(component_state: object) -> str:
    """The name in what the browser sent, empty where there is none: it can send anything."""
    value = component_state.get("name") if isinstance(component_state, Mapping) else None
    if not isinstance(value, str):
        return ""
    sendable = value[:MOST_IN_A_LINE].encode("utf-8", "replace").decode()  # half of a pair is no text: no page shows it
    return " ".join(sendable.split())


@cache
def _component() -> Any:
    script = (Path(__file__).parent / "own_name.js").read_text("utf-8")
    return st.components.v2.component("whymiss_own_name", html="<span hidden></span>", js=script)
