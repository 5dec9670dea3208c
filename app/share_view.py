"""A report to send, of a session, a case or a list of sessions: what leaves with it is seen before it leaves."""

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import pandas as pd
import streamlit as st

from analysis.model.annotation import Case
from analysis.model.record import SessionRecord
from analysis.report.document import Quote, Report, Scope
from analysis.report.redaction import Hidden, Rules, redacted
from analysis.report.token_text import visible
from analysis.report.words import counted
from app import reporting, share_state, sharing
from app.plain import plain

FORMS = {"HTML page": ".html", "Markdown": ".md", "JSON": ".json"}
MIME = {".html": "text/html", ".md": "text/markdown", ".json": "application/json"}
SCOPES: dict[str, Scope] = {
    "everything the log says and people wrote": "everything",
    "credentials, e-mail addresses and names that I give": "secrets",
    "nothing": "nothing",
}
MAKING = "Making the report"
PREVIEW_HEIGHT = 640  # pixels
SHOWN = 80  # characters of a hidden text in the list of what can be released


@dataclass(frozen=True, slots=True)
class Leaving:
    """A report as it leaves: the text of the file, what it hides, and how the file is named."""

    content: str
    hidden: tuple[Hidden, ...]
    form: str


@st.fragment
def share(record: SessionRecord, session_key: int) -> None:
    """Make a report of a session, look at what leaves, and download it."""
    if _wanted("this session", str(session_key), "It says what happened and why."):
        _prepared(sharing.of_session(record, session_key), str(session_key), "whymiss-report")


@st.fragment
def share_case(case: Case) -> None:
    """The same for a case with its sessions."""
    about = f"case_{case.key}"
    if _wanted("this case", about, "It tells the case, its findings in their order, and each of its sessions."):
        keys = [one.session_key for one in case.sessions]
        written = crc32(repr((case, share_state.written_about(keys))).encode())
        with st.spinner(MAKING):
            report = share_state.made(about, written, lambda: sharing.of_case(case))
        _prepared(report, about, "whymiss-case")


@st.dialog("Share", width="large")
def share_sessions(session_keys: Sequence[int]) -> None:
    """The same for a list of sessions, the first of which are taken where there are too many."""
    left = len(session_keys) - sharing.MOST_SHARED
    more = f" Only the first {sharing.MOST_SHARED:,}: {left:,} are left out." if left > 0 else ""
    st.caption(plain(f"One report of {counted(len(session_keys), 'session')}.{more}"))
    about = f"list_{crc32(repr(list(session_keys)).encode()):x}"
    written = share_state.written_about(session_keys[: sharing.MOST_SHARED])
    with st.spinner(MAKING):
        report = share_state.made(about, written, lambda: sharing.of_sessions(session_keys))
    _prepared(report, about, "whymiss-sessions")


def _wanted(what: str, about: str, says: str) -> bool:
    """Whether a report is asked for."""
    st.subheader("Share", anchor=False)
    st.caption(f"A report is one file that can be mailed or put into an issue. {says}")
    return st.toggle(f"Prepare a report of {what}", key=f"share_{about}")


def _prepared(report: Report[Quote], about: str, name: str) -> None:
    """Ask how it is written and what is taken out, and show the file with the button that downloads it."""
    form, rules = _asked(about)
    key = share_state.report_key(about)
    if rules.scope == "everything":
        rules = _released(report, rules, key, about)
    leaving = _leaving(report, rules, key, form)
    if rules.scope != "everything":
        st.warning("Text of the log is in this report. Read the preview before it is sent.")
    st.download_button(
        "Download the report", leaving.content, f"{name}{form}", MIME[form], type="primary", on_click="ignore"
    )
    _preview(leaving)


def _asked(about: str) -> tuple[str, Rules]:
    """How the report is written and what is taken out."""
    form = st.segmented_control("As", list(FORMS), default="HTML page", key=f"share_as_{about}")
    scope = SCOPES[st.selectbox("Take out", list(SCOPES), key=f"share_scope_{about}")]
    names: tuple[str, ...] = ()
    if scope == "secrets":
        given = st.text_area("Names to hide, one a line", key=f"share_names_{about}")
        names = tuple(filter(None, map(str.strip, given.splitlines())))
    kept = [
        kind
        for kind in reporting.KEPT
        if scope == "everything" and st.checkbox(f"Keep the names of {kind}s", key=f"share_{kind}_{about}")
    ]
    return FORMS[form or "HTML page"], Rules(scope, names, frozenset(kept))


def _released(report: Report[Quote], rules: Rules, key: bytes, about: str) -> Rules:
    """The rules with what the person releases, text by text."""
    _made, hidden = redacted(report, rules, key)
    text_of = {one.placeholder: visible(one.text) for one in hidden}
    released = st.multiselect(
        "Release single texts",
        list(text_of),
        format_func=lambda placeholder: f"{placeholder} = {text_of[placeholder][:SHOWN]}",
        key=f"share_released_{about}",
        placeholder="Nothing is released",
        help="What is released stands in the report as it is, and the report says that it was released.",
    )
    with st.expander(f"{len(hidden):,} texts that do not leave"):
        table = pd.DataFrame({"In the report": list(text_of), "Stands for": list(text_of.values())})
        st.dataframe(table, hide_index=True, alt="Placeholders of the report with the texts they stand for")
    return Rules(rules.scope, rules.names, rules.kept, frozenset(released))


def _leaving(report: Report[Quote], rules: Rules, key: bytes, form: str) -> Leaving:
    made, hidden = redacted(report, rules, key)
    return Leaving(reporting.written(made, form), hidden, form)


def _preview(leaving: Leaving) -> None:
    """The file itself, as whoever gets it sees it."""
    st.caption(plain(f"What leaves: {len(leaving.content.encode()):,} bytes."))
    if leaving.form == ".html":
        st.iframe(leaving.content, height=PREVIEW_HEIGHT, alt="Preview of the report")
    else:
        st.code(leaving.content, language=None, height=PREVIEW_HEIGHT)
