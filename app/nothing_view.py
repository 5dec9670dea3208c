"""What pages show where there is nothing yet: what is missing, and the next step."""

import streamlit as st

from app import desk_state, first_start, visitors

SESSIONS_PAGE = "../pages/sessions.py"
NO_LOG = (
    "No log at hand? `whymiss record --upstream http://localhost:8000 -o proxy.jsonl` stands between your agent and"
    " vLLM and writes one."
)
CLOSED = (
    "No session is stored, and this dashboard takes none: it is read-only. Whoever keeps the database adds logs to it"
    " with `whymiss analyze LOG --db FILE`."
)


def nothing_stored() -> None:
    """On the page of sessions: how logs come here, and the samples once more."""
    if not visitors.may_write():
        st.info(CLOSED)
        return
    st.info(
        "No session is stored. **Add logs** reads yours: one JSON request with its response a line, from any proxy"
        " before vLLM, or what agents and tracing tools write."
    )
    st.caption(NO_LOG)
    if st.button("Look around in the samples", icon=":material/science:"):
        samples("Analysing the sample sessions")
        st.rerun()


def samples(words: str) -> None:
    """Analyse the sample sessions, under a bar that says how far it is."""
    bar = st.progress(0.0, words)
    first_start.fill_with_samples(lambda stage, done, total: bar.progress(done / total, f"{done} of {total} {stage}"))
    bar.empty()


def nothing_here(then: str) -> None:
    """On a page that needs sessions where there are none; ``then`` is what the page does once there are."""
    if not visitors.may_write():
        st.info(CLOSED)
        return
    st.info(f"No session is stored: add logs on the page Sessions. {then}")
    st.page_link(SESSIONS_PAGE, label="To the page Sessions", icon=":material/arrow_forward:")


def no_session(reason: str) -> None:
    """On the page of a session: why none is shown, and where they are."""
    if desk_state.sessions().empty:
        nothing_here("Then one of them can be opened here.")
        return
    st.info(f"{reason} Pick one on the page Sessions.")
    st.page_link(SESSIONS_PAGE, label="To the page Sessions", icon=":material/arrow_forward:")
