"""Why tokens of a turn were missed: the causes with their evidence, and what the server did before the turn."""

import pandas as pd
import streamlit as st

from analysis.model.finding import Cause
from analysis.model.record import SessionRecord, TurnRecord
from app import state
from app.plain import plain

SURE = {"certain": "certain", "likely": "likely", "possible": "possible: the log does not decide it"}


def gap(record: SessionRecord, session_key: int, turn: TurnRecord) -> None:
    """The cards of a turn's causes, the best proven first, and the requests since the previous turn."""
    if not turn.causes:
        return
    for cause in turn.causes:
        card(cause)
    previous = next((one for one in record.turns if turn.previous and one.turn == turn.previous.turn), None)
    if previous is None or previous.ended_at is None or turn.started_at is None:
        return
    between = state.repository().between(session_key, previous.ended_at, turn.started_at)
    title = f"What the server did in the {turn.started_at - previous.ended_at:,.0f} s before ({len(between)} requests)"
    with st.expander(title):
        if between.empty:
            st.write("No other request of this log was served in that time.")
        else:
            st.dataframe(_timeline(between, previous.ended_at), hide_index=True, alt="Requests since the previous turn")


def card(cause: Cause) -> None:
    """One cause: its code, how sure it is, what proves it and what cures it."""
    with st.container(border=True):
        tokens = f"{cause.tokens:,} tokens"
        st.markdown(f"**{plain(cause.code)}** · {SURE[cause.confidence]} · {tokens}")
        st.text(cause.evidence)
        st.caption(plain(f"Fix: {cause.fix}"))


def _timeline(between: pd.DataFrame, since: float) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "Seconds after": (between.started_at - since).round(1),
            "Session": between.session_id,
            "Turn": between.turn,
            "Prompt tokens": between.prompt_tokens.astype("Int64"),
            "Cached": between.cached_tokens.astype("Int64"),
            "Computed": (between.prompt_tokens - between.cached_tokens).astype("Int64"),
        }
    )
