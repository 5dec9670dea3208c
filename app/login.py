"""A login before any page, where Streamlit's OIDC support is set up (``[auth]`` in its secrets.toml); else none.

Streamlit looks at who a visitor is when a window is opened, and never again: whoever logs out in one window is still in
in the others.  So a login that was ended is kept in mind, and asked for wherever the store is opened.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

import streamlit as st
from streamlit.errors import StreamlitAuthError, StreamlitMissingAuthlibError, StreamlitSecretNotFoundError
from streamlit.runtime.scriptrunner import get_script_run_ctx

from app.plain import plain

GONE = "[auth], which asked for a login, is gone from secrets.toml: put it back, or start the dashboard anew."


@dataclass(slots=True)
class _Kept:
    """What this process knows of logins: whether any was ever asked for, and the fingerprints of those that ended."""

    is_asked: bool = False
    ended: set[str] = field(default_factory=set)


_kept = _Kept()  # in no cache of Streamlit: any window can have those emptied


def required() -> None:
    """End the run with a button to log in, until this visitor has."""
    if _is_let_in():
        return
    st.title("Whymiss", anchor=False)
    st.write("Sessions are shown to those who log in.")
    for label, provider in _providers().items():
        if st.button(label, type="primary"):
            _log_in(provider)
    st.stop()


def still_required() -> None:
    """Begin the page anew with the login where this visitor has logged out: what is no whole run passes no other."""
    if get_script_run_ctx() is not None and not _is_let_in():
        st.rerun()


def while_logged_in(make: Callable[[], bytes]) -> Callable[[], bytes]:
    """The same, which raises PermissionError once this visitor has logged out: it is called outside of any run."""
    login = _fingerprint()

    def made() -> bytes:
        if login in _kept.ended:
            raise PermissionError("This visitor has logged out.")
        return make()

    return made


def way_out() -> None:
    """The button to log out, for who is logged in."""
    if not st.user.get("is_logged_in"):
        return
    with st.container(key="account"):
        if st.button("Log out", help=f"You are logged in as {plain(name())}."):
            _kept.ended.add(_fingerprint())
            st.logout()
            st.stop()


def name() -> str:
    """Of whoever is logged in, as the provider says it."""
    return str(next(filter(None, map(st.user.get, ("name", "email", "sub"))), ""))


def _is_let_in() -> bool:
    """Whether this visitor may see the store; says why and ends the run where that cannot be told."""
    if not _is_set_up():
        return True
    return bool(st.user.get("is_logged_in")) and _fingerprint() not in _kept.ended


def _is_set_up() -> bool:
    """Whether a login is asked for.  Once it was, it stays so: a file may be empty for a moment while it is saved."""
    try:
        found = "auth" in st.secrets
    except StreamlitSecretNotFoundError as error:
        if any(Path(file).exists() for file in st.get_option("secrets.files")):
            _refuse(str(error))
        found = False  # no such file: the usual case
    except (OSError, UnicodeDecodeError) as error:
        _refuse(f"secrets.toml cannot be read: {error}")
    if _kept.is_asked and not found:
        _refuse(GONE)
    _kept.is_asked = found
    return found


def _refuse(reason: str) -> None:
    st.error(plain(f"{reason} Nobody is let in until that is mended."))
    st.stop()


def _providers() -> dict[str, str | None]:
    """What the buttons say, and the provider that each logs in with; None is the one that ``[auth]`` itself names."""
    auth = st.secrets["auth"]
    named: dict[str, str | None] = {
        f"Log in with {name}": name
        for name, section in auth.items()
        if isinstance(section, Mapping) and "client_id" in section
    }
    return named if named and "client_id" not in auth else {"Log in": None, **named}


def _log_in(provider: str | None) -> None:
    try:
        st.login(provider)
    except StreamlitMissingAuthlibError:
        st.error('Logging in needs one more package where the dashboard runs: pip install "whymiss[auth]".')
    except StreamlitAuthError as error:
        st.error(plain(" ".join(str(error).split())))


def _fingerprint() -> str:
    """What tells this login from every other one, of the same person too: the times and the nonce of its token."""
    return sha256(json.dumps(st.user.to_dict(), sort_keys=True, default=str).encode()).hexdigest()
