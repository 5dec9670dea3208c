"""What was just added, to be opened: its session, or the list of its sessions alone."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.report.words import counted
from app import desk_state, session_table
from app.desk_address import LONGEST, Asked, fits
from app.plain import LONGEST_BUTTON, cut, plain

APART = (
    "Each of these sessions is one request, and there is nothing to compare it with. If the files belong to one"
    " conversation, add them again together and tick “These files belong together”."
)

TOO_MANY = "More logs than an address can name. Sort the list by newest first, or add them together as one server's."


def message(said: str, import_keys: Sequence[int]) -> None:
    """Show what an import brought, and the way to it: to its only session, or to the worst and to the list."""
    mine = added(session_table.sessions(), import_keys) if import_keys else pd.DataFrame()
    st.success(plain(said))
    if mine.empty:
        return
    worst = mine.iloc[0]
    name = plain(cut(str(worst.session_id), LONGEST_BUTTON))
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        label = f"Open {name}" if len(mine) == 1 else f"Open the worst, {name}"
        key = int(worst.session_key)
        st.button(label, type="primary", icon=":material/arrow_forward:", on_click=desk_state.go_to, args=(key,))
        if len(mine) > 1:
            label = f"Show only these {counted(len(mine), 'session')}"
            wanted = list_of(mine)
            # A link to the page that is open leaves the address as it was.
            st.button(
                label,
                icon=":material/filter_alt:",
                on_click=desk_state.aim,
                args=(wanted,),
                disabled=not fits(wanted),
                help=None if fits(wanted) else TOO_MANY,
            )
        st.markdown(plain(str(worst.verdict)), width="content")
    if are_apart(mine):
        st.info(APART)


def are_apart(sessions: pd.DataFrame) -> bool:
    """Whether several logs have one request each."""
    return sessions.source.nunique() > 1 and bool((sessions.num_turns == 1).all())


def added(sessions: pd.DataFrame, import_keys: Sequence[int]) -> pd.DataFrame:
    """The sessions of these imports."""
    return sessions[sessions.import_key.isin(import_keys)]


def list_of(sessions: pd.DataFrame) -> Asked:
    """The list of the logs that these sessions are of."""
    return Asked(source=tuple(dict.fromkeys(sessions.source.str.slice(stop=LONGEST))))
