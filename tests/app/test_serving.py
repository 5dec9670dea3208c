"""Starting the dashboard: what Streamlit is asked for."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.web import cli

from app.serving import MAIN, run_dashboard


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        pytest.param((None,), [], id="as configured"),
        pytest.param((8600,), ["--server.port=8600"], id="a port"),
        pytest.param((8600, "127.0.0.1"), ["--server.port=8600"], id="this machine"),
        pytest.param((None, "0.0.0.0"), ["--server.address=0.0.0.0"], id="other machines"),
    ],
)
def test_streamlit_runs_the_main_page_on_this_database(
    monkeypatch: pytest.MonkeyPatch, given: tuple[Any, ...], flags: list[str]
) -> None:
    started: list[tuple[list[str], str]] = []
    monkeypatch.setattr(cli, "main", lambda: started.append((sys.argv, os.environ["WHYMISS_DB"])))
    monkeypatch.setattr(sys, "argv", ["whymiss"])
    monkeypatch.setenv("WHYMISS_DB", "another")
    run_dashboard(Path("some.duckdb"), *given)
    assert started == [(["streamlit", "run", str(MAIN), *flags], "some.duckdb")]
    assert MAIN.is_file()
