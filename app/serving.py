"""Start the dashboard: Streamlit with this database, on 127.0.0.1 unless told otherwise."""

import errno
import os
import socket
import sys
from pathlib import Path

from streamlit.web import cli

MAIN = Path(__file__).parent / "main.py"
LOOPBACK, WILDCARDS = "127.0.0.1", ("0.0.0.0", "::")


def refuse_taken_port(port: int | None, host: str = LOOPBACK) -> None:
    """Raise ValueError where a port that was asked for is taken, or cannot be listened on."""
    if port is None and host == LOOPBACK:
        return
    try:
        if not host:
            raise OSError(errno.EINVAL, "give an address to listen on with --host")
        socket.create_server((host, port or 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ValueError(f"Port {port} is taken: choose another with --port.") from None
        where = host if port is None else f"{host}, port {port}"
        raise ValueError(f"Cannot listen on {where}: {error.strerror}. Choose another with --host.") from None


def run_dashboard(database: Path, port: int | None, host: str = LOOPBACK) -> None:
    """Serve until the process is stopped.  Everything else is set in ``app/.streamlit/config.toml``."""
    os.environ["WHYMISS_DB"] = str(database)
    # the address is always given: what the environment or a configuration of the user says must not open it to others
    flags = [f"--server.address={host}", *([f"--server.port={port}"] if port else [])]
    if host in WILDCARDS:  # else Streamlit asks a host on the internet for the address of this machine, to print it
        flags.append("--browser.serverAddress=localhost")
    sys.argv = ["streamlit", "run", str(MAIN), *flags]
    cli.main()
