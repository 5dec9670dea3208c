"""Start the dashboard: Streamlit with this database, on 127.0.0.1 unless told otherwise."""

import os
import sys
from pathlib import Path

from streamlit.web import cli

MAIN = Path(__file__).parent / "main.py"
LOOPBACK = "127.0.0.1"


def run_dashboard(database: Path, port: int | None, host: str = LOOPBACK) -> None:
    """Serve until the process is stopped.  Everything else is set in ``app/.streamlit/config.toml``."""
    os.environ["WHYMISS_DB"] = str(database)
    flags = [*([f"--server.port={port}"] if port else []), *([f"--server.address={host}"] if host != LOOPBACK else [])]
    sys.argv = ["streamlit", "run", str(MAIN), *flags]
    cli.main()
