"""Where there is nothing yet: what is missing and the next step, also where nothing may be added."""

from pathlib import Path

import pytest

from app import nothing_view, places, visitors
from tests.app.dashboard import Open, field, no_exception, press, tables_of_sessions, words
from tests.sample_store import fill

NEXT = {
    "sessions": "Add logs** reads yours",
    "session": "add logs on the page Sessions. Then one of them can be opened here.",
    "sets": "add logs on the page Sessions. Then two sets of them can be held against each other here.",
    "cases": "No case is open yet.",
    "models": "No model is known yet: logs bring them. A renderer can be chosen here",
}


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A database whose only log was forgotten."""
    repository = fill(tmp_path / "empty.duckdb", "03")
    repository.delete(1)
    repository.close()
    return tmp_path / "empty.duckdb"


@pytest.mark.parametrize("page", NEXT)
def test_the_next_step_is_said(visit: Open, empty: Path, page: str) -> None:
    assert NEXT[page] in words(no_exception(visit(page, empty)))


@pytest.mark.parametrize("page", NEXT)
def test_nobody_is_asked_to_add_where_nothing_is_taken(
    visit: Open, empty: Path, page: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(visitors.READ_ONLY, "1")
    said = words(no_exception(visit(page, empty)))
    assert "Add logs" not in said and "add logs" not in said and "can be chosen here" not in said
    assert (nothing_view.CLOSED in said) == (page in ("sessions", "session", "sets"))


def test_a_session_that_is_gone_leads_to_the_others(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session="99999"))
    assert "There is no such session in this database. Pick one on the page Sessions." in words(shown)


def test_samples_come_back_when_they_are_asked_for(visit: Open, empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [path for path in places.sample_logs() if path.name.startswith("12")]
    monkeypatch.setattr(places, "sample_logs", lambda: logs)
    shown = press(no_exception(visit("sessions", empty)), "Look around in the samples")
    (table,) = tables_of_sessions(shown)
    assert table.value.session_id.tolist() == ["glasswing-docs-04"]
    assert "The server did not say what it reused" in words(shown), "and what to do about it"
    assert field(shown, "button", "Add logs")
