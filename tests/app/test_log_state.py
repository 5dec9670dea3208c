"""The logs at hand: samples, those given in this browser session, and what changes are tried on."""

from pathlib import Path

import pytest

from analysis.pipeline.sources import LogFile, Source
from app import log_state, places, state
from tests.app.dashboard import bring
from tests.sample_store import record_of

pytestmark = pytest.mark.usefixtures("session_state")


def test_the_log_of_a_sample_is_at_hand(database: Path) -> None:
    bring("06")
    source = log_state.log_of(1)
    assert source is not None and source.name == "06-three-faults-at-once.jsonl"
    assert log_state.is_log_of(source, 1) and log_state.log_of(2) is None


def test_another_log_is_at_hand_once_it_was_given(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bring("06")
    source = log_state.log_of(1)
    assert source is not None
    monkeypatch.setattr(places, "sample_logs", lambda: [])
    assert log_state.log_of(1) is None
    log_state.remember_log(source)
    assert log_state.log_of(1) is source
    for number in range(log_state.MOST_GIVEN):
        log_state.remember_log(Source("other", (LogFile("other", bytes([number])),)))
    assert log_state.log_of(1) is None, "only the latest are kept"


def test_changes_are_tried_with_the_renderer_of_the_import(database: Path) -> None:
    bring("06")
    source, record = log_state.log_of(1), record_of("06")
    assert source is not None
    bench = log_state.bench_of(1, source, record)
    assert bench.history[0].turns[0].fidelity == record.turns[0].fidelity
    assert log_state.bench_of(1, source, record) is bench, "read once"


def test_a_server_that_is_not_connected_is_asked_for(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bring("06")
    source = log_state.log_of(1)
    assert source is not None
    how = ("06", source.sha256, '{"renderer": "endpoint http://gpu:8000"}')
    monkeypatch.setattr(state.repository(), "origin", lambda key: how)
    with pytest.raises(OSError, match="connect to it again"):
        log_state.bench_of(1, source, record_of("06"))
