"""A chat template, run in a process of its own: it can neither hang this one nor fill it.

Templates are programs of strangers.  The sandbox of jinja is inside: this adds limits of time, memory and output.
"""

import json
import time
from functools import cached_property
from typing import Any, NoReturn

from analysis.render.confinement import ANSWERED, MEMORY, REFUSED, Action, Question
from analysis.render.errors import RenderError
from analysis.render.processes import Ended, OutOfTime, reply_of_any
from analysis.render.provenance import Traced

SECONDS = 10.0  # of the processor, for one render; ordinary ones take milliseconds
BUDGET = 60.0  # seconds of all renders of a check; ordinary ones take a tenth
REST = 60.0  # seconds until a template that was stopped is tried again


class ConfinedTemplate:
    """One chat template, with the methods of ``ChatTemplate``; every failure is a RenderError.

    A render may take ``SECONDS``, or ``seconds``, all of them together ``budget`` seconds where one is given.  Once the
    template was stopped, ``stopped`` says why, and nothing is rendered for a while: what hangs at one request of a log
    hangs at the others.
    """

    def __init__(
        self, source: str, seconds: float | None = None, budget: float | None = None, model: str | None = None
    ) -> None:
        """Nothing runs yet.  ``model`` is whose template it is, for its errors."""
        self._source = source
        self._seconds = SECONDS if seconds is None else seconds
        self._budget = self._left = budget
        self._title = "the chat template" if model is None else f"the chat template of {model}"
        self._resting: dict[bool, tuple[float, str]] = {}  # by whether it traced: until when, and why
        self.stopped: str | None = None

    def render(self, variables: dict[str, Any], at: float | None) -> str:
        """The rendered text; raise RenderError where the template refuses the request, or was stopped."""
        return self._asked("render", variables, at).decode("utf-8", "surrogatepass")

    def render_traced(self, variables: dict[str, Any], at: float | None) -> str:
        """The same with provenance; it takes longer, and where it was stopped for that, ``render`` still works."""
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
        traces = action == "render_traced"
        until, why = self._resting.get(traces, (0.0, ""))
        if time.monotonic() < until:
            raise RenderError(why)
        if self._left is not None and self._left <= 0:
            self._stop(traces, f"did not end within {self._budget:g} s and was stopped")
        most = self._seconds if self._left is None else min(self._seconds, self._left)
        began = time.monotonic()
        try:
            reply = reply_of_any(Question(action, self._source, most, variables or {}, at))
        except OutOfTime:
            limit = self._seconds if most == self._seconds else self._budget
            self._stop(traces, f"did not end within {limit:g} s and was stopped")
        except Ended as ended:
            self._stop(traces, str(ended))
        finally:
            if self._left is not None:
                self._left -= time.monotonic() - began
        if reply.startswith(ANSWERED):
            return reply[1:]
        if reply.startswith(REFUSED):
            raise RenderError(reply[1:].decode())
        self._stop(traces, f"needs more than {MEMORY >> 30} GB of memory and was stopped")

    def _stop(self, traces: bool, why: str) -> NoReturn:
        said = f"{self._title} {why}"
        self._resting[traces] = time.monotonic() + REST, said
        self.stopped = self.stopped if traces else said
        raise RenderError(said)
