"""Named explanations: one module per family, asked in the order of this tuple.

So far the families of what no token shows: blocks that were there to reuse and were not.  The order is that of
decision: whether the cache was read at all, then what the requests say, then what the server says, then what only a
pattern says.  A turn has the best proven cause first.  Tokens are owned once: a cause has those that the ones before
it left, so a runner-up for the same tokens has none.
"""

from collections.abc import Iterable
from dataclasses import replace

from analysis.causes import capacity, counts, disabled, granularity, hybrid, keys, lifecycle, measurement, routing
from analysis.causes.base import Evidence, Family, cause
from analysis.model.finding import UNEXPLAINED, Cause, Confidence, Note

FAMILIES: tuple[Family, ...] = (disabled, keys, lifecycle, hybrid, capacity, routing, counts, measurement, granularity)
RANK: dict[Confidence, int] = {"certain": 0, "likely": 1, "possible": 2}


def explain(evidence: Evidence) -> tuple[tuple[Cause, ...], tuple[Note, ...]]:
    """What all families say of a turn: causes, the best proven first, and notes.

    Where the tokens are wrong nothing is concluded from them: only the notes stand.
    """
    said = [finding for family in FAMILIES for finding in family.explain(evidence)]
    causes = sorted(
        (finding for finding in said if isinstance(finding, Cause)), key=lambda cause: RANK[cause.confidence]
    )
    notes = tuple(finding for finding in said if isinstance(finding, Note))
    if evidence.now.fidelity == "mismatch":
        return (), notes
    if evidence.now.full_ids is None:
        return tuple(causes), notes
    certain = _owned((cause for cause in causes if cause.confidence == "certain"), evidence.missed)
    left = evidence.missed - sum(cause.tokens for cause in certain)
    if certain and not left:
        return certain, notes
    others = [cause for cause in causes if cause.confidence != "certain"]
    if left and not others:
        others = [_unexplained(evidence, left)]
    return (*certain, *_owned(others[:2], left)), notes


def _owned(causes: Iterable[Cause], missed: int) -> tuple[Cause, ...]:
    """The causes with the tokens that those before them leave."""
    owned = []
    for one in causes:
        owned.append(replace(one, tokens=min(one.tokens, missed)))
        missed -= owned[-1].tokens
    return tuple(owned)


def _unexplained(evidence: Evidence, tokens: int) -> Cause:
    """The raw facts, where no family has anything to say."""
    facts = f"{tokens:,} tokens were there to reuse and were not, {evidence.cached:,} were cached"
    gap = evidence.gap
    if gap is not None and gap.idle_seconds is not None:
        others = f"{gap.other_requests:,}" if gap.other_requests else "no"
        facts += f", {gap.idle_seconds:,.0f} s after the previous turn with {others} other requests in the log"
    decides = "what decides: KV cache events, or which replica served the turn"
    fix = "Log the server's KV cache events and the replica of every request."
    return cause(UNEXPLAINED, "possible", tokens, f"{facts}; {decides}", fix)
