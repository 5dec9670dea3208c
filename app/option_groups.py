"""The options that several commands take together, each group declared once.

A command that takes ``asked``, one of these groups, is called with every field of it as an option of its own: what
``spread`` does.
"""

import inspect
from collections.abc import Callable, Container
from dataclasses import dataclass, fields
from functools import wraps
from typing import Any, get_type_hints

from app import options


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderOptions:
    """Who turns requests into tokens, and how many tokens a block has."""

    model: options.Model = None
    endpoint: options.Endpoint = None
    allow_generation: options.Generate = False
    block_size: options.BlockSize = None
    normalise: options.Normalise = "vllm"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogOptions(RenderOptions):
    """How logs are read, and what the server was like that they tell of."""

    log_format: options.LogFormat = None
    same_server: options.SameServer = False
    blocks: options.Blocks = None
    window: options.Window = None
    retention: options.Retention = None
    spec_decode: options.SpecDecode = False
    dcp: options.Dcp = 1
    server_info: options.ServerInfo = None
    metrics: options.Metrics = None
    kv_events: options.KvEvents = None


def spread(without: Container[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Make the fields of a command's parameter ``asked`` options in its place, but for those it does ``without``."""

    def spread_command(command: Callable[..., None]) -> Callable[..., None]:
        declared = inspect.signature(command).parameters
        group = declared["asked"].annotation
        taken = [option for option in _options(group) if option.name not in without]

        @wraps(command)
        def called(**given: Any) -> None:
            asked = group(**{option.name: given.pop(option.name) for option in taken})
            command(**given, asked=asked)

        parameters = [one for own in declared.values() for one in (taken if own.name == "asked" else [own])]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        return called

    return spread_command


def _options(group: type[RenderOptions]) -> list[inspect.Parameter]:
    declared = get_type_hints(group, include_extras=True)
    return [
        inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=declared[one.name])
        for one in fields(group)
    ]
