"""What a report says, before anybody has decided how it looks or what of it leaves the house.

Every text that came out of a log is a quote; every other text is wording of ours, a figure or a code.  A report is
generic in what stands for quotes: ``Report[Quote]`` is for whoever owns the log, ``Report[Shown]`` is what leaves.
"""

from dataclasses import dataclass
from typing import Generic

from analysis.model.finding import Confidence
from analysis.report.case_document import CasePart
from analysis.report.figure_words import Figure
from analysis.report.quotes import Prose, Scope, V
from analysis.report.turn_document import TurnPart


@dataclass(frozen=True, slots=True)
class Finding(Generic[V]):
    """A cause over all turns of a session: ``tokens`` were computed again for it in ``turns``.

    ``evidence`` is that of its first turn and ``token`` where that leaves the turn before it, None where that is not
    the place of the cause; ``cost`` says the tokens, or how far they are known; ``origin`` whose doing it is, empty for
    what was meant and for a code that nobody is named for.
    """

    code: str
    words: str
    turns: tuple[int, ...]
    tokens: int
    deliberate: bool
    confidence: Confidence
    evidence: Prose[V]
    fix: Prose[V]
    cost: str
    origin: str
    token: int | None = None


@dataclass(frozen=True, slots=True)
class Step(Generic[V]):
    """A step of the fix plan, on top of those before it; ``worth`` says what it saves, or why that is not known."""

    code: str
    words: str
    turns: str
    tokens: str
    worth: Prose[V]
    fix: Prose[V]
    also: str


@dataclass(frozen=True, slots=True)
class Written(Generic[V]):
    """What a person wrote about a session: who, when and about which place, and in ``remark`` what became of that."""

    author: V
    at: str
    where: str
    remark: str
    text: V


@dataclass(frozen=True, slots=True)
class SessionPart(Generic[V]):
    """One session, told for whoever asks what happened, then for whoever has to change something."""

    number: int
    name: V
    source: V
    model: V
    log_format: str
    started: V | None
    verdict: str
    summary: str
    figures: tuple[Figure, ...]
    findings: tuple[Finding[V], ...]
    plan_total: str
    plan: tuple[Step[V], ...]
    turns: tuple[TurnPart[V], ...]
    block_size: int
    settings: tuple[tuple[str, str], ...]
    measured: tuple[str, ...]
    unreported: tuple[str, ...]
    reconciled: tuple[str, ...]
    problems: tuple[Prose[V], ...]
    columns_left_out: int = 0
    has_map: bool = True
    written: tuple[Written[V], ...] = ()


@dataclass(frozen=True, slots=True)
class Overview(Generic[V]):
    """One session of several in a row; ``detailed`` says that the report has a part for it.

    ``side`` is the set of a case that it belongs to, ``labels`` are those that people gave it.
    """

    number: int
    name: V
    verdict: str
    num_turns: int
    prompt_tokens: int
    hit_rate: float | None
    wasted_tokens: int | None
    top_cause: str
    detailed: bool
    side: str = ""
    labels: tuple[V, ...] = ()


@dataclass(frozen=True, slots=True)
class Report(Generic[V]):
    """A session, several as a fleet, or a case with its sessions.  ``released`` are the placeholders whose text was
    released one by one, ``kept`` the kinds of names that were let go.  ``rounding`` says once what concerns many turns.
    ``left_out`` is the number of sessions that were asked for and are not in it.
    """

    version: str
    scope: Scope
    case: CasePart[V] | None
    overview: tuple[Overview[V], ...]
    sessions: tuple[SessionPart[V], ...]
    problems: tuple[Prose[V], ...] = ()
    fleet: tuple[Figure, ...] = ()
    causes: tuple[tuple[str, str, int, int], ...] = ()
    released: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    rounding: str = ""
    left_out: int = 0
