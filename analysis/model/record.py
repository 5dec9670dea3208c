"""What is kept of an analysis: every figure and finding, and no request body.

This is what the store holds, the dashboard shows and the JSON contract carries, so the three cannot disagree.
"""

from dataclasses import dataclass, field

from analysis.model.evidence import Reconciliation
from analysis.model.finding import Account, BlockRun, Cause, Divergence, Donor, Note, Previous, TextComparison
from analysis.model.plan import PlanStep
from analysis.model.prompt import Fidelity, GeneratedBasis, Segment
from analysis.model.session import HEADLESS, CachedBasis, Mark, Problem, TokenIds
from analysis.model.settings import Settings


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One analysed turn.  All counts are tokens; None is unknown.  ``salt`` is a label such as "salt A".

    ``lineage``, ``client``, ``completeness`` and ``first_token_at`` are those of the log's Turn.  ``text`` compares a
    turn whose tokens are unknown with the one before it.
    """

    turn: int
    line: int
    request_id: str
    model: str
    salt: str | None
    started_at: float | None
    ended_at: float | None
    note: str | None
    prompt_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    cached_basis: CachedBasis
    fidelity: Fidelity | None
    generated_basis: GeneratedBasis
    lcp_tokens: int | None
    best_tokens: int | None
    reusable_tokens: int | None
    ideal_tokens: int | None
    donor: Donor | None
    previous: Previous | None
    account: Account | None
    divergence: Divergence | None
    block_runs: tuple[BlockRun, ...] = ()
    causes: tuple[Cause, ...] = ()
    notes: tuple[Note, ...] = ()
    lineage: str | None = None
    client: str | None = None
    completeness: frozenset[Mark] = frozenset()
    first_token_at: float | None = None
    text: TextComparison | None = None

    @property
    def is_headless(self) -> bool:
        """Whether its tokens are unknown and the log lacks what stands before its messages, or some of their text."""
        return self.fidelity is None and bool(self.completeness & HEADLESS)


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One analysed session.  ``full_ids`` holds per turn the prompt and reply tokens, None where they are unknown."""

    session_id: str
    source: str
    file: str
    log_format: str
    model: str
    inferred: bool
    settings: Settings
    turns: tuple[TurnRecord, ...]
    problems: tuple[Problem, ...] = ()
    reconciliation: Reconciliation | None = None
    plan: tuple[PlanStep, ...] = ()
    full_ids: tuple[TokenIds | None, ...] = field(default=(), compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class SessionFigures:
    """A session in one row: sums over its turns, in tokens.

    ``cached_tokens`` and ``known_prompt_tokens`` count only the turns whose cached tokens the server reported.
    ``costliest`` is the divergence after which most tokens were lost: its turn and the message field it stands in.
    ``missed_tokens`` and ``lost_tokens`` leave out turns with a deliberate event.  ``top_cause`` is the code that
    explains most wasted tokens.  ``text_turns`` were compared by text alone; ``text_changes`` of them change what was
    sent before, ``text_meant`` more on purpose.  ``text_turn`` is the change that leaves most characters behind it.
    ``text_replies`` only sent the last reply in another form.  ``headless_turns`` no renderer can give tokens;
    ``short_turns`` have none and reused far less than the counts of the turn before allow.
    """

    num_turns: int
    num_divergences: int
    prompt_tokens: int
    known_turns: int
    known_prompt_tokens: int
    cached_tokens: int
    reusable_tokens: int
    missed_tokens: int
    lost_tokens: int
    unknown_turns: int
    mismatched_turns: int
    costliest_turn: int | None = None
    costliest_segment: Segment | None = None
    top_cause: str | None = None
    text_turns: int = 0
    text_changes: int = 0
    text_meant: int = 0
    text_turn: int | None = None
    text_segment: Segment | None = None
    text_replies: int = 0
    headless_turns: int = 0
    short_turns: tuple[int, ...] = ()

    @property
    def is_measured(self) -> bool:
        """Whether any turn has tokens that can be trusted: sums over others say nothing."""
        return self.unknown_turns + self.mismatched_turns < self.num_turns

    @property
    def wasted_tokens(self) -> int:
        """Computed although the server had seen them: missed and lost."""
        return self.missed_tokens + self.lost_tokens

    @property
    def hit_rate(self) -> float | None:
        """Cached over prompt tokens, over the turns whose cached tokens are known; None where there is none."""
        return self.cached_tokens / self.known_prompt_tokens if self.known_prompt_tokens else None
