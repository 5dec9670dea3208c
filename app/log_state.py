"""The logs that are at hand to try changes on: Whymiss keeps no request bodies, so a log is a sample, or given again.

Does not try anything itself: ``bench_of`` gives what changes are tried on.
"""

import json

import streamlit as st

from analysis.model.record import SessionRecord
from analysis.model.settings import Settings
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import Source, read_source
from analysis.pipeline.trying import Bench, bench
from analysis.store.database import StoreError
from app import places, state
from app.renderer_state import known_renderers, live_renderers, live_server

GIVEN = "given_logs"
MOST_GIVEN = 4  # logs that a browser session keeps to try changes on


def log_of(session_key: int) -> Source | None:
    """The log of a session where it is at hand: one of the samples, or one that was given in this browser session."""
    origin = state.repository().origin(session_key)
    return None if origin is None else log_at_hand(origin[0], origin[1])


def log_at_hand(file: str, sha256: str) -> Source | None:
    """A log by its name and content: one of the samples, or one that was given in this browser session."""
    given: dict[str, Source] = st.session_state.get(GIVEN, {})
    if sha256 in given:
        return given[sha256]
    found = (read_source(path) for path in places.sample_logs() if path.name == file)
    return next((source for source in found if source.sha256 == sha256), None)


def remember_log(source: Source) -> None:
    """Keep a log in this browser session, so that changes can be tried on it."""
    given: dict[str, Source] = st.session_state.setdefault(GIVEN, {})
    given[source.sha256] = source
    while len(given) > MOST_GIVEN:
        del given[next(iter(given))]


def is_log_of(source: Source, session_key: int) -> bool:
    """Whether these are the very files that a session came from."""
    origin = state.repository().origin(session_key)
    return origin is not None and origin[1] == source.sha256


def bench_of(session_key: int, source: Source, record: SessionRecord) -> Bench:
    """What changes to a session are tried on.  Raises ValueError or OSError where its log cannot be rendered."""
    origin = state.repository().origin(session_key)
    label = str(json.loads(origin[2]).get("renderer")) if origin else ""
    if label.startswith("endpoint "):
        server = live_server()
        if server is None or label != f"endpoint {server.url}":
            raise StoreError("this log was rendered by a live server: connect to it again on the page Live server")
        renderers = live_renderers(server)
    else:
        model = None if label == Renderers().label else label
        renderers = known_renderers(model, record.settings.normalise)
    return _bench(source.sha256, repr(record.settings), label, source, renderers, record.settings)


@st.cache_resource(show_spinner=False, max_entries=2)
def _bench(
    sha256: str, settings: str, label: str, _source: Source, _renderers: Renderers, _settings: Settings
) -> Bench:
    return bench(_source, _renderers, _settings)
