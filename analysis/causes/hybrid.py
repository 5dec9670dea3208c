"""The shape of the model: hybrids hit in large steps, at checkpoints or within a window; drafting drops a block.

Without the server's settings only patterns of all hits are read, and a window or a checkpoint shows in none.
"""

from collections.abc import Iterator

from analysis.causes.base import Evidence, cause
from analysis.model.finding import Cause, Note

NO_DROP = "None needed: one block a turn; newer versions keep it."


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """Causes that follow from the settings of the server or, without them, from the pattern of all hits."""
    gap, source, tokens = evidence.gap, evidence.source, evidence.missed_within_keys
    if gap is None or not tokens:
        return
    settings = source.settings
    on_unit = source.unit is None or evidence.cached % source.unit == 0
    if gap.predicted_tokens == evidence.cached < gap.kept_tokens:
        yield _shape(evidence, gap.kept_tokens - evidence.cached)
    elif source.short_by_block:
        yield cause(
            "spec-decode/block-drop",
            "possible",
            tokens,
            "every hit of this log is one block short, at every length; what decides: speculative_config at start-up",
            NO_DROP,
        )
    elif settings.mamba_cache_mode == "align" and on_unit:
        yield cause(
            "hybrid/checkpoint",
            "likely",
            tokens,
            "the model's state is only kept at aligned checkpoints (mamba_cache_mode=align): a prefix is hit from its"
            " third sighting on, or at an older boundary",
            "Use mamba_cache_mode=all where memory allows it.",
        )
    elif source.unit is not None and on_unit and tokens < 2 * source.unit:
        yield _large_block(source.unit, tokens)


def _large_block(unit: int, tokens: int) -> Cause:
    return cause(
        "granularity/large-block",
        "possible",
        tokens,
        f"every hit of this log is a multiple of {unit:,} tokens; what decides: block_size in"
        " vllm:cache_config_info at /metrics, or “Setting attention block size to N tokens” in the server's log",
        f"Where the server's blocks have {unit:,} tokens, say so (--block-size {unit}); lower --prefix-match-unit"
        " where the model allows it.",
    )


def _shape(evidence: Evidence, tokens: int) -> Cause:
    """What the settings alone take from a hit, where it is exactly what was missed."""
    settings = evidence.source.settings
    if settings.window:
        said = f"with a window of {settings.window:,} tokens and the retention interval {settings.retention}"
        fix = "Raise --prefix-cache-retention-interval to the window."
        return cause("hybrid/sliding-window", "likely", tokens, f"{said} exactly this much can be hit", fix)
    said = "speculative decoding is on and drops the last matched block of every hit"
    return cause("spec-decode/block-drop", "likely", tokens, said, NO_DROP)
