"""The table of sessions: a click on a row opens it, ticked rows are compared or marked together."""

from collections.abc import Collection
from zlib import crc32

import pandas as pd
import streamlit as st

from analysis.report.figure_words import UNKNOWN
from analysis.report.palette import palette
from analysis.report.words import in_words
from app import desk_state, state
from app.desk_address import LONGEST
from app.plain import LONGEST_TITLE, cut
from app.row_list import Row

SHOWN = (
    "session_id", "status", "wasted_tokens", "wasted_share", "wasted_seconds", "wasted_cost", "verdict", "causes",
    "hit_rate", "hit_rates", "num_turns", "prompt_tokens", "total_cost", "assignee", "labels", "started", "source",
    "model",
)  # fmt: skip
IF_ANY = ("wasted_seconds", "wasted_cost", "total_cost", "assignee", "labels")  # columns of nothing are not shown
HEADER_HEIGHT, ROW_HEIGHT, MOST_HEIGHT = 35, 65, 690  # pixels; texts wrap in rows higher than 64


def shown_columns(frame: pd.DataFrame) -> list[str]:
    """The columns that say something in these sessions."""
    return [name for name in SHOWN if name not in IF_ANY or any(_is_said(value) for value in frame[name])]


def in_plain_words(frame: pd.DataFrame) -> pd.DataFrame:
    """The same for the browser: causes in words, and of an endless id so much as an address holds."""
    return frame.assign(
        session_id=frame.session_id.str.slice(stop=LONGEST),
        causes=[list(map(in_words, codes)) for codes in frame.causes],
    )


def _is_said(value: object) -> bool:
    return bool(value) if isinstance(value, (list, str)) else not pd.isna(value)


def table(frame: pd.DataFrame, zone: str) -> tuple[int | None, list[int]]:
    """Show the sessions; return the key of the one that was clicked, and of those that are ticked."""
    event = st.dataframe(
        in_plain_words(frame[shown_columns(frame)]),
        key=_key(frame),
        hide_index=True,
        height=min(ROW_HEIGHT * len(frame) + HEADER_HEIGHT + 3, MOST_HEIGHT),
        row_height=ROW_HEIGHT,
        placeholder="?",
        on_select="rerun",
        selection_mode=["multi-row", "single-cell"],
        selection_default={"selection": {"rows": rows_of(frame, desk_state.to_tick()), "columns": [], "cells": []}},
        alt="Sessions, the worst first; click a row to open it, tick rows to compare or mark them",
        column_config=_columns(zone),
    )
    cells, rows = event.selection.cells, event.selection.rows
    ticked = [int(frame.session_key.iloc[row]) for row in rows if row < len(frame)]
    return (int(frame.session_key.iloc[cells[0][0]]) if cells else None), ticked


def rows_of(frame: pd.DataFrame, session_keys: Collection[int]) -> list[int]:
    """Where these sessions stand among those that are listed."""
    return [row for row, key in enumerate(frame.session_key) if key in session_keys]


def by_keyboard(frame: pd.DataFrame) -> list[Row]:
    """The sessions as the list for the keyboard says them."""
    wasted = [UNKNOWN if pd.isna(tokens) else f"{tokens:,} wasted" for tokens in frame.wasted_tokens]
    facts = zip(frame.session_key, frame.session_id, frame.status, wasted, frame.verdict, strict=True)
    return [Row(int(key), cut(name, LONGEST_TITLE), said) for key, name, *said in facts]


def _key(frame: pd.DataFrame) -> str:
    """Rows are ticked by their place: with other rows, or in another order, nothing is ticked."""
    rows = crc32(frame.session_key.to_numpy("int64").tobytes())
    return desk_state.field(f"sessions_{state.table_number()}_{rows:x}")


def _columns(zone: str) -> dict[str, object]:
    column = st.column_config
    return {
        "session_id": column.TextColumn("Session", width=150, pinned=True),
        "status": column.TextColumn("Status", width=84),
        "verdict": column.TextColumn("Verdict", width=310),
        "causes": column.ListColumn("Causes", width=270),
        "wasted_tokens": column.NumberColumn("Wasted", format="localized", width=72),
        "wasted_share": column.NumberColumn("of prompts", format="percent", width=82),
        "wasted_seconds": column.NumberColumn("Wasted s", format="%.1f", width=80, help="Seconds of prefill."),
        "wasted_cost": column.NumberColumn("Wasted cost", format="%.4f", width=95, help="In the currency of Prices."),
        "hit_rate": column.ProgressColumn("Hit rate", format="percent", min_value=0, max_value=1, width=96),
        "hit_rates": column.BarChartColumn(
            "Hit rate by turn", y_min=0, y_max=1, width=110, color=palette(state.is_dark()).reported
        ),
        "num_turns": column.NumberColumn("Turns", format="localized", width=60),
        "prompt_tokens": column.NumberColumn("Prompt tokens", format="localized", width=100),
        "total_cost": column.NumberColumn("Cost", format="%.4f", width=80, help="In the currency of Prices."),
        "assignee": column.TextColumn("Assignee", width=100),
        "labels": column.ListColumn("Labels", width=120),
        "started": column.DatetimeColumn(f"Started ({zone})", format="YYYY-MM-DD HH:mm", timezone=zone, width=150),
        "source": column.TextColumn("Source", width=150),
        "model": column.TextColumn("Model", width=140),
    }
