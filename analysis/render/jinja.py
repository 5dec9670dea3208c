"""Chat templates, compiled once: the sandboxed environment that transformers uses, with a clock that can be stopped.

Templates are untrusted text and run in jinja's sandbox.
"""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

import jinja2
from jinja2 import meta, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.runtime import LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment

from analysis.render import provenance
from analysis.render.errors import RenderError, first_line

REMEMBERED_CHARACTERS = 8 << 20  # of dumps
OBJECT = 100  # as many characters as a small object counts for
DICT_ATTRIBUTES = frozenset(dir(dict))
LOOP_ATTRIBUTES = frozenset({"index", "index0", "revindex", "revindex0", "first", "last", "length", "depth", "depth0"})
REFUSES = "the chat template refuses the request: "


class GenerationTag(Extension):
    """``{% generation %}`` marks training targets and prints what is inside."""

    tags = {"generation"}  # noqa: RUF012  jinja's own declaration

    def parse(self, parser: Parser) -> nodes.Node:
        line = next(parser.stream).lineno
        body = parser.parse_statements(("name:endgeneration",), drop_needle=True)
        return nodes.CallBlock(self.call_method("_print"), [], [], body).set_lineno(line)

    def _print(self, caller: Callable[[], str]) -> str:
        return caller()


class PlainEnvironment(ImmutableSandboxedEnvironment):
    """The sandbox with a shorter way to what templates ask for most: a field of a JSON object, a loop's place.

    Neither can be unsafe: a field is data, and a loop has no public attribute that is.
    """

    def getattr(self, obj: Any, attribute: str) -> Any:
        """As the sandbox does, which first looks for a Python attribute and raises and catches where there is none."""
        if type(obj) is dict and attribute not in DICT_ATTRIBUTES:
            return obj[attribute] if attribute in obj else self.undefined(obj=obj, name=attribute)
        if type(obj) is LoopContext and attribute in LOOP_ATTRIBUTES:
            return getattr(obj, attribute)
        return super().getattr(obj, attribute)


class TracingEnvironment(ImmutableSandboxedEnvironment):
    """An environment whose output keeps the origin of its characters."""

    code_generator_class = provenance.TracingCodeGenerator
    concat = staticmethod(provenance.concat)


class ChatTemplate:
    """One chat template.  Objects that are printed again and again are dumped to JSON once."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._dumps: dict[int, tuple[Any, str]] = {}
        self._characters = 0  # of them
        self._plain = _compiled(PlainEnvironment, source, {"tojson": self._tojson})
        self._traced: jinja2.Template | None = None

    def render(self, variables: dict[str, Any], at: float | None) -> str:
        """The rendered text; raise RenderError where the template refuses the request."""
        return _rendered(self._plain, variables, at)

    def render_traced(self, variables: dict[str, Any], at: float | None) -> str:
        """The same with provenance; ``variables`` hold traced values."""
        if self._traced is None:
            self._traced = _compiled(TracingEnvironment, self._source, provenance.filters())
        return _rendered(self._traced, variables, at)

    @cached_property
    def names(self) -> frozenset[str]:
        """The variables and functions that the template reads and does not set itself."""
        parsed = ImmutableSandboxedEnvironment(extensions=[GenerationTag, loopcontrols]).parse(self._source)
        return frozenset(meta.find_undeclared_variables(parsed))

    def forget(self) -> None:
        """Forget the dumps of objects that do not come again."""
        self._dumps.clear()
        self._characters = 0

    def _tojson(self, value: Any, **options: Any) -> str:
        if options or not isinstance(value, dict | list):
            return json.dumps(value, **{"ensure_ascii": False, **options})
        known = self._dumps.get(id(value))
        if known is None:
            if self._characters >= REMEMBERED_CHARACTERS:
                self.forget()
            known = self._dumps[id(value)] = (value, json.dumps(value, ensure_ascii=False))
            self._characters += len(known[1]) + OBJECT
        return known[1]


def parsed(source: str) -> tuple[jinja2.Environment, nodes.Template]:
    """The template's syntax, and the environment that reads it; raise jinja2.TemplateError where it is no template."""
    made = _environment(ImmutableSandboxedEnvironment)
    return made, made.parse(source)


def _environment(environment: type[ImmutableSandboxedEnvironment]) -> ImmutableSandboxedEnvironment:
    return environment(trim_blocks=True, lstrip_blocks=True, extensions=[GenerationTag, loopcontrols])


def _compiled(
    environment: type[ImmutableSandboxedEnvironment], source: str, filters: dict[str, Callable[..., Any]]
) -> jinja2.Template:
    made = _environment(environment)
    made.filters.update(filters)
    made.globals["raise_exception"] = _raise
    try:
        return made.from_string(source)
    except jinja2.TemplateError as error:
        raise RenderError(f"the chat template cannot be compiled: {error}") from error
    except (SyntaxError, RecursionError, MemoryError) as error:  # of Python, for what is nested too deeply
        raise RenderError(f"the chat template cannot be compiled: {type(error).__name__}") from error


def _rendered(template: jinja2.Template, variables: dict[str, Any], at: float | None) -> str:
    moment = datetime.now(UTC) if at is None else datetime.fromtimestamp(at, UTC)
    try:
        return template.render(**variables, strftime_now=moment.strftime)
    except Exception as error:  # a template may raise anything; all of it means that it refuses this request
        raise RenderError(f"{REFUSES}{type(error).__name__}: {first_line(error)}") from error


def _raise(message: str) -> None:
    raise jinja2.TemplateError(message)
