"""The problems of all logs as a table and as a file: where, what, and what to do about it."""

import pandas as pd
import streamlit as st

from analysis.report.problem_words import what_and_remedy
from app import state, visitors

REFUSED = "refused: "
FILE_NAME = "whymiss-problems.csv"
MOST_ROWS = 8  # shown without scrolling
ROW_HEIGHT = 56  # pixels: two lines of text
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run, not show


def problems() -> None:
    """Show all problems of the store, folded, with their file; nothing where there are none."""
    frame = rows(state.repository().problems())
    if frame.empty:
        return
    with st.expander(f"Problems in the logs ({len(frame):,})"):
        column = st.column_config
        st.dataframe(
            frame,
            hide_index=True,
            row_height=ROW_HEIGHT,
            height=min(len(frame), MOST_ROWS) * ROW_HEIGHT + 38,
            alt="Problems found in the logs: file, line, what is wrong and what to do",
            column_config={
                "file": column.TextColumn("File", width=170, pinned=True),
                "line": column.NumberColumn("Line", width=60),
                "what": column.TextColumn("What", width=440),
                "remedy": column.TextColumn("What to do", width=400),
            },
        )
        left, right, _rest = st.columns([1, 1, 2])
        left.download_button("Download as CSV", as_csv(frame), FILE_NAME, "text/csv", width="stretch")
        refused = frame.what.str.startswith(REFUSED).any()
        if refused and visitors.may_write() and right.button("Forget refused files", width="stretch"):
            state.repository().forget_refused()
            st.rerun()


def rows(stored: pd.DataFrame) -> pd.DataFrame:
    """Problems as the store has them, each message in its two parts; files without an import were refused."""
    parts = [what_and_remedy(message) for message in stored.message]
    said = [REFUSED if pd.isna(key) else "" for key in stored.import_key]
    return pd.DataFrame(
        {
            "file": stored.file.to_list(),
            "line": pd.array(stored.line, dtype="Int64"),
            "what": [prefix + what for prefix, (what, _remedy) in zip(said, parts, strict=True)],
            "remedy": [remedy for _what, remedy in parts],
        }
    )


def as_csv(frame: pd.DataFrame) -> bytes:
    """The table as CSV in UTF-8 that a spreadsheet opens; text of a log is never run as a formula."""
    texts = frame.assign(**{name: frame[name].map(_as_text) for name in ("file", "what", "remedy")})
    return texts.to_csv(index=False).encode("utf-8-sig")


def _as_text(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell
