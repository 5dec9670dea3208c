"""The inside of the process that runs a stranger's chat template: little memory, a time limit, nothing else to do.

It reads questions from stdin and answers on stdout until nobody asks any more.  A question that takes too long ends the
process, whatever it is busy with: a thread of C watches, which needs nothing of Python.
"""

import faulthandler
import json
import os
import pickle
import signal
import struct
import sys
from pathlib import Path
from typing import IO, Any, Literal

from analysis.render import arguments
from analysis.render.errors import RenderError, first_line
from analysis.render.jinja import ChatTemplate
from analysis.render.provenance import Traced, TracedObject, trace

Action = Literal["render", "render_traced", "names", "argument_names"]
Question = tuple[Action, str, float, dict[str, Any], float | None]  # what, template, most seconds, variables, time

MEMORY = 1 << 30  # bytes beyond what the process has when it starts
MOST_KNOWN = 8  # templates that stay compiled
ANSWERED, REFUSED, TOO_LARGE = b"a", b"r", b"m"  # the first byte of an answer
_LENGTH = struct.Struct("<Q")


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message with its length before it."""
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def received(stream: IO[bytes], most: int | None = None) -> bytes | None:
    """Read a message of so many bytes at the most; None where it is longer, or the stream ends before it does."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if most is not None and length > most:
        return None
    message = stream.read(length)
    return message if len(message) == length else None


def serve() -> None:
    """Answer until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    limit_memory()
    known: dict[str, ChatTemplate] = {}
    with Path(os.devnull).open("w") as nowhere:
        while (message := received(sys.stdin.buffer)) is not None:
            question: Question = pickle.loads(message)  # from the process that started this one
            faulthandler.dump_traceback_later(question[2], exit=True, file=nowhere)
            reply = answer(question, known)
            faulthandler.cancel_dump_traceback_later()
            send(sys.stdout.buffer, reply)


def limit_memory() -> None:
    """Let this process take no more memory than it has and ``MEMORY``, where the platform can tell both."""
    try:
        import resource

        has = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = has + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def answer(question: Question, known: dict[str, ChatTemplate]) -> bytes:
    """What a template says; ``known`` are those that are compiled already."""
    try:
        return ANSWERED + _answer(question, known)
    except MemoryError:
        known.clear()
        return TOO_LARGE
    except RenderError as error:
        if isinstance(error.__cause__, MemoryError):
            known.clear()
            return TOO_LARGE
        return REFUSED + str(error).encode("utf-8", "replace")
    except RecursionError as error:
        return REFUSED + f"the chat template is nested too deeply ({first_line(error)})".encode()


def _answer(question: Question, known: dict[str, ChatTemplate]) -> bytes:
    action, source, _seconds, variables, at = question
    if action == "argument_names":
        return json.dumps(arguments.argument_names(source)).encode()
    if source not in known:
        if len(known) >= MOST_KNOWN:
            known.clear()
        known[source] = ChatTemplate(source)
    template = known[source]
    template.forget()  # what it printed before came in another question, and does not come back
    if action == "names":
        return json.dumps(sorted(template.names)).encode()
    if action == "render":
        return template.render(variables, at).encode("utf-8", "surrogatepass")
    text = template.render_traced({name: _traced(value) for name, value in variables.items()}, at)
    return json.dumps([text, text.origins if isinstance(text, Traced) else None]).encode()


def _traced(value: Any) -> Any:
    """Messages and tools as they were before they came through the pipe, where strings lose their origin."""
    if isinstance(value, list):
        return [trace(item, item.path) if isinstance(item, TracedObject) else item for item in value]
    return value
