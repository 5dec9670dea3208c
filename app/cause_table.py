"""The causes of the sessions that are listed, ranked by the tokens they cost; a click shows the sessions of one."""

import pandas as pd
import streamlit as st

from analysis.report.words import in_words
from app import desk_state, state, tables


def causes() -> pd.DataFrame:
    """One row per session and cause; read once per state of the store, and not to be changed."""
    return _causes(state.stamp())


@st.cache_resource(show_spinner=False, max_entries=2)
def _causes(stamp: state.Stamp) -> pd.DataFrame:
    return state.repository().causes()


def ranked(causes: pd.DataFrame, sessions: pd.DataFrame) -> pd.DataFrame:
    """One row per cause in these sessions with its share of what all of them cost, the costliest first.

    Tokens are NA where only texts were compared.
    """
    mine = causes[causes.session_key.isin(sessions.session_key)].groupby("code")
    frame = pd.DataFrame(
        {
            "tokens": mine.tokens.sum(min_count=1).astype("Int64"),
            "turns": mine.turns.sum(),
            "sessions": mine.session_key.nunique(),
        }
    ).reset_index()
    frame = frame.assign(
        words=[in_words(code) for code in frame.code],
        share=frame.tokens / max(1, int(frame.tokens.sum())),
    )
    return frame.sort_values(["tokens", "turns"], ascending=False, kind="stable", na_position="last", ignore_index=True)


def table(frame: pd.DataFrame) -> str | None:
    """Show the causes; return the code of the one that was picked."""
    column = st.column_config
    event = st.dataframe(
        frame[["words", "tokens", "share", "turns", "sessions", "code"]],
        key=desk_state.field("causes"),
        hide_index=True,
        height=tables.height(len(frame), 250),
        placeholder="?",
        on_select="rerun",
        selection_mode="single-row",
        alt="Causes by the tokens they cost; select one to see its sessions only",
        column_config={
            "words": column.TextColumn("What happened", width=330, pinned=True),
            "tokens": tables.count("Tokens", 75),
            "share": column.ProgressColumn("of all causes", format="percent", min_value=0, max_value=1, width=115),
            "turns": tables.count("Turns", 58),
            "sessions": tables.count("Sessions", 72),
            "code": column.TextColumn("Code", width=205),
        },
    )
    rows = event.selection.rows
    return str(frame.code.iloc[rows[0]]) if rows else None


def with_cause(causes: pd.DataFrame, codes: tuple[str, ...]) -> set[int]:
    """The keys of the sessions that any of these causes stands in."""
    return set(causes.session_key[causes.code.isin(codes)])
