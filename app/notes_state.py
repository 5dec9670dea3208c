"""What annotating needs of a browser session: who writes, what is being edited, and where annotations stand.

An anchor never changes, so where it stands is looked up once per state of the store.
"""

import streamlit as st

from analysis.model.annotation import Annotation, Place, Placed
from analysis.model.record import SessionRecord
from analysis.pipeline.annotating import place_of
from app import state

AUTHOR = "author"
DRAFT = "note_draft_number"
EDITED = "note_edited"
FAILED = "note_failed"


def author() -> str:
    """Who writes: whoever is logged in, else the name that was typed in this browser session; empty where there is none."""
    if st.user.get("is_logged_in"):
        return str(st.user.get("name") or st.user.get("email") or "")
    return str(st.session_state.get(AUTHOR, ""))


def is_logged_in() -> bool:
    """Whether the name is that of a login, which nobody types."""
    return bool(st.user.get("is_logged_in"))


def call_me(name: str) -> None:
    """Keep the name that was typed for the rest of this browser session."""
    st.session_state[AUTHOR] = " ".join(name.split())


def placed(record: SessionRecord, session_key: int) -> list[Placed]:
    """The annotations of a session where they stand now; deleted ones stand nowhere and come too."""
    found = state.repository().annotations.of_session(session_key)
    return [Placed(one, _place(state.stamp(), session_key, one.key, one, record)) for one in found]


def look_again() -> None:
    """Forget where annotations stand: more is known of the tokens."""
    _place.clear()


@st.cache_resource(show_spinner=False, max_entries=5000)
def _place(at: state.Stamp, session_key: int, key: int, _annotation: Annotation, _record: SessionRecord) -> Place:
    ids = state.full_ids(session_key)
    return place_of(_annotation, _record, ids, state.token_bytes, state.repository().annotations.key())


def draft_number() -> int:
    """Part of the keys of the form for a new note: a new number is an empty form."""
    return int(st.session_state.get(DRAFT, 0))


def new_draft() -> None:
    """Empty the form for a new note."""
    st.session_state[DRAFT] = draft_number() + 1


def edited() -> tuple[int, int] | None:
    """The annotation that is being edited here and the state it had then."""
    return st.session_state.get(EDITED)


def edit(key: int | None, version: int = 0) -> None:
    """Begin to edit a state of an annotation; None ends it."""
    st.session_state[EDITED] = None if key is None else (key, version)


def fail(message: str | None) -> None:
    """Leave a reason why nothing was written for the next run."""
    st.session_state[FAILED] = message


def failure() -> str | None:
    """Take the reason that was left."""
    return st.session_state.pop(FAILED, None)
