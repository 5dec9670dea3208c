"""The imports below the list of sessions: what came when, forgetting it, and the whole database as one file."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
import streamlit as st

from analysis.report.words import counted
from analysis.store.repository import Repository
from app import login, places, state, tables
from app.plain import plain

COPY_NAME = "whymiss.duckdb"
DOWNLOAD_HELP = (
    "Everything in it at this moment, notes and cases too, as one file: `whymiss serve --db FILE` opens it,"
    " `whymiss restore FILE` puts it back."
)


def imports(frame: pd.DataFrame, zone: str, may_write: bool) -> list[int]:
    """Show what was imported; return the keys of the imports that the person wants to forget."""
    if frame.empty:
        return []
    with st.expander(f"Imports ({len(frame):,})"):
        chosen = _table(frame, zone, may_write)
        if not may_write:
            return []
        with st.container(horizontal=True, gap="small"):
            forgotten = _forget_one(chosen) or _forget_samples()
            st.download_button(
                "Download the database",
                login.while_logged_in(copied),
                COPY_NAME,
                on_click="ignore",
                help=DOWNLOAD_HELP,
                icon=":material/download:",
            )
    return forgotten


def _table(frame: pd.DataFrame, zone: str, may_select: bool) -> Any:
    """The imports as a table; return the row that is selected, None where none is."""
    event = st.dataframe(
        frame[["file", "num_sessions", "num_bytes", "imported_at"]],
        key=f"imports_{state.table_number()}",
        hide_index=True,
        on_select="rerun" if may_select else "ignore",
        selection_mode="single-row",
        column_config={
            "file": "Log",
            "num_sessions": tables.count("Sessions"),
            "num_bytes": st.column_config.NumberColumn("Size", format="bytes"),
            "imported_at": st.column_config.DatetimeColumn(
                f"Imported ({zone})", format="YYYY-MM-DD HH:mm", timezone=zone
            ),
        },
        alt="Imported logs" + ("; select one to forget it" if may_select else ""),
    )
    rows = event.selection.rows if may_select else []
    return frame.iloc[rows[0]] if rows else None


def _forget_one(chosen: Any) -> list[int]:
    if chosen is None:
        st.button("Forget the selected log", disabled=True)
        return []
    key = int(chosen.import_key)
    return [key] if st.button(f"Forget {plain(chosen.file)} {_with_it([key])}") else []


def _forget_samples() -> list[int]:
    keys = samples_among(state.repository())
    if not keys:
        return []
    words = f"Forget the {counted(len(keys), 'sample')} {_with_it(keys)}" if len(keys) > 1 else "Forget the sample"
    return keys if st.button(words, help="All logs that came with Whymiss, and none of yours.") else []


def samples_among(kept: Repository) -> list[int]:
    """The imports that are logs which came with Whymiss, by their very content."""
    known = places.sample_fingerprints()
    every = [int(key) for key in kept.imports().import_key]
    return [key for key, _file, sha256, _how in kept.origins(every) if sha256 in known]


def _with_it(import_keys: Sequence[int]) -> str:
    """What is forgotten with logs: what people wrote about their sessions too."""
    notes = state.repository().annotations.of_imports(import_keys)
    whose = "their" if len(import_keys) > 1 else "its"
    return f"with {whose} sessions and {counted(notes, 'note')}" if notes else f"and {whose} sessions"


def copied() -> bytes:
    """The whole database as a file; raise StoreError where there is no room for the copy."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / COPY_NAME
        state.repository().copy_to(path)
        return path.read_bytes()
