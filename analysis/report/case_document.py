"""What a report says of a case: what people wrote and pinned, and before held against after."""

from dataclasses import dataclass
from typing import Generic

from analysis.report.quotes import Prose, V


@dataclass(frozen=True, slots=True)
class Pinned(Generic[V]):
    """A finding that a person pinned to a case.

    ``session`` is the number of its session in the report, None where the case is without it; ``is_found`` says whether
    the present analysis finds it in that turn.
    """

    code: str
    words: str
    session: int | None
    name: V | None
    turn: int
    tokens: int | None
    evidence: Prose[V]
    is_found: bool
    author: V
    at: str


@dataclass(frozen=True, slots=True)
class Shift(Generic[V]):
    """A figure of two sets as text; ``what`` names it, ``code`` is the cause's where it is one."""

    what: Prose[V]
    before: str
    after: str
    change: str
    code: str = ""


@dataclass(frozen=True, slots=True)
class BeforeAfter(Generic[V]):
    """Two sets of sessions held against each other: how large each is, and the settings that differ.

    ``more_causes`` and ``more_sessions`` moved as well, and are left out.
    """

    sizes: tuple[str, str]
    measures: tuple[Shift[V], ...]
    causes: tuple[Shift[V], ...]
    sessions: tuple[Shift[V], ...]
    differing: tuple[Prose[V], ...]
    more_causes: int
    more_sessions: int


@dataclass(frozen=True, slots=True)
class CasePart(Generic[V]):
    """A case: what people wrote about it, the findings they pinned, in their order, and before against after.

    ``author`` and ``at`` are those of its present state.
    """

    title: V
    ticket: V | None
    customer: V | None
    narrative: V | None
    author: V
    at: str
    pinned: tuple[Pinned[V], ...]
    before_and_after: BeforeAfter[V] | None
