"""The inside of the process that runs chat templates: little memory, a time limit, nothing else to do.

It reads questions from stdin and answers on stdout until nobody asks any more.  A question that takes too long ends the
process.  Messages and tools are kept under the numbers that they came with: a session that grows sends each of them
once.
"""

import faulthandler
import json
import pickle
import signal
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, Literal, NamedTuple

from analysis.render import arguments, provenance
from analysis.render.errors import RenderError, first_line
from analysis.render.jinja import ChatTemplate
from analysis.render.provenance import Traced

Action = Literal["render", "render_traced", "names", "argument_names"]
MEMORY = 1 << 30  # bytes beyond what the process has when it starts
MOST_KNOWN = 8  # templates that stay compiled
BLOCK = 1 << 14  # bytes that are compared at once
ANSWERED, REFUSED, TOO_LARGE = b"a", b"r", b"m"  # the first byte of an answer
_LENGTH = struct.Struct("<Q")


class Question(NamedTuple):
    """One thing to ask of a template, which may take so many ``seconds``.

    ``lists`` are the variables that hold messages or tools, by number; ``new`` are those that were not sent before,
    pickled.  Where it ``forgets``, no number means what it meant before.  Lists that are sent as plain ``variables``
    are not traced.
    """

    action: Action
    source: str
    seconds: float
    variables: Mapping[str, Any]
    at: float | None
    lists: Mapping[str, Sequence[int]] = MappingProxyType({})
    new: Mapping[int, bytes] = MappingProxyType({})
    forgets: bool = False


@dataclass(slots=True)
class Kept:
    """What stays from question to question: compiled templates by their text, messages and tools by their number."""

    templates: dict[str, ChatTemplate] = field(default_factory=dict)
    objects: dict[int, Any] = field(default_factory=dict)

    def template(self, source: str) -> ChatTemplate:
        """A template, compiled now or before.  Raise RenderError where it is none."""
        if source not in self.templates:
            if len(self.templates) >= MOST_KNOWN:
                self.templates.clear()
            self.templates[source] = ChatTemplate(source)
        return self.templates[source]

    def variables(self, question: Question) -> dict[str, Any]:
        """All variables of a question; what is new in it is kept."""
        if question.forgets:
            self.objects.clear()
            for template in self.templates.values():
                template.forget()
        self.objects.update((number, pickle.loads(dump)) for number, dump in question.new.items())
        listed = {name: [self.objects[number] for number in numbers] for name, numbers in question.lists.items()}
        return {**question.variables, **listed}


def send(stream: IO[bytes], message: bytes) -> None:
    """Write a message with its length before it."""
    stream.write(_LENGTH.pack(len(message)))
    stream.write(message)
    stream.flush()


def received(stream: IO[bytes], most: float = inf) -> bytes | None:
    """Read a message; None where the stream ends before it does.  Raise OverflowError where it has more bytes."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (length,) = _LENGTH.unpack(head)
    if length > most:
        raise OverflowError(length)
    message = stream.read(length)
    return message if len(message) == length else None


def send_after(stream: IO[bytes], last: bytes, message: bytes) -> None:
    """Write a message as what it shares with the one before it, and the rest: the prompts of a session grow."""
    start = _shared(last, message)
    stream.write(_LENGTH.pack(start))
    send(stream, message[start:])


def received_after(stream: IO[bytes], last: bytes, most: int) -> bytes | None:
    """Read what was written so; as ``received``."""
    head = stream.read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    (start,) = _LENGTH.unpack(head)
    rest = received(stream, most - start)
    return None if rest is None else last[:start] + rest


def serve() -> None:
    """Answer until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that asks
    limit_memory()
    kept, last = Kept(), b""
    while (message := received(sys.stdin.buffer)) is not None:
        question = Question(*pickle.loads(message))  # from the process that started this one
        with limited_to(question.seconds):
            reply = answer(question, kept)
        send_after(sys.stdout.buffer, last, reply)
        last = reply


@contextmanager
def limited_to(seconds: float) -> Iterator[None]:
    """End this process where what is done inside takes longer, whatever it is busy with.

    Seconds are those of the processor, as a machine may have much else to do; elsewhere those of a clock.
    """
    if not hasattr(signal, "setitimer"):  # a thread of C watches, which takes longer to start
        faulthandler.dump_traceback_later(seconds, exit=True, file=sys.stderr)
        yield
        faulthandler.cancel_dump_traceback_later()
        return
    signal.setitimer(signal.ITIMER_PROF, seconds)  # SIGPROF ends a process that does not handle it
    yield
    signal.setitimer(signal.ITIMER_PROF, 0)


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


def answer(question: Question, kept: Kept) -> bytes:
    """What a template says.  After ``TOO_LARGE`` nothing more is asked of this process."""
    try:
        return ANSWERED + _answer(question, kept)
    except MemoryError:
        return TOO_LARGE
    except RenderError as error:
        if isinstance(error.__cause__, MemoryError):
            return TOO_LARGE
        return REFUSED + str(error).encode("utf-8", "replace")
    except RecursionError as error:
        return REFUSED + f"the chat template is nested too deeply ({first_line(error)})".encode()


def _shared(last: bytes, message: bytes) -> int:
    """How many bytes two messages begin with alike, in whole blocks where they differ."""
    for start in range(0, min(len(last), len(message)), BLOCK):
        if last[start : start + BLOCK] != message[start : start + BLOCK]:
            return start
    return min(len(last), len(message))


def _answer(question: Question, kept: Kept) -> bytes:
    variables = kept.variables(question)  # before all that can be refused: the numbers count as known from now on
    if question.action == "argument_names":
        return json.dumps(arguments.argument_names(question.source)).encode()
    template = kept.template(question.source)
    if question.action == "names":
        return json.dumps(sorted(template.names)).encode()
    if question.action == "render":
        return template.render(variables, question.at).encode("utf-8", "surrogatepass")
    traced = {name: provenance.trace_items(name, variables[name]) for name in question.lists}
    text = template.render_traced({**variables, **traced}, question.at)
    return json.dumps([text, text.origins if isinstance(text, Traced) else None]).encode()
