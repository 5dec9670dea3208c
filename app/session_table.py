"""The table of all sessions and what stands around it."""

import numpy as np
import pandas as pd
import streamlit as st

from analysis.model.prompt import Segment
from analysis.model.record import SessionFigures
from analysis.report.palette import palette
from analysis.report.words import verdict
from app import state
from app.plain import plain

COUNTS = (
    "num_turns", "num_divergences", "prompt_tokens", "known_turns", "known_prompt_tokens", "cached_tokens",
    "reusable_tokens", "missed_tokens", "lost_tokens", "unknown_turns", "mismatched_turns",
)  # fmt: skip
SHOWN = (
    "session_id", "source", "verdict", "causes", "wasted_tokens", "wasted_share", "hit_rate", "hit_rates", "num_turns",
    "prompt_tokens", "model", "started",
)  # fmt: skip


def sessions() -> pd.DataFrame:
    """One row per session, those with most wasted tokens first, with its verdict; made once per state of the store."""
    return _sessions(state.stamp())


@st.cache_data(show_spinner=False, max_entries=4)
def _sessions(stamp: state.Stamp) -> pd.DataFrame:
    frame = state.repository().sessions()
    figures = [figures_of(row) for row in frame.to_dict("records")]
    return frame.assign(
        verdict=[verdict(one) for one in figures],
        wasted_tokens=[one.wasted_tokens for one in figures],
        wasted_share=[one.wasted_tokens / one.prompt_tokens if one.prompt_tokens else None for one in figures],
        hit_rate=pd.array([one.hit_rate for one in figures], dtype="Float64"),
        causes=[list(map(str, codes)) for codes in frame.causes],
        hit_rates=[list(map(float, rates)) if isinstance(rates, np.ndarray) else [] for rates in frame.hit_rates],
        started=pd.to_datetime(frame.started_at, unit="s", utc=True),
    )


def figures_of(row: dict[str, object]) -> SessionFigures:
    """A row of the store as the figures of a session."""
    turn, path, role = (row[f"costliest_{name}"] for name in ("turn", "path", "role"))
    segment = None if pd.isna(path) else Segment(str(path), None, None if pd.isna(role) else str(role))
    counts = {name: int(str(row[name]).partition(".")[0]) for name in COUNTS}
    codes = row["causes"]
    return SessionFigures(
        **counts,
        costliest_turn=None if pd.isna(turn) else int(str(turn)),
        costliest_segment=segment,
        top_cause=str(codes[0]) if isinstance(codes, np.ndarray) and len(codes) else None,
    )


def matching(frame: pd.DataFrame, search: str) -> pd.DataFrame:
    """The rows whose session, source or model holds every word of the search."""
    for word in search.split():
        texts = frame.session_id + "\n" + frame.source + "\n" + frame.model
        frame = frame[texts.str.contains(word, case=False, regex=False)]
    return frame


def totals(frame: pd.DataFrame) -> None:
    """Sums over all sessions."""
    known, prompt, wasted = (
        int(frame[name].sum()) for name in ("known_prompt_tokens", "prompt_tokens", "wasted_tokens")
    )
    first, second, third, fourth = st.columns(4)
    first.metric("Sessions", f"{len(frame):,}", border=True, height="stretch")
    second.metric("Prompt tokens", f"{prompt:,}", border=True, height="stretch")
    third.metric(
        "Hit rate",
        f"{frame.cached_tokens.sum() / known:.1%}" if known else "not reported",
        border=True,
        height="stretch",
        help="Cached over prompt tokens, over the turns whose cached tokens the server reported.",
    )
    fourth.metric(
        "Wasted tokens",
        f"{wasted:,}",
        delta=f"{wasted / prompt:.1%} of the prompts" if prompt else None,
        delta_color="off",
        delta_arrow="off",
        border=True,
        height="stretch",
        help="Computed although the server had seen them: lost after earlier text changed, or missed though unchanged.",
    )


def table(frame: pd.DataFrame) -> int | None:
    """Show the sessions; return the key of the one that was clicked."""
    column = st.column_config
    event = st.dataframe(
        frame[list(SHOWN)],
        key=f"sessions_{state.table_number()}",
        hide_index=True,
        height=min(35 * len(frame) + 38, 620),
        on_select="rerun",
        selection_mode="single-cell",
        alt="All sessions, the most wasteful first; click a row to open it",
        column_config={
            "session_id": column.TextColumn("Session", width=150, pinned=True),
            "verdict": column.TextColumn("Verdict", width=440),
            "causes": column.ListColumn("Causes", width=140),
            "wasted_tokens": column.NumberColumn("Wasted", format="localized", width=80),
            "wasted_share": column.NumberColumn("of prompts", format="percent", width=85),
            "hit_rate": column.ProgressColumn("Hit rate", format="percent", min_value=0, max_value=1, width=100),
            "hit_rates": column.BarChartColumn(
                "Hit rate by turn", y_min=0, y_max=1, width=100, color=palette(state.is_dark()).reported
            ),
            "num_turns": column.NumberColumn("Turns", format="localized", width=60),
            "prompt_tokens": column.NumberColumn("Prompt tokens", format="localized", width=100),
            "model": column.TextColumn("Model", width=140),
            "source": column.TextColumn("Source", width=150),
            "started": column.DatetimeColumn("Started (UTC)", format="YYYY-MM-DD HH:mm", width=130),
        },
    )
    cells = event.selection.cells
    return int(frame.session_key.iloc[cells[0][0]]) if cells else None


def problems(frame: pd.DataFrame) -> None:
    """What could not be read as it should, with the place and the remedy."""
    if frame.empty:
        return
    with st.expander(f"Problems in the logs ({len(frame):,})"):
        st.dataframe(
            frame[["file", "line", "message"]],
            hide_index=True,
            column_config={
                "file": st.column_config.TextColumn("File", width=200),
                "line": st.column_config.NumberColumn("Line", width=60),
                "message": st.column_config.TextColumn("What, and what to do", width=1000),
            },
            alt="Problems found in the logs, by file and line",
        )


def imports(frame: pd.DataFrame, may_forget: bool = True) -> int | None:
    """What was imported; return the key of an import that the person wants to forget."""
    if frame.empty:
        return None
    with st.expander(f"Imports ({len(frame):,})"):
        event = st.dataframe(
            frame[["file", "num_sessions", "num_bytes", "imported_at"]],
            key=f"imports_{state.table_number()}",
            hide_index=True,
            on_select="rerun" if may_forget else "ignore",
            selection_mode="single-row",
            column_config={
                "file": "Log",
                "num_sessions": st.column_config.NumberColumn("Sessions", format="localized"),
                "num_bytes": st.column_config.NumberColumn("Size", format="bytes"),
                "imported_at": st.column_config.DatetimeColumn("Imported", format="YYYY-MM-DD HH:mm"),
            },
            alt="Imported logs" + ("; select one to forget it" if may_forget else ""),
        )
        if not may_forget:
            return None
        rows = event.selection.rows
        chosen = frame.iloc[rows[0]] if rows else None
        label = "Forget the selected log" if chosen is None else f"Forget {plain(chosen.file)} and its sessions"
        if st.button(label, disabled=chosen is None) and chosen is not None:
            return int(chosen.import_key)
    return None
