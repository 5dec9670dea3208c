"""What was just added, to be opened: its session, or the list of its sessions alone."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.report.words import counted
from app import desk_state, session_table
from app.desk_address import LONGEST, Asked
from app.plain import plain

SESSION = "../pages/session.py"


def message(said: str, import_keys: Sequence[int]) -> None:
    """Show what an import brought, and a way to it."""
    mine = added(session_table.sessions(), import_keys) if import_keys else pd.DataFrame()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.success(plain(said))
        if len(mine) == 1:
            (one,) = mine.itertuples()
            there = {"session": str(one.session_key)}
            st.page_link(
                SESSION, label=f"Open {plain(one.session_id)}", query_params=there, icon=":material/arrow_forward:"
            )
        elif len(mine):
            label = f"Show only these {counted(len(mine), 'session')}"
            # A link to the page that is open leaves the address as it was.
            st.button(label, icon=":material/filter_alt:", on_click=desk_state.aim, args=(list_of(mine),))


def added(sessions: pd.DataFrame, import_keys: Sequence[int]) -> pd.DataFrame:
    """The sessions of these imports."""
    return sessions[sessions.import_key.isin(import_keys)]


def list_of(sessions: pd.DataFrame) -> Asked:
    """The list of the logs that these sessions are of."""
    return Asked(source=tuple(dict.fromkeys(sessions.source.str.slice(stop=LONGEST))))
