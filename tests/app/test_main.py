"""The entry of the dashboard: its pages, and a database that fails under one of them."""

from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from tests.app.dashboard import begun_at
from tests.builders import ROOT
from tests.sample_store import fill_damaged


@pytest.mark.parametrize("page", ["sessions", "session", "cases", "sets", "models", "compare", "template", "live"])
def test_damage_behind_the_headers_is_one_message_and_no_traceback(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, page: str
) -> None:
    database = tmp_path / "damaged.duckdb"
    damaged = fill_damaged(database)
    monkeypatch.setenv("WHYMISS_DB", str(database))
    shown = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=60)
    shown.query_params["session"] = "1"
    begun_at(shown, page)
    assert not shown.exception
    messages = [error.value.replace("\\", "") for error in shown.error]
    if page in ("sessions", "session", "cases", "sets", "models"):  # the others need no database
        assert len(messages) == 1 and "damaged.duckdb: not a database" in messages[0] and "--db" in messages[0]
    else:
        assert messages == []
    assert database.read_bytes() == damaged
    st.cache_resource.clear()


def test_every_page_is_in_the_navigation() -> None:
    entry = (ROOT / "app" / "main.py").read_text("utf-8")
    files = {path.name for path in (ROOT / "pages").glob("*.py")} - {"__init__.py"}
    assert files == {name for name in files if f'PAGES / "{name}"' in entry}
