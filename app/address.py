"""The address across reruns: what a page wrote into it stands until the browser goes elsewhere.

A browser sends its address with every request.  One that leaves it before it has heard of a change that a page made
says what was there before: that undoes nothing.  Only the way back and forward, a link and another page do.
"""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

HELD = "address_held"


def settle(page: str | None = None) -> None:
    """Put right what a late request says, before anything reads the address; a fragment is on the page it was on."""
    last: tuple[str | None, dict[str, list[str]]] | None = st.session_state.get(HELD)
    page = page if page is not None or last is None else last[0]
    if last is not None and last[0] == page and last[1] != _present() and not _by_history():
        st.query_params.from_dict(last[1])
    st.session_state[HELD] = page, _present()


def hold() -> None:
    """Remember what a page has just written into the address."""
    last = st.session_state.get(HELD)
    st.session_state[HELD] = last[0] if last else None, _present()


def _present() -> dict[str, list[str]]:
    return {name: st.query_params.get_all(name) for name in st.query_params}


def _by_history() -> bool:
    """Whether the browser went back or forward; Streamlit before 1.66 does not tell, and every address may be meant."""
    return bool(getattr(get_script_run_ctx(), "is_history_navigation", True))
