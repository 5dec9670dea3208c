"""What was just added, to be opened: a link to its session, or to the list of its sessions alone."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.report.words import counted
from app import session_table
from app.desk_address import LONGEST, Asked, Params, params_of
from app.plain import plain

SESSION, LIST = "../pages/session.py", "../pages/sessions.py"


def message(said: str, import_keys: Sequence[int]) -> None:
    """Show what an import brought, with the link to it."""
    found = link_to(session_table.sessions(), import_keys) if import_keys else None
    with st.container(horizontal=True, vertical_alignment="center"):
        st.success(plain(said))
        if found is not None:
            page, label, params = found
            st.page_link(page, label=label, query_params=params, icon=":material/arrow_forward:")


def link_to(sessions: pd.DataFrame, import_keys: Sequence[int]) -> tuple[str, str, Params] | None:
    """The page with the sessions of these imports, the words of the link and its query; None where there is none."""
    mine = sessions[sessions.import_key.isin(import_keys)]
    if mine.empty:
        return None
    if len(mine) == 1:
        (one,) = mine.itertuples()
        return SESSION, f"Open {plain(one.session_id)}", {"session": [str(one.session_key)]}
    logs = tuple(dict.fromkeys(mine.source.str.slice(stop=LONGEST)))
    return LIST, f"Show only these {counted(len(mine), 'session')}", params_of(Asked(source=logs))
