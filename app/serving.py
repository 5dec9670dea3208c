"""Start the dashboard: Streamlit on 127.0.0.1 with this database."""

import os
import sys
from pathlib import Path

from streamlit.web import cli

MAIN = Path(__file__).parent / "main.py"


def run_dashboard(database: Path, port: int | None) -> None:
    """Serve until the process is stopped.  Everything else is set in ``app/.streamlit/config.toml``."""
    os.environ["WHYMISS_DB"] = str(database)
    sys.argv = ["streamlit", "run", str(MAIN), *([f"--server.port={port}"] if port else [])]
    cli.main()
