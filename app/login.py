"""A login before any page, where Streamlit's OIDC support is set up (``[auth]`` in its secrets.toml); else none."""

import streamlit as st
from streamlit.errors import StreamlitMissingAuthlibError, StreamlitSecretNotFoundError


def required() -> None:
    """End the run with a button to log in, until this visitor has."""
    if not _is_set_up() or st.user.get("is_logged_in"):
        return
    st.title("Whymiss", anchor=False)
    st.write("Sessions are shown to those who log in.")
    if st.button("Log in", type="primary"):
        try:
            st.login()
        except StreamlitMissingAuthlibError:
            st.error('Logging in needs one more package where the dashboard runs: pip install "whymiss[auth]".')
    st.stop()


def _is_set_up() -> bool:
    try:
        return "auth" in st.secrets
    except StreamlitSecretNotFoundError:  # no such file: the usual case
        return False
