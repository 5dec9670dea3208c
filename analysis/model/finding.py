"""What the analysis says: divergence, token account, causes, and the analysed turn and session that carry them."""

from dataclasses import dataclass
from typing import Literal

from analysis.model.evidence import Reconciliation
from analysis.model.plan import PlanStep
from analysis.model.prompt import Fidelity, GeneratedBasis, Segment, SegmentBasis
from analysis.model.session import Problem, Session, TokenIds, Turn
from analysis.model.settings import Settings

PartName = Literal["cached", "missed", "unreported", "rounding", "lost", "new"]
BlockState = Literal["reused", "diverged", "lost", "new", "tail", "missed", "unreported"]
Confidence = Literal["certain", "likely", "possible"]

UNEXPLAINED = "unexplained"  # the code of what no family of causes can say

BLOCK_STATES: tuple[BlockState, ...] = ("reused", "diverged", "lost", "new", "tail", "missed", "unreported")


@dataclass(frozen=True, slots=True)
class Part:
    """Prompt tokens ``[start, stop)`` that the account books under one name."""

    start: int
    stop: int
    name: PartName


@dataclass(frozen=True, slots=True)
class BlockRun:
    """Blocks ``[start, stop)`` of one prompt that are in one state."""

    start: int
    stop: int
    state: BlockState


@dataclass(frozen=True, slots=True)
class Account:
    """The token account of one turn, in tokens.  The parts that are not None add up to the prompt.

    Where the server did not say ``cached_tokens``, ``cached`` and ``missed`` are None and ``reusable_unreported``
    stands for both.  ``beyond_prediction`` is what the server reused beyond anything in the log.
    """

    cached: int | None
    missed: int | None
    rounding: int
    lost: int
    new: int
    reusable_unreported: int | None
    beyond_prediction: int


@dataclass(frozen=True, slots=True)
class Divergence:
    """The first token where a prompt leaves the prompt and reply of the session's previous turn.

    ``token`` and ``block`` are 0-based indices into the prompt.  Segments and texts are None where no tokenizer
    was at hand; ``before``, ``old`` and ``new`` are decoded, untrusted text.
    """

    token: int
    block: int
    segment: Segment | None = None
    previous_segment: Segment | None = None
    segment_basis: SegmentBasis | None = None
    before: str | None = None
    old: str | None = None
    new: str | None = None


@dataclass(frozen=True, slots=True)
class TextDivergence:
    """The first character where a request leaves the text of the one before it; ``old`` and ``new`` are what follows.

    ``before`` is the text in front of it.  All of it is untrusted and cut to what a person reads.
    """

    segment: Segment
    previous_segment: Segment
    before: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class TextComparison:
    """A request beside the one before it, by text alone: approximate, in messages and characters, never in tokens.

    ``previous`` is that turn's number.  The system message, the tools, the messages and the reply are taken in this
    order, which is that of most templates.  ``equal_messages`` leading messages and ``equal_chars`` of the
    ``previous_chars`` characters of the earlier request and its reply come again unchanged.  ``divergence`` is None
    where the request only goes on.
    """

    previous: int
    equal_messages: int
    equal_chars: int
    previous_chars: int
    divergence: TextDivergence | None = None


@dataclass(frozen=True, slots=True)
class Donor:
    """The earlier request whose blocks this turn could reuse most; ``lcp_tokens`` is the common prefix with it."""

    session_id: str
    turn: int
    lcp_tokens: int


@dataclass(frozen=True, slots=True)
class Previous:
    """The session's previous turn, and how many leading tokens its prompt and reply share with this prompt."""

    turn: int
    lcp_tokens: int


@dataclass(frozen=True, slots=True)
class Cause:
    """A named explanation of lost or missed tokens with the evidence that a reader can check.

    ``tokens`` is None where the turn was compared by text alone.
    """

    code: str
    confidence: Confidence
    segment: str | None
    tokens: int | None
    recovers: int | None
    evidence: str
    fix: str
    hidden: bool = False
    deliberate: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """Something a reader should know that is no cause: a measurement gap, a rounding."""

    code: str
    evidence: str


@dataclass(frozen=True, slots=True, eq=False)
class TurnAnalysis:
    """One turn, explained.  Token figures are None where the tokens are unknown; then ``text`` compares it by text.

    ``full_ids`` are the ids that this turn left in the cache (prompt and generated without the last one);
    its first ``prompt_tokens`` are the prompt.  ``parts`` cover the prompt without gaps.
    """

    turn: Turn
    prompt_tokens: int | None
    full_ids: TokenIds | None = None
    fidelity: Fidelity | None = None
    generated_basis: GeneratedBasis = "unknown"
    lcp_tokens: int | None = None
    best_tokens: int | None = None
    reusable_tokens: int | None = None
    ideal_tokens: int | None = None
    donor: Donor | None = None
    previous: Previous | None = None
    parts: tuple[Part, ...] = ()
    account: Account | None = None
    divergence: Divergence | None = None
    causes: tuple[Cause, ...] = ()
    notes: tuple[Note, ...] = ()
    text: TextComparison | None = None


@dataclass(frozen=True, slots=True, eq=False)
class SessionAnalysis:
    """One session, explained turn by turn; ``reconciliation`` is that of the whole server history it is part of.

    ``plan`` are the fixes of the session in their order, each on top of those before it.
    """

    session: Session
    settings: Settings
    turns: tuple[TurnAnalysis, ...]
    problems: tuple[Problem, ...] = ()
    reconciliation: Reconciliation | None = None
    plan: tuple[PlanStep, ...] = ()
