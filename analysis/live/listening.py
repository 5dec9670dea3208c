"""Serve a recorder on a socket until the process is told to stop; then wait a little for what still runs.

Does not log a request anywhere: addresses and bodies are nobody's business but the log's.
"""

import asyncio
import os
import socket
from collections.abc import Callable

import uvicorn

from analysis.live.recorder import Recorder

BACKLOG = 2048  # clients that wait to be accepted
WAIT_SECONDS = 10  # for running exchanges when told to stop; what is not done then is marked as cut


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there (port 0: any that is free); raise OSError where another process does."""
    family, kind, protocol, _name, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
    )[0]
    # The protocol is named: only then does asyncio send small pieces at once, and not 40 ms later (TCP_NODELAY).
    listening = socket.socket(family, kind, protocol)
    try:
        if os.name == "posix":  # elsewhere it would take a port that another process has
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as error:
        listening.close()
        raise OSError(
            error.errno, f"{error.strerror}: choose another with --port or --host", f"{host}:{port}"
        ) from None
    return listening


def serve(recorder: Recorder, listening: socket.socket, say: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM, and return when everything that began has been kept."""
    server = Server(recorder, say)
    try:
        asyncio.run(server.run_on(listening))
    except KeyboardInterrupt:  # uvicorn raises it again when it has stopped in order
        recorder.stop()


class Server(uvicorn.Server):
    """A web server that keeps what still runs before the process goes, whatever told it to go."""

    def __init__(self, recorder: Recorder, say: Callable[[str], None], wait_seconds: int = WAIT_SECONDS) -> None:
        """``say`` tells a person what is waited for."""
        super().__init__(
            uvicorn.Config(
                recorder,
                http="httptools",
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                log_level="critical",
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_graceful_shutdown=wait_seconds,
            )
        )
        self._recorder = recorder
        self._say = say
        self._wait_seconds = wait_seconds

    async def run_on(self, listening: socket.socket) -> None:
        """Serve on this socket."""
        try:
            await self.serve(sockets=[listening])
        finally:
            await self._recorder.close()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: wait for what runs, then mark it as cut."""
        if running := self._recorder.num_running:
            self._say(
                f"waiting up to {self._wait_seconds} s for {running} running exchange{'s' * (running > 1)};"
                " Ctrl-C again marks them as cut and stops."
            )
        await super().shutdown(sockets)
        self._recorder.stop()
