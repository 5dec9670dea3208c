"""A chat template that somebody else gives, run in a process of its own: it can neither hang this one nor fill it.

The process is kept for the next template; one that does not end, or takes too much memory, is ended with it.  The
sandbox of jinja is inside: this adds limits, and leaves the secrets of the environment outside.
"""

import atexit
import json
import os
import pickle
import subprocess
import sys
import time
from functools import cached_property
from threading import Lock
from typing import Any, NoReturn

from analysis.render.confinement import ANSWERED, MEMORY, REFUSED, Action, Question, received, send
from analysis.render.errors import RenderError
from analysis.render.provenance import Traced

SECONDS = 10.0  # of one render; ordinary ones take milliseconds
BUDGET = 60.0  # seconds of all renders of a check; ordinary ones take a tenth
MOST_ANSWER = 256 << 20  # bytes
MOST_IDLE = 2
PASSED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "LANG", "LC_ALL")  # no key, no token
CHILD = "from analysis.render.confinement import serve; serve()"


class ConfinedTemplate:
    """One chat template, with the methods of ``ChatTemplate``; every failure is a RenderError.

    A render may take ``seconds``, all of them together ``budget`` seconds where one is given.  Once the template was
    stopped, ``stopped`` says why, and nothing is rendered any more.
    """

    def __init__(self, source: str, seconds: float = SECONDS, budget: float | None = None) -> None:
        """Nothing runs yet."""
        self._source = source
        self._seconds = seconds
        self._budget = self._left = budget
        self.stopped: str | None = None

    def render(self, variables: dict[str, Any], at: float | None) -> str:
        """The rendered text; raise RenderError where the template refuses the request, or was stopped."""
        return self._asked("render", variables, at).decode("utf-8", "surrogatepass")

    def render_traced(self, variables: dict[str, Any], at: float | None) -> str:
        """The same with provenance; ``variables`` hold traced values."""
        text, origins = json.loads(self._asked("render_traced", variables, at))
        return text if origins is None else Traced(text, tuple(map(tuple, origins)))

    @cached_property
    def names(self) -> frozenset[str]:
        """The variables and functions that the template reads and does not set itself."""
        return frozenset(json.loads(self._asked("names")))

    def argument_names(self) -> tuple[str, ...]:
        """The names that ``chat_template_kwargs`` can set, sorted."""
        return tuple(json.loads(self._asked("argument_names")))

    def _asked(self, action: Action, variables: dict[str, Any] | None = None, at: float | None = None) -> bytes:
        if self.stopped is not None:
            raise RenderError(self.stopped)
        if self._left is not None and self._left <= 0:
            self._stop(f"did not end within {self._budget:g} s")
        most = self._seconds if self._left is None else min(self._seconds, self._left)
        began = time.monotonic()
        reply = _reply((action, self._source, most, variables or {}, at))
        took = time.monotonic() - began
        if self._left is not None:
            self._left -= took
        if reply.startswith(ANSWERED):
            return reply[1:]
        if reply.startswith(REFUSED):
            raise RenderError(reply[1:].decode())
        if not reply and took >= most:
            self._stop(f"did not end within {self._seconds if most == self._seconds else self._budget:g} s")
        self._stop(f"needs more than {MEMORY >> 30} GB of memory")

    def _stop(self, why: str) -> NoReturn:
        self.stopped = f"the chat template {why} and was stopped"
        raise RenderError(self.stopped)


class _Process:
    """One process that renders; it ends when its stdin does."""

    def __init__(self) -> None:
        environment = {name: os.environ[name] for name in PASSED if name in os.environ}
        environment |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
        self.owner = os.getpid()
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-c", CHILD],  # -P: no module of the folder that this happens to run in
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )

    @property
    def alive(self) -> bool:
        """Whether it is there for this process: one that was forked off has its own."""
        return self.owner == os.getpid() and self._child.poll() is None

    def reply(self, question: Question) -> bytes:
        """What it answers; nothing where it ended before that."""
        assert self._child.stdin is not None and self._child.stdout is not None
        try:
            send(self._child.stdin, pickle.dumps(question, 5))
        except OSError:  # it ended already
            return b""
        return received(self._child.stdout, MOST_ANSWER) or b""

    def end(self) -> None:
        """End it and close its pipes."""
        self._child.kill()
        self._child.communicate()


_idle: list[_Process] = []
_lock = Lock()


def _reply(question: Question) -> bytes:
    """What a process says to this, an idle one where there is one; one that said nothing is not used again."""
    try:
        process = _taken() or _Process()
    except OSError as error:
        raise RenderError(f"no process can be started for the chat template ({error.strerror})") from None
    reply = b""
    try:
        reply = process.reply(question)
    except RecursionError:
        raise RenderError("the request is nested too deeply for a chat template") from None
    finally:  # also where this run is broken off: an answer that nobody read would be taken for the next one's
        if reply:
            _give_back(process)
        else:
            process.end()
    return reply


def _taken() -> _Process | None:
    with _lock:
        while _idle:
            if (process := _idle.pop()).alive:
                return process
    return None


def _give_back(process: _Process) -> None:
    with _lock:
        if len(_idle) < MOST_IDLE:
            _idle.append(process)
            return
    process.end()


@atexit.register
def end_all() -> None:
    """End the processes that wait for a template."""
    while (process := _taken()) is not None:
        process.end()
