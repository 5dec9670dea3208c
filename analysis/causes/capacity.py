"""Memory: the blocks were known and had to go.

Says how much memory would have been enough where the pool's size is known.
"""

from collections.abc import Iterator

from analysis.causes.base import Evidence, cause
from analysis.core.quoting import listed
from analysis.model.finding import Cause, Confidence, Note

LONG_IDLE = 30.0  # seconds: a pause of a tool or a person, in which a busy server has turned its cache over
KEPT_BY = "blocks would have kept them"
NAMED = 3  # of the requests that took the blocks
FIX = "Give the KV cache more room (gpu_memory_utilization, --kv-offloading-size) or let fewer requests run at once."


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """Eviction, told by events, by the pool model, or by the pause and the traffic in it; a lost slot; preemption."""
    gap, tokens, pool = evidence.gap, evidence.missed_within_keys, evidence.source.settings.num_blocks
    if gap is None or not tokens:
        return
    if gap.removed_blocks:
        said = f"of the {gap.missing_blocks:,} missing blocks"
        said = f"KV cache events announce the removal of {gap.removed_blocks:,} {said}"
        yield _evicted(evidence, "certain", tokens, said)
    elif pool and gap.kept_tokens < gap.unlimited_tokens and gap.predicted_tokens == evidence.cached:
        said = f"a pool of {pool:,} blocks keeps exactly what was hit"
        yield _evicted(evidence, "likely", gap.unlimited_tokens - gap.kept_tokens, said)
    elif gap.removed_blocks == 0:
        return  # the events tell of the missing blocks, and none was removed
    elif _slot_was_taken(evidence):
        yield _slot(tokens)
    elif gap.other_requests or evidence.source.outside_tokens:
        long_idle = (gap.idle_seconds or 0.0) >= LONG_IDLE
        said = "the hit is the front of what was known"
        yield _evicted(evidence, "likely" if long_idle else "possible", tokens, said)
    if not gap.removed_blocks and gap.kept_tokens == gap.unlimited_tokens and _preemptions(evidence):
        yield _preemption(tokens, _preemptions(evidence))


def _slot(tokens: int) -> Cause:
    return cause(
        "capacity/slot",
        "possible",
        tokens,
        "the hit is what this prompt shares with the request that came last, from another session: a server with"
        " one slot keeps only that; runner-up: capacity/eviction; what decides: the number of slots",
        "Give the server a slot per session, or a prefix cache.",
    )


def _preemption(tokens: int, preemptions: float) -> Cause:
    return cause(
        "capacity/preemption",
        "possible",
        tokens,
        f"the server preempted {preemptions:,.0f} requests while this log was recorded: its blocks ran"
        " out; what decides: vllm:kv_cache_usage_perc and BlockRemoved at that time",
        "Let fewer requests run at once (--max-num-seqs), or give the KV cache more room.",
    )


def _preemptions(evidence: Evidence) -> float:
    counters = evidence.source.counters
    return (counters.preemptions if counters else None) or 0.0


def _slot_was_taken(evidence: Evidence) -> bool:
    """A server that keeps one sequence: the hit is nothing but the prefix shared with the request before.

    vLLM is no such server: by its name in the response, or by its block pool.
    """
    gap, settings = evidence.gap, evidence.source.settings
    if gap is None or gap.last_request_tokens is None or settings.num_blocks:
        return False
    size = settings.hit_size
    vllm = (evidence.now.turn.server_version or "").startswith("vllm")
    return not vllm and evidence.cached // size == gap.last_request_tokens // size


def _evicted(evidence: Evidence, confidence: Confidence, tokens: int, what: str) -> Cause:
    gap = evidence.gap
    assert gap is not None
    size = evidence.source.settings.hit_size
    first, stop = evidence.cached // size, gap.unlimited_tokens // size
    said = [what, f"missed are blocks {first:,} to {stop - 1:,}" if stop > first + 1 else f"missed is block {first:,}"]
    if evidence.previous is not None:
        idle = "" if gap.idle_seconds is None else f"{gap.idle_seconds:,.0f} s after the previous turn, "
        said.append(f"{idle}{gap.other_requests:,} other requests of {gap.other_tokens:,} prompt tokens in between")
    if evidence.source.outside_tokens:
        said.append(f"the server was asked for {evidence.source.outside_tokens:,} tokens that are not in this log")
    if gap.evicted_by:
        said.append(f"taken by {listed([*gap.evicted_by[:NAMED]])}")
    if gap.blocks_needed is not None:
        said.append(f"a pool of {gap.blocks_needed:,} {KEPT_BY}")
    if confidence != "certain":
        said.append("what decides: BlockRemoved among the server's KV events")
    return cause("capacity/eviction", confidence, tokens, "; ".join(said), FIX)
