"""Starting the dashboard: what Streamlit is asked for."""

import os
import sys
from pathlib import Path

import pytest
from streamlit.web import cli

from app.serving import MAIN, run_dashboard


@pytest.mark.parametrize(("port", "flags"), [(None, []), (8600, ["--server.port=8600"])])
def test_streamlit_runs_the_main_page_on_this_database(
    monkeypatch: pytest.MonkeyPatch, port: int | None, flags: list[str]
) -> None:
    started: list[tuple[list[str], str]] = []
    monkeypatch.setattr(cli, "main", lambda: started.append((sys.argv, os.environ["WHYMISS_DB"])))
    monkeypatch.setattr(sys, "argv", ["whymiss"])
    monkeypatch.setenv("WHYMISS_DB", "another")
    run_dashboard(Path("some.duckdb"), port)
    assert started == [(["streamlit", "run", str(MAIN), *flags], "some.duckdb")]
    assert MAIN.is_file()
