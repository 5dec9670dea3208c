"""A report to send, of a session, a case or a list of sessions, with a preview of what leaves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zlib import crc32

import pandas as pd
import streamlit as st

from analysis.model.annotation import Case
from analysis.model.record import SessionRecord
from analysis.report.document import Report
from analysis.report.leaving import hidden_story
from analysis.report.quotes import Quote, Scope
from analysis.report.redaction import Hidden, Rules, redacted
from analysis.report.token_text import visible
from analysis.report.words import counted
from app import share_state, sharing
from app.plain import plain
from app.reporting import KEPT, written

FORMS = {"HTML page": ".html", "Markdown": ".md", "JSON": ".json"}
MIME = {".html": "text/html", ".md": "text/markdown", ".json": "application/json"}
SCOPES: dict[str, Scope] = {
    "everything the log says and people wrote": "everything",
    "credentials, e-mail addresses and names that I give": "secrets",
    "nothing": "nothing",
}
PREVIEW_HEIGHT = 560  # pixels
SHOWN = 80  # characters of a hidden text in the list of what can be released


@dataclass(frozen=True, slots=True)
class Making:
    """A report that is asked for: what it is about, what stands for all that was written about that, and its file."""

    about: str
    written: int
    name: str
    make: Callable[[], Report[Quote]]


@dataclass(frozen=True, slots=True)
class Leaving:
    """A report as it leaves: the text of the file, what it hides, its ending, and what is said of a hidden story."""

    content: str
    hidden: tuple[Hidden, ...]
    form: str
    story: str


def share(record: SessionRecord, session_key: int) -> None:
    """The button that opens the preview of the report of a session."""
    if _button():
        written = share_state.written_about([session_key])
        making = Making(str(session_key), written, "whymiss-report", lambda: sharing.of_session(record, session_key))
        report_to_send(making, "One file to mail or to put into an issue: what happened, why, and the fix.")


def share_case(case: Case) -> None:
    """The same for a case with its sessions."""
    if _button():
        about = share_state.written_about([one.session_key for one in case.sessions])
        written = crc32(repr((case, about)).encode())
        making = Making(f"case_{case.key}", written, "whymiss-case", lambda: sharing.of_case(case))
        said = "One file: the case, its findings in their order, and its sessions."
        report_to_send(making, said + _left_out(len(case.sessions)))


def share_sessions(session_keys: Sequence[int]) -> None:
    """The preview of the report of a list of sessions, the first of which are taken where there are too many."""
    keys = list(session_keys[: sharing.MOST_SHARED])
    about = f"list_{crc32(repr(keys).encode()):x}"
    making = Making(about, share_state.written_about(keys), "whymiss-sessions", lambda: sharing.of_sessions(keys))
    report_to_send(making, f"One report of {counted(len(session_keys), 'session')}.{_left_out(len(session_keys))}")


def _left_out(number: int) -> str:
    left = number - sharing.MOST_SHARED
    return f" Only the first {sharing.MOST_SHARED:,} are in it: {left:,} are left out." if left > 0 else ""


def _button() -> bool:
    return st.button("Share", type="primary", icon=":material/share:", help="A report to send, without text of the log")


@st.dialog("A report to send", width="large")
def report_to_send(making: Making, says: str) -> None:
    """Make a report, look at what leaves, and download it."""
    st.caption(plain(says))
    download = st.container()
    options = st.expander("What is taken out, and the kind of file")
    with st.spinner("Making the report"):
        report = share_state.made(making.about, making.written, making.make)
    key = share_state.report_key(making.about)
    with options:
        form, rules = _asked(making.about)
        if rules.scope == "everything":
            rules = _released(report, rules, key, making.about)
    leaving = _leaving(report, rules, key, form)
    with download:
        _download(leaving, rules, making.name)
    _preview(leaving)


def _download(leaving: Leaving, rules: Rules, name: str) -> None:
    """The button, and beside it what the file holds of the log."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.download_button(
            "Download the report", leaving.content, f"{name}{leaving.form}", MIME[leaving.form],
            type="primary", on_click="ignore", icon=":material/download:",
        )  # fmt: skip
        if rules.scope != "everything" or rules.released:
            st.warning("Text of the log is in this report. Read the preview before it is sent.")
        else:
            kept = f" but the names of {' and '.join(f'{kind}s' for kind in sorted(rules.kept))}" if rules.kept else ""
            st.markdown(f"No text of the log is in it{kept}: {counted(len(leaving.hidden), 'text')} taken out.")
    if leaving.story:
        st.caption(plain(leaving.story))


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
        for kind in KEPT
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
    st.caption(f"{len(hidden):,} texts do not leave:")
    table = pd.DataFrame({"In the report": list(text_of), "Stands for": list(text_of.values())})
    st.dataframe(table, hide_index=True, alt="Placeholders of the report with the texts they stand for")
    return Rules(rules.scope, rules.names, rules.kept, frozenset(released))


def _leaving(report: Report[Quote], rules: Rules, key: bytes, form: str) -> Leaving:
    made, hidden = redacted(report, rules, key)
    return Leaving(written(made, form), hidden, form, hidden_story(made))


def _preview(leaving: Leaving) -> None:
    """The file itself, as whoever gets it sees it."""
    st.caption(plain(f"What leaves: {len(leaving.content.encode()):,} bytes."))
    if leaving.form == ".html":
        st.iframe(leaving.content, height=PREVIEW_HEIGHT, alt="Preview of the report")
    else:
        st.code(leaving.content, language=None, height=PREVIEW_HEIGHT)
