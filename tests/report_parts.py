"""What tests ask of a report: its parts of one kind, wherever they stand."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

T = TypeVar("T")


def every(value: Any, kind: type[T]) -> Iterator[T]:
    """All values of a kind within a report, in its order."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, tuple):
        for one in value:
            yield from every(one, kind)
    elif is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from every(getattr(value, one.name), kind)
