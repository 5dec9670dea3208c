"""Starting the dashboard: what Streamlit is asked for."""

import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from streamlit.web import cli

from app.serving import MAIN, refuse_taken_port, run_dashboard


@pytest.mark.parametrize(
    ("given", "flags"),
    [
        pytest.param((None,), ["--server.address=127.0.0.1"], id="as configured"),
        pytest.param((8600,), ["--server.address=127.0.0.1", "--server.port=8600"], id="a port"),
        pytest.param((None, "10.1.2.3"), ["--server.address=10.1.2.3"], id="other machines"),
        pytest.param(
            (None, "0.0.0.0"), ["--server.address=0.0.0.0", "--browser.serverAddress=localhost"], id="every address"
        ),
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


def test_a_port_that_is_taken_is_refused_and_a_free_one_is_not() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(ValueError, match=rf"^Port {port} is taken: choose another with --port\.$"):
            refuse_taken_port(port)
    refuse_taken_port(port)
    refuse_taken_port(None)


def test_an_address_of_another_machine_is_said_to_be_none_of_ours() -> None:
    with pytest.raises(ValueError, match=r"^Cannot listen on 192\.0\.2\.1, port 8600: .+\.$"):
        refuse_taken_port(8600, "192.0.2.1")
