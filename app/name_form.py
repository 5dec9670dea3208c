"""The name that stands beside what a person writes: asked for where it is needed, where nobody is logged in."""

import streamlit as st

from app import notes_state
from app.note_text import MOST_IN_A_LINE, as_line
from app.refusals import Refused

LABEL, HINT = "Your name", "stands beside what you write; this browser remembers it"


def ask_for_name(key: str = "typed_name") -> None:
    """The field for the writer's name, or who writes; nothing for who is logged in."""
    with st.container():  # of its own: what stands below stays where it is when the field goes
        if notes_state.author() or notes_state.is_logged_in():
            who_writes(key)
        else:
            st.text_input(
                LABEL, key=key, max_chars=MOST_IN_A_LINE, placeholder=HINT, on_change=_keep, args=(key,)
            )  # fmt: skip


def _keep(key: str) -> None:
    notes_state.call_me(st.session_state[key])


def who_writes(key: str) -> None:
    """Whose name stands beside what is written, with the way to another one; nothing for who is logged in."""
    name = notes_state.author()
    if not name or notes_state.is_logged_in():
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        st.caption(f"You write as **{as_line(name)}**.", width="content")
        if st.button("Another name", key=f"other_{key}", type="tertiary"):
            notes_state.call_me("")
            st.rerun()  # the whole page, not only the part around this button: the browser is told to forget it too


def name_field(key: str) -> None:
    """Within a form, above what is written: the field for the name, where it is not known yet."""
    with st.container():
        if not notes_state.author() and not notes_state.is_logged_in():
            st.text_input(LABEL, key=f"name_{key}", max_chars=MOST_IN_A_LINE, placeholder=HINT)


def take_name(key: str) -> None:
    """Keep the name that the field of a form holds now; raise Refused where none is known."""
    typed = str(st.session_state.get(f"name_{key}", ""))
    if not notes_state.author() and typed.strip():
        notes_state.call_me(typed)
    if not notes_state.author():
        raise Refused("Give your name: it stands beside the note.")
