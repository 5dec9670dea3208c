"""The problems of all logs as a table and as a file: where, what, and what to do about it.

Only the file says what every format looked for in a log that was refused.
"""

import html

import pandas as pd
import streamlit as st

from analysis.report.palette import Palette, palette
from analysis.report.problem_words import what_and_remedy, without_tried
from app import state, visitors
from app.browser_words import in_browser
from app.token_view import STYLE, variables

REFUSED = "refused: "
FILE_NAME = "whymiss-problems.csv"
MOST_ROWS = 500  # on the page
HEADINGS = {"file": "File", "line": "Line", "what": "What", "remedy": "What to do"}
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would run, not show


def problems() -> None:
    """Show all problems of the store, folded, with their file; nothing where there are none."""
    frame = rows(state.repository().problems())
    if frame.empty:
        return
    with st.expander(f"Problems in the logs ({len(frame):,})"):
        st.html(table_html(frame, palette(state.is_dark())))
        if len(frame) > MOST_ROWS:
            st.caption(f"The first {MOST_ROWS:,} of {len(frame):,}; the file has all of them.")
        left, right, _rest = st.columns([1, 1, 2])
        left.download_button("Download as CSV", as_csv(frame), FILE_NAME, "text/csv", width="stretch")
        refused = frame.what.str.startswith(REFUSED).any()
        if refused and visitors.may_write() and right.button("Forget refused files", width="stretch"):
            state.repository().forget_refused()
            st.rerun()


def table_html(frame: pd.DataFrame, colours: Palette) -> str:
    """The table as HTML with whole sentences: what a log says is untrusted and escaped."""
    head = "".join(f"<th scope='col'>{heading}</th>" for heading in HEADINGS.values())
    listed = frame[list(HEADINGS)].head(MOST_ROWS).itertuples(index=False)
    body = "".join(f"<tr>{''.join(map(_cell, one))}</tr>" for one in listed)
    return (
        f"<style>{STYLE}</style><div class='wm-scroll' style='{variables(colours)}' tabindex='0' role='region'"
        f" aria-label='Problems in the logs'><table class='wm-list'><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(value: object) -> str:
    return f"<td>{'' if pd.isna(value) else html.escape(str(value))}</td>"


def rows(stored: pd.DataFrame) -> pd.DataFrame:
    """Problems as the store has them, each message in its two parts; files without an import were refused."""
    told = [without_tried(in_browser(message)) for message in stored.message]
    parts = [what_and_remedy(said) for said, _tried in told]
    said = [REFUSED if pd.isna(key) else "" for key in stored.import_key]
    return pd.DataFrame(
        {
            "file": stored.file.to_list(),
            "line": pd.array(stored.line, dtype="Int64"),
            "what": [prefix + what for prefix, (what, _remedy) in zip(said, parts, strict=True)],
            "remedy": [remedy for _what, remedy in parts],
            "tried": ["; ".join(tried) for _said, tried in told],
        }
    )


def as_csv(frame: pd.DataFrame) -> bytes:
    """The table as CSV in UTF-8 that a spreadsheet opens; text of a log is never run as a formula."""
    texts = frame.assign(**{name: frame[name].map(_as_text) for name in ("file", "what", "remedy", "tried")})
    return texts.to_csv(index=False).encode("utf-8-sig")


def _as_text(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell
