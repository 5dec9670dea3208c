"""The table of all sessions and what stands around it."""

import numpy as np
import pandas as pd
import streamlit as st

from analysis.model.prompt import Segment
from analysis.model.record import SessionFigures
from analysis.report.words import verdict
from app import state
from app.palette import palette
from app.plain import plain

COUNTS = (
    "num_turns", "num_divergences", "prompt_tokens", "known_turns", "known_prompt_tokens", "cached_tokens",
    "reusable_tokens", "missed_tokens", "lost_tokens", "unknown_turns", "mismatched_turns", "text_turns",
    "text_changes",
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
        wasted_tokens=pd.array([wasted(one) for one in figures], dtype="Int64"),
        wasted_share=pd.array([_share(wasted(one), one.prompt_tokens) for one in figures], dtype="Float64"),
        hit_rate=pd.array([one.hit_rate for one in figures], dtype="Float64"),
        causes=[list(map(str, codes)) for codes in frame.causes],
        hit_rates=[list(map(float, rates)) if isinstance(rates, np.ndarray) else [] for rates in frame.hit_rates],
        started=pd.to_datetime(frame.started_at, unit="s", utc=True),
    )


def wasted(sums: SessionFigures) -> int | None:
    """The wasted tokens of a session; None where no token of it is known."""
    return None if sums.unknown_turns == sums.num_turns else sums.wasted_tokens


def _share(part: int | None, whole: int) -> float | None:
    return part / whole if part is not None and whole else None


def figures_of(row: dict[str, object]) -> SessionFigures:
    """A row of the store as the figures of a session."""
    counts = {name: int(str(row[name]).partition(".")[0]) for name in COUNTS}
    codes = row["causes"]
    return SessionFigures(
        **counts,
        costliest_turn=_turn(row["costliest_turn"]),
        costliest_segment=_segment(row["costliest_path"], row["costliest_role"]),
        text_turn=_turn(row["text_turn"]),
        text_segment=_segment(row["text_path"], row["text_role"]),
        top_cause=str(codes[0]) if isinstance(codes, np.ndarray) and len(codes) else None,
    )


def _turn(number: object) -> int | None:
    return None if pd.isna(number) else int(float(str(number)))


def _segment(path: object, role: object) -> Segment | None:
    return None if pd.isna(path) else Segment(str(path), None, None if pd.isna(role) else str(role))


def matching(frame: pd.DataFrame, search: str) -> pd.DataFrame:
    """The rows whose session, source or model holds every word of the search."""
    for word in search.split():
        texts = frame.session_id + "\n" + frame.source + "\n" + frame.model
        frame = frame[texts.str.contains(word, case=False, regex=False)]
    return frame


def totals(frame: pd.DataFrame) -> None:
    """Sums over all sessions."""
    known, prompt = (int(frame[name].sum()) for name in ("known_prompt_tokens", "prompt_tokens"))
    measured = frame[frame.wasted_tokens.notna()]
    wasted_tokens, measured_tokens = int(measured.wasted_tokens.sum()), int(measured.prompt_tokens.sum())
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
        f"{wasted_tokens:,}" if len(measured) else "unknown",
        delta=f"{wasted_tokens / measured_tokens:.1%} of the prompts" if measured_tokens else None,
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
