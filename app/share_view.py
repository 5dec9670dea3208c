"""A report of a session to send: behind the button beside its title, with a preview of what leaves."""

from dataclasses import dataclass

import pandas as pd
import streamlit as st

from analysis.model.record import SessionRecord
from analysis.report.document import Quote, Report, Scope
from analysis.report.redaction import Hidden, Rules, redacted
from analysis.report.token_text import visible
from analysis.report.words import counted
from app import notes_state, state
from app.plain import plain
from app.reporting import KEPT, report_of_session, written

FORMS = {"HTML page": ".html", "Markdown": ".md", "JSON": ".json"}
MIME = {".html": "text/html", ".md": "text/markdown", ".json": "application/json"}
SCOPES: dict[str, Scope] = {
    "everything the log says": "everything",
    "credentials, e-mail addresses and names that I give": "secrets",
    "nothing": "nothing",
}
PREVIEW_HEIGHT = 560  # pixels
SHOWN = 80  # characters of a hidden text in the list of what can be released


@dataclass(frozen=True, slots=True)
class Leaving:
    """A report as it leaves: the text of the file, what it hides, and how the file is named."""

    content: str
    hidden: tuple[Hidden, ...]
    form: str


def share(record: SessionRecord, session_key: int) -> None:
    """The button that opens the preview."""
    if st.button("Share", type="primary", icon=":material/share:", help="A report to send, without text of the log"):
        report_to_send(record, session_key)


@st.dialog("A report to send", width="large")
def report_to_send(record: SessionRecord, session_key: int) -> None:
    """Make a report of the session, look at what leaves, and download it."""
    st.caption("One file to mail or to put into an issue: what happened, why, and the fix.")
    download = st.container()
    options = st.expander("What is taken out, and the kind of file")
    whole = state.session_with_runs(session_key) or record
    placed = notes_state.placed(record, session_key)
    report = report_of_session(whole, state.full_ids(session_key), state.token_bytes, placed)
    key = state.report_key(session_key)
    with options:
        form, rules = _asked(session_key)
        if rules.scope == "everything":
            rules = _released(report, rules, key, session_key)
    leaving = _leaving(report, rules, key, form)
    with download:
        _download(leaving, rules)
    _preview(leaving)


def _download(leaving: Leaving, rules: Rules) -> None:
    """The button, and beside it what the file holds of the log."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download the report", leaving.content, f"whymiss-report{leaving.form}", MIME[leaving.form],
            type="primary", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        if rules.scope != "everything" or rules.released:
            st.warning("Text of the log is in this report. Read the preview before it is sent.")
        else:
            kept = f" but the names of {' and '.join(f'{kind}s' for kind in sorted(rules.kept))}" if rules.kept else ""
            st.markdown(f"No text of the log is in it{kept}: {counted(len(leaving.hidden), 'text')} taken out.")


def _asked(session_key: int) -> tuple[str, Rules]:
    """How the report is written and what is taken out."""
    form = st.segmented_control("As", list(FORMS), default="HTML page", key=f"share_as_{session_key}")
    scope = SCOPES[st.selectbox("Take out", list(SCOPES), key=f"share_scope_{session_key}")]
    names: tuple[str, ...] = ()
    if scope == "secrets":
        given = st.text_area("Names to hide, one a line", key=f"share_names_{session_key}")
        names = tuple(filter(None, map(str.strip, given.splitlines())))
    kept = [
        kind
        for kind in KEPT
        if scope == "everything" and st.checkbox(f"Keep the names of {kind}s", key=f"share_{kind}_{session_key}")
    ]
    return FORMS[form or "HTML page"], Rules(scope, names, frozenset(kept))


def _released(report: Report[Quote], rules: Rules, key: bytes, session_key: int) -> Rules:
    """The rules with what the person releases, text by text."""
    _made, hidden = redacted(report, rules, key)
    text_of = {one.placeholder: visible(one.text) for one in hidden}
    released = st.multiselect(
        "Release single texts",
        list(text_of),
        format_func=lambda placeholder: f"{placeholder} = {text_of[placeholder][:SHOWN]}",
        key=f"share_released_{session_key}",
        placeholder="Nothing is released",
        help="What is released stands in the report as it is, and the report says that it was released.",
    )
    st.caption(f"{len(hidden):,} texts do not leave:")
    table = pd.DataFrame({"In the report": list(text_of), "In the log": list(text_of.values())})
    st.dataframe(table, hide_index=True, alt="Placeholders of the report with the texts they stand for")
    return Rules(rules.scope, rules.names, rules.kept, frozenset(released))


def _leaving(report: Report[Quote], rules: Rules, key: bytes, form: str) -> Leaving:
    made, hidden = redacted(report, rules, key)
    return Leaving(written(made, form), hidden, form)


def _preview(leaving: Leaving) -> None:
    """The file itself, as whoever gets it sees it."""
    st.caption(plain(f"What leaves: {len(leaving.content.encode()):,} bytes."))
    if leaving.form == ".html":
        st.iframe(leaving.content, height=PREVIEW_HEIGHT, alt="Preview of the report")
    else:
        st.code(leaving.content, language=None, height=PREVIEW_HEIGHT)
