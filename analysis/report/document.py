"""What a report says, before anybody has decided how it looks or what of it leaves the house.

Every text that came out of a log is a ``Quote``; every other text is wording of ours, a figure or a code.  A report is
generic in what stands for quotes: ``Report[Quote]`` is for whoever owns the log, ``Report[Shown]`` is what leaves.
"""

from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from analysis.model.finding import Account, BlockRun, Confidence
from analysis.model.session import CachedBasis
from analysis.report.figure_words import Figure

QuoteKind = Literal["value", "name", "time", "offset", "token"]
Scope = Literal["everything", "secrets", "nothing"]


@dataclass(frozen=True, slots=True)
class Quote:
    """A text out of a log.  ``path`` names the field it stood in, for a ``name`` what it names: session, tool, model.

    ``form`` is the form of its class, such as ``HH:MM:SS (+5 s)``; ``num_tokens`` its length where it is known in
    tokens.  ``cut`` says that it is the beginning or a piece of the field.
    """

    text: str
    path: str
    kind: QuoteKind = "value"
    form: str | None = None
    num_tokens: int | None = None
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Placeholder:
    """What stands in place of a quote; holds nothing of it."""

    text: str


@dataclass(frozen=True, slots=True)
class Released:
    """A text that leaves: somebody released it, or a narrower scope than everything left it in.

    ``plain``: it is a number in a sentence, and no value to be set apart.
    """

    text: str
    plain: bool = False


Shown = Placeholder | Released
V = TypeVar("V", Quote, Shown)
Prose = tuple[str | V, ...]  # words of ours and, between them, what stands for quotes


@dataclass(frozen=True, slots=True)
class Box(Generic[V]):
    """One token by its 0-based position; ``text`` is empty where tokens do not leave.

    ``token_id`` is None where ids do not leave or are not known.
    """

    position: int
    differs: bool
    generated: bool
    text: V
    token_id: V


@dataclass(frozen=True, slots=True)
class Column(Generic[V]):
    """Consecutive tokens of one turn."""

    turn: int
    boxes: tuple[Box[V], ...]


@dataclass(frozen=True, slots=True)
class Change(Generic[V]):
    """Where a turn leaves the turn before it.

    ``old`` and ``new`` are the spans that differ there, None where they are not known; ``columns`` the tokens around.
    """

    token: int
    block: int
    against: int | None
    place: Prose[V]
    fields: str
    old: V | None
    new: V | None
    columns: tuple[Column[V], ...] = ()


@dataclass(frozen=True, slots=True)
class TextChange(Generic[V]):
    """A turn without tokens beside the one before it, by text: where it parts, and how much comes again unchanged.

    ``old`` and ``new`` begin where the texts part; None where the request only goes on.
    """

    previous: int
    place: Prose[V]
    equal: str
    old: V | None
    new: V | None


@dataclass(frozen=True, slots=True)
class Reason(Generic[V]):
    """A cause of one turn.  ``tokens`` are those it owns, ``recovers`` those its fix saves there; None is unknown."""

    code: str
    words: str
    confidence: Confidence
    field: str
    tokens: int | None
    recovers: int | None
    evidence: Prose[V]
    fix: Prose[V]
    hidden: bool
    deliberate: bool


@dataclass(frozen=True, slots=True)
class TurnPart(Generic[V]):
    """One turn.  Counts are tokens, None is unknown; ``after`` is seconds since the session's first turn.

    ``by_text`` stands for ``change`` where the tokens are unknown.  ``lacks`` says what the log lacks of the request.
    """

    turn: int
    request: V
    model: V
    after: float | None
    prompt_tokens: int | None
    cached_tokens: int | None
    cached_basis: CachedBasis
    reusable_tokens: int | None
    account: Account | None
    in_reply: bool
    fidelity: str
    salt: str | None
    donor: Prose[V]
    runs: tuple[BlockRun, ...]
    change: Change[V] | None
    by_text: TextChange[V] | None
    lineage: V | None
    client: V | None
    lacks: str
    reasons: tuple[Reason[V], ...]
    notes: tuple[tuple[str, Prose[V]], ...]
    remark: V | None

    @property
    def tells_more(self) -> bool:
        """Whether there is more to say of the turn than its row in a table."""
        parted = self.by_text is not None and self.by_text.old != self.by_text.new
        return bool(self.change or self.reasons or self.donor or parted)


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
