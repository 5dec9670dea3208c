"""What a report says of one turn: where it leaves the turn before it, why, and the tokens around."""

from dataclasses import dataclass
from typing import Generic

from analysis.model.finding import Account, BlockRun, Confidence
from analysis.model.session import CachedBasis
from analysis.report.quotes import Prose, V


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
