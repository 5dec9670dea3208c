"""Processes that run chat templates: kept for the next question, ended with what they cannot answer.

What was sent to one stays there, so that a session that grows sends each message once; the secrets of the environment
stay outside.  A process is used by one thread at a time.
"""

import atexit
import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from analysis.render.confinement import ANSWERED, REFUSED, Question, received_after, send
from analysis.render.errors import RenderError

MOST_IDLE = 2
MOST_KEPT = 16 << 20  # bytes of messages and tools that a process keeps
SMALLEST = 200  # bytes that each of them counts for at least
MOST_ADDED = 1 << 20  # bytes of an answer, whatever was asked
MOST_TIMES = 8  # and so many per byte of the request: what prints more is no conversation
TRACED_TIMES = 8  # bytes of a text with its origins, per byte of the text
PATIENCE = 5.0  # seconds for a process that closed its pipe to be gone
PASSED = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "SYSTEMROOT", "LANG", "LC_ALL")  # no key, no token
CHILD = "from analysis.render.confinement import serve; serve()"
TIMER: int | None = getattr(signal, "SIGPROF", None)  # what ends it when it takes too long
SHARED = ("messages", "tools")  # variables whose items come again


class Ended(Exception):
    """A process ended without an answer, or had to be; the message is what the template did."""


class OutOfTime(Ended):
    """It took longer than the question allows."""


@dataclass(slots=True)
class Sent:
    """The messages and tools that a process knows, each held here so that its id stands for nothing else."""

    _known: dict[int, tuple[int, int, Any]] = field(default_factory=dict)  # by id: number, bytes, itself
    _bytes: int = 0

    def packed(self, question: Question) -> tuple[bytes, int]:
        """A question as it is sent, and how many bytes all that it is about has.

        Raise RecursionError where something in it is nested too deeply.
        """
        forgets = self._bytes > MOST_KEPT
        if forgets:
            self._known, self._bytes = {}, 0
        listed = {name: items for name in SHARED if isinstance(items := question.variables.get(name), list)}
        new: dict[int, bytes] = {}
        for item in (item for items in listed.values() for item in items):
            if id(item) not in self._known:
                number, dump = len(self._known), pickle.dumps(item, 5)
                self._known[id(item)] = number, max(SMALLEST, len(dump)), item
                new[number] = dump
        found = {name: [self._known[id(item)] for item in items] for name, items in listed.items()}
        added = sum(map(len, new.values()))
        self._bytes += max(added, SMALLEST * len(new))
        rest = {name: value for name, value in question.variables.items() if name not in listed}
        lists = {name: [number for number, _bytes, _item in items] for name, items in found.items()}
        packed = pickle.dumps(
            tuple(question._replace(variables=rest, lists=lists, new=new, forgets=forgets)), pickle.HIGHEST_PROTOCOL
        )
        sizes = sum(num_bytes for items in found.values() for _number, num_bytes, _item in items)
        return packed, sizes + len(packed) - added


class Process:
    """One process that runs templates; it ends when its stdin does."""

    def __init__(self) -> None:
        """Start it.  Raise OSError where the system does not let it."""
        environment = {name: os.environ[name] for name in PASSED if name in os.environ}
        environment |= {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "OPENBLAS_NUM_THREADS": "1"}
        self.owner = os.getpid()
        self.child = subprocess.Popen(
            [sys.executable, "-P", "-c", CHILD],  # -P: no module of the folder that this happens to run in
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )
        self._sent = Sent()
        self._last = b""

    @property
    def alive(self) -> bool:
        """Whether it is there for this process: one that was forked off has its own."""
        return self.owner == os.getpid() and self.child.poll() is None

    def reply(self, question: Question) -> bytes:
        """What it answers.  Raise Ended where it ends before that, or answers more than any conversation has."""
        assert self.child.stdin is not None and self.child.stdout is not None
        packed, num_bytes = self._sent.packed(question)
        began = time.monotonic()
        most = MOST_ADDED + MOST_TIMES * num_bytes
        try:
            send(self.child.stdin, packed)
            times = TRACED_TIMES if question.action == "render_traced" else 1
            reply = received_after(self.child.stdout, self._last, most * times)
        except BrokenPipeError:  # it ended already
            reply = None
        except OverflowError:
            raise Ended(f"prints over {most >> 20} MB, far more than the request has, and was stopped") from None
        if reply is None:
            raise self._fate(time.monotonic() - began >= question.seconds)
        self._last = reply
        return reply

    def end(self) -> None:
        """End it and close its pipes."""
        self.child.kill()
        self.child.communicate()

    def _fate(self, is_late: bool) -> Ended:
        """How it ended; ``is_late`` by the clock.  Only the system knows more of a signal."""
        try:
            code = self.child.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            return Ended("stopped answering")
        if code == -TIMER if TIMER is not None else is_late:
            return OutOfTime("took too long")
        if code >= 0:
            return Ended(f"ended its process (exit code {code})")
        return Ended(f"crashed its process ({signal.Signals(-code).name})")


_idle: list[Process] = []
_lock = Lock()


def reply_of_any(question: Question) -> bytes:
    """What a process says to this, an idle one where there is one.

    Raise Ended where there is no answer: such a process is not used again.  Raise RenderError where none can be
    started, or the question cannot be sent.
    """
    try:
        process = _taken() or Process()
    except OSError as error:
        raise RenderError(f"no process can be started for the chat template ({error.strerror})") from None
    reply = b""
    try:
        reply = process.reply(question)
    except RecursionError:
        raise RenderError("the request is nested too deeply for a chat template") from None
    finally:  # also where this run is broken off: an answer that nobody read would be taken for the next one's
        if reply.startswith((ANSWERED, REFUSED)):
            _give_back(process)
        else:
            process.end()
    return reply


def _taken() -> Process | None:
    with _lock:
        while _idle:
            if (process := _idle.pop()).alive:
                return process
    return None


def _give_back(process: Process) -> None:
    with _lock:
        if len(_idle) < MOST_IDLE:
            _idle.append(process)
            return
    process.end()


@atexit.register
def end_all() -> None:
    """End the processes that wait for a question."""
    while (process := _taken()) is not None:
        process.end()
