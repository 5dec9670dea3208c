"""What the tests of the pages share."""

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app import state, visitors
from tests.app.browser_address import Address
from tests.app.dashboard import Open, begun_at
from tests.builders import ROOT
from tests.sample_store import fill


@pytest.fixture(autouse=True)
def no_packaged_components(monkeypatch: pytest.MonkeyPatch) -> None:
    """Streamlit looks through every installed package whenever a page starts; our block map comes from none of them."""
    scan = "streamlit.components.v2.manifest_scanner.scan_component_manifests"
    monkeypatch.setattr(scan, lambda *_args, **_options: [], raising=False)


@pytest.fixture(autouse=True)
def nobody_was_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that a test names is not named in the next one."""
    monkeypatch.setenv(visitors.ENDPOINTS, "")


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file with all samples in it, closed: to be read, or to be copied by who writes."""
    database = tmp_path_factory.mktemp("samples") / "samples.duckdb"
    fill(database).close()
    return database


@pytest.fixture
def visit(monkeypatch: pytest.MonkeyPatch) -> Open:
    """Open a page of the dashboard on a database; further names are query parameters."""

    def opened(page: str, database: Path, **address: str) -> AppTest:
        monkeypatch.setenv("WHYMISS_DB", str(database))
        monkeypatch.delenv("WHYMISS_API_KEY", raising=False)
        shown = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=60)
        for name, value in address.items():
            shown.query_params[name] = value
        return begun_at(shown, page)

    return opened


@pytest.fixture(scope="module", autouse=True)
def databases_are_closed() -> Iterator[None]:
    """The dashboard keeps what it opened for as long as it runs: here, for one file of tests."""
    yield
    st.cache_resource.clear()
    st.cache_data.clear()
    gc.collect()  # a database is closed when nobody holds it any more


@pytest.fixture
def session_state(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A browser session: plain dictionaries where Streamlit keeps its own."""
    kept: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", kept)
    monkeypatch.setattr(st, "query_params", Address())
    return kept


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """The dashboard's database: none until something asks for it."""
    file = tmp_path / "state.duckdb"
    monkeypatch.setenv("WHYMISS_DB", str(file))
    yield file
    state.repository().close()
    st.cache_resource.clear()
