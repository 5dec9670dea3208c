"""What the pages cost the server with 5,000 sessions in the store: list, filter, open, annotate, mark, send.

And the page of two sets: all, split by a day, told apart by the client version.

Measured without a browser and without a socket.  Run by hand: ``pytest -m benchmark -s tests/benchmarks``.
``WHYMISS_WHOLE`` names a store that ``python -m tests.whole_sessions FILE`` has filled before.
"""

import os
import resource
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from analysis.model.annotation import CaseText
from analysis.model.desk import MarkChange
from app import state
from tests.app.dashboard import begun_at, words
from tests.builders import ROOT
from tests.many_sessions import imports_of
from tests.whole_sessions import fill_with_whole

pytestmark = pytest.mark.benchmark

NUM_SESSIONS = 5_000
MANY = 1_200  # sessions of a large case
SECONDS = 120  # the longest wait for a run
QUERIES = {
    "again": {},
    "search": {"q": "agent edited"},
    "by model": {"model": "acme/large"},
    "by cause": {"cause": "client/history-edited"},
    "by client": {"client": "agent/1.3.0"},
    "by fidelity": {"fidelity": "exact"},
    "by label": {"label": "tuesday"},
    "by status": {"status": "investigating"},
    "by assignee": {"assignee": "person 1"},
    "by source": {"source": "proxy-3.jsonl"},
    "by days": {"since": "2026-11-24", "until": "2026-11-26"},
    "by model and cause": {"model": "acme/large", "cause": "client/history-edited"},
    "worst by seconds": {"order": "seconds"},
    "worst by cost": {"order": "cost"},
    "worst by share": {"order": "share"},
    "newest first": {"order": "newest"},
    "days by cause": {"look": "days"},
    "days by client": {"look": "days", "by": "client"},
    "days by model, one day": {"look": "days", "by": "model", "since": "2026-11-29", "until": "2026-11-29"},
    "three compared": {"compare": "1,2,3"},
}
SETS = {
    "two sets, all": {},
    "before and after a day": {"a.until": "2026-11-28", "b.since": "2026-11-29"},
    "the same again": {"a.until": "2026-11-28", "b.since": "2026-11-29"},
    "two client versions": {"by": "client", "a.client": "agent/1.2.0", "b.client": "agent/1.3.0"},
    "one against the rest": {"by": "client", "a.client": "agent/1.3.0", "apart": "1"},
}
WITH_NOTES = "16"  # a session that somebody has written about


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("desk") / "whole.duckdb"
    if given := os.environ.get("WHYMISS_WHOLE"):
        shutil.copyfile(given, file)
    else:
        fill_with_whole(file, NUM_SESSIONS).close()
    return file


def test_pages(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(database))
    visited("template")  # imports what all pages need
    forget()
    print(f"\n{database.stat().st_size / 1e6:,.0f} MB")
    said("list, nothing cached", lambda: visited("sessions"))
    for name, query in QUERIES.items():
        said(f"list, {name}", lambda query=query: visited("sessions", **query))
    for name, query in SETS.items():
        said(name, lambda query=query: visited("sets", **query))
    said("open a session", lambda: visited("session", session="17"))
    said("open it again", lambda: visited("session", session="17"))
    said("open one with notes", lambda: visited("session", session=WITH_NOTES))
    annotated()
    said("list, when a note was written", lambda: visited("sessions"))
    shared()
    said("mark 500", lambda: state.repository().desk.change_marks(range(1, 501), MarkChange("investigating", "ada")))
    said("list, 500 marked", lambda: visited("sessions", status="investigating"))
    said("cases", lambda: visited("cases"))
    said("a case", lambda: visited("cases", case="1"))
    large = case_of_many()
    said(f"a case of {MANY:,}", lambda: visited("cases", case=large))
    said("it again", lambda: visited("cases", case=large))
    said(
        "it as two sets",
        lambda: visited("sets", **{"by": "own", "a.case": f"{large}-before", "b.case": f"{large}-after"}),
    )
    said("models", lambda: visited("models"))
    (incoming,) = imports_of(3)
    said("import three sessions", lambda: state.repository().save(incoming))
    said("list, when sessions came", lambda: visited("sessions"))
    said("list, days, when sessions came", lambda: visited("sessions", look="days"))
    print(f"  most memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
    state.repository().close()
    forget()


def case_of_many() -> str:
    """The key of a case that half of its sessions stand before a change in, half after it."""
    cases = state.repository().cases
    key = cases.create("ann", CaseText("Slow since Tuesday"))
    for session_key in range(1, MANY + 1):
        cases.take(key, session_key, ("before", "after")[session_key % 2])
    return str(key)


def annotated() -> None:
    """A note by somebody who has the session open, from the press to the page that shows it."""
    shown = visited("session", session=WITH_NOTES)
    next(one for one in shown.text_input if one.label == "Your name").set_value("ann")
    next(one for one in shown.text_area if one.label == "Note, in Markdown").set_value("seen **again**")
    next(one for one in shown.button if one.label == "Add note").click()
    said("annotate", lambda: shown.run())
    assert "seen **again**" in words(shown)


def shared() -> None:
    shown = visited("session", session=WITH_NOTES)
    next(one for one in shown.button if one.label == "Share").click()
    said("preview a report", lambda: shown.run())
    assert "What leaves: " in words(shown)


def visited(page: str, **query: str) -> AppTest:
    """One run of a page at this address; what it raises, it raises here."""
    shown = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=SECONDS)
    for name, value in query.items():
        shown.query_params[name] = value
    begun_at(shown, page)
    assert not shown.exception, shown.exception[0].message
    assert shown.title or shown.header
    return shown


def said(name: str, work: Callable[[], object]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(f"  {name}: {wall * 1e3:,.0f} ms, {cpu * 1e3:,.0f} ms CPU")


def forget() -> None:
    """Empty every cache of the dashboard, the open database included."""
    st.cache_resource.clear()
    st.cache_data.clear()
