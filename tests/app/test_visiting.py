"""The pages as visitors see them who may only look, or who come from elsewhere."""

from pathlib import Path

import pytest

from analysis.store.repository import Repository
from app import state, visitors
from tests.app.dashboard import Open, key_of, no_exception, press, tables_of_sessions, words
from tests.replay_server import ReplayServer


@pytest.fixture
def read_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(visitors.READ_ONLY, "1")


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(visitors.SHARED, "1")
    monkeypatch.setenv(visitors.ENDPOINTS, "http://gpu7:8000")


@pytest.mark.usefixtures("read_only")
def test_who_only_looks_sees_the_sessions_and_changes_nothing(visit: Open, samples: Path) -> None:
    state._open.clear()  # type: ignore[attr-defined]
    shown = no_exception(visit("sessions", samples))
    assert tables_of_sessions(shown) and "Read-only" in words(shown)
    assert [button.label for button in shown.button if "ogs" in button.label or "orget" in button.label] == []
    assert no_exception(visit("session", samples, session=key_of("03"))).subheader


@pytest.mark.usefixtures("read_only")
def test_who_only_looks_does_not_reset_the_cache_of_a_server(visit: Open, samples: Path) -> None:
    with ReplayServer("serve-block128") as server:
        shown = no_exception(visit("live", samples))
        shown.text_input[0].set_value(server.url)
        shown = press(shown, "Connect")
        assert "is not reset from here either" in words(shown)
        assert "Reset the prefix cache" not in [button.label for button in shown.button]
        assert ("POST", "/reset_prefix_cache") not in [(seen.method, seen.path) for seen in server.seen]


@pytest.mark.usefixtures("read_only")
def test_an_empty_store_is_not_filled_for_who_only_looks(visit: Open, tmp_path: Path) -> None:
    Repository.open(tmp_path / "empty.duckdb").close()
    shown = no_exception(visit("sessions", tmp_path / "empty.duckdb"))
    assert "No session is stored" in words(shown)


@pytest.mark.usefixtures("shared")
def test_who_comes_from_elsewhere_names_no_files(visit: Open, samples: Path) -> None:
    shown = press(no_exception(visit("sessions", samples)), "Add logs")
    assert "or a file or folder on this machine" not in [field.label for field in shown.text_input]
    assert "A model's folder or hub id" not in shown.radio[0].options
    template = no_exception(visit("template", samples))
    assert "A model's folder or hub id" not in template.radio[0].options


@pytest.mark.usefixtures("shared")
def test_who_comes_from_elsewhere_asks_no_other_server(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("live", samples))
    shown.text_input[0].set_value("http://169.254.169.254")
    shown = press(shown, "Connect")
    assert "asks only servers that --allow-endpoint names. Allowed: http://gpu7:8000." in words(shown)
