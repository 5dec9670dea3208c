"""What the Sessions page costs the server with 5,000 sessions of 20 turns in the store: list, filter, open, mark.

And the page of two sets: all, split by a day, told apart by the client version.

Measured without a browser and without a socket.  Run by hand: ``pytest -m benchmark -s tests/benchmarks``.
"""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from analysis.model.desk import MarkChange
from app import state
from tests.builders import ROOT
from tests.many_sessions import fill_with_many

pytestmark = pytest.mark.benchmark

NUM_SESSIONS = 5_000
SECONDS = 120  # the longest wait for a run
QUERIES = {
    "again": {},
    "search": {"q": "agent edited"},
    "model and cause": {"model": "acme/large", "cause": "client/history-edited"},
    "worst by seconds": {"order": "seconds"},
    "status": {"status": "investigating"},
    "by day": {"look": "days"},
    "by client, one day": {"look": "days", "by": "client", "since": "2026-11-29", "until": "2026-11-29"},
    "three compared": {"compare": "1,2,3"},
}
SETS = {
    "two sets, all": {},
    "before and after a day": {"a.until": "2026-11-28", "b.since": "2026-11-29"},
    "the same again": {"a.until": "2026-11-28", "b.since": "2026-11-29"},
    "two client versions": {"by": "client", "a.client": "agent/1.2.0", "b.client": "agent/1.3.0"},
    "one against the rest": {"by": "client", "a.client": "agent/1.3.0", "apart": "1"},
}


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("desk") / "many.duckdb"
    fill_with_many(file, NUM_SESSIONS).close()
    return file


def test_sessions_page(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(database))
    run("template")  # imports what all pages need
    forget()
    print()
    said("list, nothing cached", lambda: run("sessions"))
    for name, query in QUERIES.items():
        said(name, lambda query=query: run("sessions", **query))
    for name, query in SETS.items():
        said(name, lambda query=query: run("sets", **query))
    said("open a session", lambda: run("session", session="17"))
    said("open it again", lambda: run("session", session="17"))
    marked = range(1, 501)
    said("mark 500", lambda: state.repository().desk.change_marks(marked, MarkChange("investigating", "ada")))
    said("list, 500 marked", lambda: run("sessions", status="investigating"))
    state.repository().close()
    forget()


def run(page: str, **query: str) -> None:
    """One run of a page at this address; what it raises, it raises here."""
    shown = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=SECONDS)
    for name, value in query.items():
        shown.query_params[name] = value
    shown.switch_page(f"../pages/{page}.py").run()
    assert not shown.exception, shown.exception[0].message
    assert shown.title or shown.header


def said(name: str, work: Callable[[], None]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"  {name}: {wall * 1e3:.0f} ms, {cpu * 1e3:.0f} ms CPU")


def forget() -> None:
    """Empty every cache of the dashboard, the open database included."""
    st.cache_resource.clear()
    st.cache_data.clear()
