"""The name that stands beside what a person writes: asked for once, where nobody is logged in."""

import streamlit as st

from app import notes_state
from app.note_text import MOST_IN_A_LINE, as_line

TYPED = "typed_name"


def ask_for_name() -> None:
    """The field for the writer's name, once per browser session; nothing for who is logged in."""
    if notes_state.is_logged_in():
        return
    with st.container():  # of its own: what stands below stays where it is when the field goes
        if name := notes_state.author():
            _as(name)
        else:
            st.text_input(
                "Your name", key=TYPED, max_chars=MOST_IN_A_LINE, placeholder="stands beside what you write",
                on_change=_keep,
            )  # fmt: skip


def _as(name: str) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(f"You write as **{as_line(name)}**.", width="content")
        st.button("Another name", key="other_name", type="tertiary", on_click=notes_state.call_me, args=("",))


def _keep() -> None:
    notes_state.call_me(st.session_state[TYPED])
