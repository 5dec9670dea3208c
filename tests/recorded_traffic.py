"""A recorder that runs in a thread, in front of a server, and what it has written."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from analysis.formats.exchanges import fingerprint
from analysis.live.listening import Server, listen
from analysis.pipeline.recording import Recording, opened, recorder

KEY = bytes(32)


@dataclass
class Running:
    """A recorder at ``url`` that writes ``file``; what it said is in ``said``."""

    url: str
    file: Path
    recording: Recording
    server: Server
    said: list[str] = field(default_factory=list)

    def stop(self, at_once: bool = False) -> None:
        """As one Ctrl-C does, or two."""
        self.server.force_exit = at_once
        self.server.should_exit = True

    def lines(self) -> list[dict[str, Any]]:
        """What is in the file, line by line."""
        return [json.loads(line) for line in self.file.read_bytes().splitlines()]


@contextmanager
def recording(
    upstream: str, file: Path, *, keep_secrets: bool = False, wait_seconds: int = 10, **asked: bool
) -> Iterator[Running]:
    """Record until the block ends; then everything that passed is in the file."""
    said: list[str] = []
    with opened(file) as opened_file:
        kept = Recording(opened_file, None if keep_secrets else fingerprint(KEY), said.append)
        proxy = recorder(upstream, kept, **asked)
        listening = listen("127.0.0.1", 0)
        server = Server(proxy, said.append, wait_seconds)
        running = Running(f"http://127.0.0.1:{listening.getsockname()[1]}", file, kept, server, said)
        thread = threading.Thread(target=lambda: asyncio.run(server.run_on(listening)), daemon=True)
        thread.start()
        try:
            yield running
        finally:
            running.server.should_exit = True
            thread.join(30)
            assert not thread.is_alive()
