"""Which two sets of sessions are held against each other, and the query of the address that says so.

Each side is asked for with the filters of the Sessions page, their names behind ``a.`` and ``b.``; a link to the page
is the comparison.  What cannot be meant is left out, never an error.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import get_args

from analysis.model import annotation
from app.desk_address import LONGEST, Asked, Params, asked_in, keys_in, known_zone, params_of

KINDS = {
    "day": "Before and after a day",
    "model": "Models",
    "client": "Client versions",
    "label": "Labels",
    "source": "Logs",
    "own": "Filters of my own",
}
MOST_KEYS = 500  # sessions that an address names one by one
_SIDES = ("a", "b")
_NOT_OF_A_SIDE = ("order", "zone", "look", "by", "compare")  # what the list of sessions is asked for besides


@dataclass(frozen=True, slots=True)
class OfCase:
    """The sessions that stand for before, or for after, in a case; ``key`` is that of the case."""

    key: int
    side: annotation.Side


@dataclass(frozen=True, slots=True)
class Side:
    """One set: the sessions that pass the filters, of ``keys`` or of a case if it names any; or a baseline ``file``."""

    asked: Asked = field(default_factory=Asked)
    keys: tuple[int, ...] = ()
    case: OfCase | None = None
    file: str = ""

    @property
    def is_narrowed(self) -> bool:
        """Whether it asks for anything but all sessions."""
        return bool(self.asked.filters or self.asked.q or self.names_sessions or self.file)

    @property
    def names_sessions(self) -> bool:
        """Whether it asks for certain sessions, by themselves or by their case."""
        return bool(self.keys) or self.case is not None


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sets, what tells them apart, the time zone of their days, and whether common sessions are left out."""

    a: Side = field(default_factory=Side)
    b: Side = field(default_factory=Side)
    by: str = "day"
    zone: str | None = None
    apart: bool = False

    @property
    def sides(self) -> tuple[Side, Side]:
        """Both sets in their order."""
        return self.a, self.b


def pair_in(params: Mapping[str, Sequence[str]]) -> Pair:
    """What an address asks for."""
    by, zone, apart = (_last(params, name) for name in ("by", "zone", "apart"))
    first, second = (_side_in(params, f"{name}.") for name in _SIDES)
    return Pair(first, second, by if by in KINDS else "day", known_zone(zone), apart == "1")


def _side_in(params: Mapping[str, Sequence[str]], prefix: str) -> Side:
    mine = {name.removeprefix(prefix): list(values) for name, values in params.items() if name.startswith(prefix)}
    keys = keys_in(_last(mine, "keys").split(","))
    case, file = _case_in(_last(mine, "case")), _last(mine, "file")[:LONGEST]
    return Side(_only_filters(asked_in(mine)), tuple(keys)[:MOST_KEYS], case, file)


def _case_in(text: str) -> OfCase | None:
    """A side of a case, as "3-before"."""
    number, _, name = text.partition("-")
    keys = list(keys_in([number]))
    return next((OfCase(keys[0], side) for side in get_args(annotation.Side) if keys and side == name), None)


def _last(params: Mapping[str, Sequence[str]], name: str) -> str:
    return (list(params.get(name, ())) or [""])[-1]


def params_of_pair(pair: Pair) -> Params:
    """The query that asks for this; what is as it is at first is not in it."""
    found: Params = {}
    for name, side in zip(_SIDES, pair.sides, strict=True):
        found |= {f"{name}.{key}": values for key, values in params_of(side.asked).items()}
        if side.keys:
            found[f"{name}.keys"] = [",".join(map(str, side.keys))]
        if side.case is not None:
            found[f"{name}.case"] = [f"{side.case.key}-{side.case.side}"]
        if side.file:
            found[f"{name}.file"] = [side.file]
    if pair.by != Pair().by:
        found["by"] = [pair.by]
    if pair.zone:
        found["zone"] = [pair.zone]
    if pair.apart:
        found["apart"] = ["1"]
    return found


def _only_filters(asked: Asked) -> Asked:
    """What a list of sessions is narrowed by, without its order, its look and what is compared in it."""
    blank = Asked()
    return replace(asked, **{name: getattr(blank, name) for name in _NOT_OF_A_SIDE})


def held_up(asked: Asked) -> Pair:
    """What the list of sessions shows as set A, and as B what it is best held against: the days before, or all others.

    Without a filter there is nothing to hold up.
    """
    first = _only_filters(asked)
    if not Side(first).is_narrowed:
        return Pair(zone=asked.zone)
    by = next((name for name in ("client", "model", "label", "source") if getattr(first, name)), "own")
    second = without(first, by) if by != "own" else Asked()
    if first.since is not None:
        by, second = "own", replace(first, since=None, until=first.since - timedelta(days=1))
    elif first.until is not None:
        by, second = "own", replace(first, since=first.until + timedelta(days=1), until=None)
    return Pair(Side(first), Side(second), by, asked.zone, apart=True)


def without(asked: Asked, by: str) -> Asked:
    """The same without the filter that tells the sets apart."""
    blank = Asked()
    names = {"day": ("since", "until"), "own": ()}.get(by, (by,))
    return replace(asked, **{name: getattr(blank, name) for name in names})
