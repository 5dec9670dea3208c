"""Named explanations: one module per family, asked in the order of these tuples.

What the tokens show comes from changes of the request (``CHANGES``) and, where none explains it, from the text at the
divergence (``TEXTS``); what no token shows (``INVISIBLE``) is about blocks that were there to reuse and were not.
There the order is that of decision: whether the cache was read at all, then what the requests say, then what the
server says, then what only a pattern says; a turn has the best proven cause first.  Missed tokens lie before lost
ones, so the causes of a turn stand in the order of its prompt.  Tokens are owned once: a cause has those that the ones
before it left, so a runner-up for the same tokens has none.
"""

from collections.abc import Iterable
from dataclasses import replace

from analysis.causes import (
    args,
    capacity,
    client,
    counts,
    disabled,
    granularity,
    head,
    hybrid,
    keys,
    lifecycle,
    measurement,
    routing,
    structure,
    template,
    tokenisation,
    tools,
)
from analysis.causes.base import Evidence, Family, cause
from analysis.causes.by_text import by_text
from analysis.causes.comparison import ChangeFamily, TextFamily
from analysis.causes.visible import visible
from analysis.model.finding import UNEXPLAINED, Cause, Confidence, Note

CHANGES: tuple[ChangeFamily, ...] = (structure, head, tools, client, args)
TEXTS: tuple[TextFamily, ...] = (tokenisation, head, args, client, template)
INVISIBLE: tuple[Family, ...] = (disabled, keys, lifecycle, hybrid, capacity, routing, counts, measurement, granularity)
RANK: dict[Confidence, int] = {"certain": 0, "likely": 1, "possible": 2}


def explain(evidence: Evidence) -> tuple[tuple[Cause, ...], tuple[Note, ...]]:
    """What all families say of a turn: causes in the order of the prompt, and notes.

    Where the tokens are wrong nothing is concluded from them but that the server cut the prompt: only the notes stand.
    """
    missed, notes = _missed(evidence)
    text, comparison = evidence.now.text, evidence.comparison
    if text is not None and comparison is not None:
        lost = by_text(comparison, text.divergence, CHANGES)
    else:
        lost = visible(evidence, CHANGES, TEXTS)
    felt = any(cause.tokens for cause in missed)
    return (*missed, *(replace(cause, hidden=cause.hidden or felt) for cause in lost)), notes


def _missed(evidence: Evidence) -> tuple[tuple[Cause, ...], tuple[Note, ...]]:
    """What the families of the invisible say: causes, the best proven first, and notes."""
    said = [finding for family in INVISIBLE for finding in family.explain(evidence)]
    causes = sorted(
        (finding for finding in said if isinstance(finding, Cause)), key=lambda cause: RANK[cause.confidence]
    )
    notes = tuple(finding for finding in said if isinstance(finding, Note))
    if evidence.now.fidelity == "mismatch":
        return (), notes
    if evidence.now.full_ids is None:
        return tuple(causes), notes
    certain = _owned((cause for cause in causes if cause.confidence == "certain"), evidence.missed)
    left = evidence.missed - sum(cause.tokens or 0 for cause in certain)
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
        tokens = min(one.tokens or 0, missed)
        owned.append(replace(one, tokens=tokens))
        missed -= tokens
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
