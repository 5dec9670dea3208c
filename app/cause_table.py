"""The causes of all sessions, ranked by the tokens they cost; a click shows the sessions of one."""

import pandas as pd
import streamlit as st

from analysis.report.words import IN_WORDS
from app import state


def causes() -> pd.DataFrame:
    """One row per cause with its share of what all of them cost; made once per state of the store."""
    return _causes(state.stamp())


@st.cache_data(show_spinner=False, max_entries=4)
def _causes(stamp: state.Stamp) -> pd.DataFrame:
    frame = state.repository().causes()
    return frame.assign(
        words=[IN_WORDS.get(code, "") for code in frame.code],
        tokens=pd.array(frame.tokens, dtype="Int64"),  # unknown where only texts were compared
        share=frame.tokens / max(1, int(frame.tokens.sum())),
    )


def table(frame: pd.DataFrame) -> str | None:
    """Show the causes; return the code of the one that was picked."""
    column = st.column_config
    event = st.dataframe(
        frame[["code", "words", "tokens", "share", "turns", "sessions"]],
        key=f"causes_{state.table_number()}",
        hide_index=True,
        height=min(35 * len(frame) + 38, 320),
        on_select="rerun",
        selection_mode="single-row",
        alt="Causes by the tokens they cost; select one to see its sessions only",
        column_config={
            "code": column.TextColumn("Cause", width=230, pinned=True),
            "words": column.TextColumn("In words", width=330),
            "tokens": column.NumberColumn("Tokens", format="localized", width=90),
            "share": column.ProgressColumn("of all causes", format="percent", min_value=0, max_value=1, width=130),
            "turns": column.NumberColumn("Turns", format="localized", width=70),
            "sessions": column.NumberColumn("Sessions", format="localized", width=80),
        },
    )
    rows = event.selection.rows
    return str(frame.code.iloc[rows[0]]) if rows else None


def with_cause(sessions: pd.DataFrame, frame: pd.DataFrame, code: str) -> pd.DataFrame:
    """The sessions that a cause stands in."""
    (keys,) = frame.session_keys[frame.code == code]
    return sessions[sessions.session_key.isin(list(keys))]
