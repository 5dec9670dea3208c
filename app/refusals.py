"""Write what a person pressed, and tell at its field where that was not possible.

A press is written in the callback of its button, before the run that follows draws anything: the next press cuts that
run short, and a press that only the run itself looks at is lost then. A callback can draw nothing, so it leaves its
refusal for the place that shows it.
"""

from collections.abc import Callable

import streamlit as st

from analysis.store.database import StoreError
from analysis.store.notes import Outdated
from app.plain import plain

REFUSED = "refused_at"


class Refused(ValueError):
    """What was pressed cannot be kept as it is; the message says why."""


def kept(place: str, write: Callable[..., object], *args: object) -> None:
    """Write for a press at ``place``; where nothing could be written, the reason is left there."""
    try:
        write(*args)
    except (Refused, Outdated, StoreError) as error:
        st.session_state[f"{REFUSED}_{place}"] = str(error)


def refusal(place: str) -> None:
    """Show the reason that was left for a place, once."""
    if words := st.session_state.pop(f"{REFUSED}_{place}", None):
        st.error(plain(words))
