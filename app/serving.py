"""Start the dashboard: Streamlit on 127.0.0.1 with this database."""

import os
from pathlib import Path

from streamlit.web import bootstrap

MAIN = Path(__file__).parent / "main.py"


def run_dashboard(database: Path, port: int | None) -> None:
    """Serve until the process is stopped."""
    os.environ["WHYMISS_DB"] = str(database)
    options = {
        "server_address": "127.0.0.1",
        "server_headless": True,
        "browser_gatherUsageStats": False,
        **({"server_port": port} if port else {}),
    }
    bootstrap.load_config_options(options)
    bootstrap.run(str(MAIN), False, [], options)
