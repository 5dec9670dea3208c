"""Another place or another moment: the blocks are on a replica that was not asked, or were not written yet."""

from collections.abc import Iterator

from analysis.causes.base import Evidence, cause
from analysis.core.quoting import quoted
from analysis.model.finding import Cause, Note

AFFINITY = "Route a session to one replica (session affinity, or a prefix-aware router)."


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """Causes of time and place."""
    gap = evidence.gap
    if gap is None or not evidence.missed or evidence.previous is None:
        return
    now, then = evidence.now.turn.replica, evidence.previous.turn.replica
    if now != then and evidence.missed_by_keys:
        by = f"served by {quoted(now) if now else 'a replica that the log does not name'}"
        other = quoted(then) if then else "one that it does not name"
        said = f"{by}, the previous turn by {other}: each has a cache of its own"
        yield cause(
            "routing/replica", "certain" if now and then else "possible", evidence.missed_by_keys, said, AFFINITY
        )
    elif gap.overlaps:
        yield cause(
            "timing/in-flight",
            "likely",
            evidence.missed,
            "the request was sent before the previous turn had ended; runner-up: capacity/eviction; what decides:"
            " the order of the server's own log",
            "Send a turn when the one before has ended.",
        )
    elif gap.older_turn is not None:
        said = (
            f"the hit is exactly what turn {gap.older_turn} left: a replica that has not seen the turns since;"
            " runner-up: capacity/eviction; what decides: which replica or rank served each turn"
        )
        yield cause("routing/replica", "possible", evidence.missed, said, AFFINITY)
    elif evidence.source.only_prompts_kept:
        yield _replies_were_not_kept(evidence.missed)


def _replies_were_not_kept(tokens: int) -> Cause:
    return cause(
        "engine/output-not-inserted",
        "possible",
        tokens,
        "every hit of this log ends with the previous prompt, as if replies were not cached; runners-up:"
        " tokenisation/drift, and a sliding-window model, which keeps the end of a prompt only; what decides:"
        " generated token ids, and sliding_window in vllm:cache_config_info at /metrics",
        "Upgrade vLLM.",
    )
