"""What is known of the time between two turns, and of a whole server history: the ground on which a gap is read."""

from dataclasses import dataclass

from analysis.model.evidence import Counters
from analysis.model.settings import Settings


@dataclass(frozen=True, slots=True)
class Gap:
    """The facts around one turn.  Token counts are tokens; None is unknown.

    ``unlimited_tokens`` is what requests with the same keys left, ``kept_tokens`` what of it the pool has kept,
    ``predicted_tokens`` what of that the windows and drafting let the server use.  ``idle_seconds`` is the time since
    the previous turn ended, in which ``other_requests`` with ``other_tokens`` prompt tokens were sent.  ``evicted_by``
    names the requests that took the missing blocks, the latest first.  ``removed_blocks`` of the ``missing_blocks``
    were announced as removed, None where no event tells of them; ``cleared`` says that the whole cache was.
    ``blocks_needed`` is the smallest pool that would have kept all ``unlimited_tokens`` of this turn.
    ``media_placed``: the tokens of all images are known, so ``unlimited_tokens`` ends at one that differs.
    ``older_turn`` is a turn of the session before the previous one whose common prefix the hit equals;
    ``last_request_tokens`` is the prefix shared with whatever request of another session came last.
    """

    unlimited_tokens: int
    kept_tokens: int
    predicted_tokens: int
    overlaps: bool = False
    idle_seconds: float | None = None
    other_requests: int = 0
    other_tokens: int = 0
    evicted_by: tuple[str, ...] = ()
    missing_blocks: int = 0
    removed_blocks: int | None = None
    cleared: bool = False
    blocks_needed: int | None = None
    media_placed: bool = True
    older_turn: int | None = None
    last_request_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class SourceFacts:
    """What only the whole history of a server shows.

    ``all_zero``: not one of several turns that could reuse was served a cached token.  ``unit`` is the number that
    every hit is a multiple of, where it is far above the block size.  ``short_by_block``: every hit is exactly one
    block short.  ``only_prompts_kept``: every hit ends with the previous prompt, never in its reply.  ``dropped_at``
    are instants (seconds) from which every session that went on started at 0 again.  ``outside_tokens`` are prompt
    tokens that the server was asked for beyond those of this log, None where its counters do not tell.
    ``never_cached`` are models of which several turns say what was cached, and none of them a token, their own tokens
    known or not.
    """

    settings: Settings
    all_zero: bool = False
    unit: int | None = None
    short_by_block: bool = False
    only_prompts_kept: bool = False
    dropped_at: tuple[float, ...] = ()
    counters: Counters | None = None
    outside_tokens: int | None = None
    never_cached: frozenset[str] = frozenset()
