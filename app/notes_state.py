"""What notes and cases need of a browser session: who writes, what is edited or open, and where notes stand.

An anchor never changes, so where it stands is looked up once per state of the store.
"""

import streamlit as st

from analysis.model.annotation import Place, Placed
from analysis.model.record import SessionRecord
from analysis.pipeline.annotating import places_of
from app import address, login, state

AUTHOR = "author"
DRAFT = "note_draft_number"
EDITED = "note_edited"
WRITTEN = "notes_were_written"
EDITED_CASE = "case_edited"
TABLE = "case_table_number"


def author() -> str:
    """Who writes: whoever is logged in, else the name typed in this browser session; empty where there is none."""
    if st.user.get("is_logged_in"):
        return login.name()
    return str(st.session_state.get(AUTHOR, ""))


def is_logged_in() -> bool:
    """Whether the name is that of a login, which nobody types."""
    return bool(st.user.get("is_logged_in"))


def call_me(name: str) -> None:
    """Keep the name that was typed; an empty one takes it back, and nothing that was kept comes in its place."""
    st.session_state[AUTHOR] = " ".join(name.split())


def is_nameless() -> bool:
    """Whether the name was taken back in this browser session."""
    return st.session_state.get(AUTHOR) == ""


def placed(record: SessionRecord, session_key: int) -> list[Placed]:
    """The annotations of a session where they stand now; deleted ones stand nowhere and come too."""
    annotations = state.repository().annotations
    found = annotations.of_session(session_key)
    known = _places(state.stamp(), session_key)
    if fresh := [one for one in found if one.key not in known]:
        known |= places_of(fresh, record, state.full_ids(session_key), state.token_bytes, annotations.key())
    return [Placed(one, known[one.key]) for one in found]


def look_again() -> None:
    """Forget where annotations stand: more is known of the tokens."""
    _places.clear()


@st.cache_resource(show_spinner=False, max_entries=64)
def _places(at: state.Stamp, session_key: int) -> dict[int, Place]:
    """The places that were looked up, by the keys of their annotations; who looks up another one adds it."""
    return {}


def draft_number() -> int:
    """Part of the keys of the form for a new note: a new number is an empty form."""
    return int(st.session_state.get(DRAFT, 0))


def new_draft() -> None:
    """Empty the form for a new note."""
    st.session_state[DRAFT] = draft_number() + 1


def was_written() -> None:
    """Say that a note was kept: what stands outside the part of the page that is drawn again counts it too."""
    st.session_state[WRITTEN] = True


def take_written() -> bool:
    """Whether a note was kept since this was asked last."""
    return bool(st.session_state.pop(WRITTEN, False))


def edited() -> tuple[int, int] | None:
    """The annotation that is being edited here and the state it had then."""
    return st.session_state.get(EDITED)


def edit(key: int | None, version: int = 0) -> None:
    """Begin to edit a state of an annotation; None ends it."""
    st.session_state[EDITED] = None if key is None else (key, version)


def edited_case(key: int) -> int | None:
    """The state from which a case is edited here; None where it is not."""
    return st.session_state.get(f"{EDITED_CASE}_{key}")


def edit_case(key: int, version: int | None) -> None:
    """Begin to edit a state of a case; None ends it."""
    st.session_state[f"{EDITED_CASE}_{key}"] = version


def case_in_url() -> int | None:
    """The case that the URL names."""
    value = st.query_params.get("case", "")
    return int(value) if value.isdecimal() and len(value) < 16 else None


def open_case(key: int | None) -> None:
    """Let the URL name a case, None the list of them, whose table forgets its selection."""
    st.session_state[TABLE] = case_table_number() + 1
    if key is None:
        st.query_params.pop("case", None)
    else:
        st.query_params["case"] = str(key)
    address.hold()


def case_table_number() -> int:
    """Part of the key of the table of cases: a new number is a table without a selection."""
    return int(st.session_state.get(TABLE, 0))
