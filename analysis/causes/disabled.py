"""The cache was not asked: switched off, or skipped by this request."""

from collections.abc import Iterator

from analysis.causes.base import Evidence, cause
from analysis.model.finding import Cause, Note

FIX = "Start the server without --no-enable-prefix-caching."


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """Causes where the server does not read its cache."""
    if not evidence.missed or evidence.cached:
        return
    if evidence.now.turn.request.skips_cache:
        yield cause(
            "disabled/skip-read",
            "certain",
            evidence.missed,
            "the request asks for the logprobs of its prompt, and vLLM then computes all of it",
            "Ask for prompt_logprobs only where they are needed.",
            segment="prompt_logprobs",
        )
    elif evidence.source.settings.prefix_caching is False:
        said = "the server says enable_prefix_caching=False"
        yield cause("disabled/flag", "certain", evidence.missed, said, FIX)
    elif evidence.source.all_zero:
        yield cause(
            "disabled/flag",
            "possible",
            evidence.missed,
            "no turn of this log was served a single cached token; what decides: enable_prefix_caching in"
            " vllm:cache_config_info at /metrics",
            FIX,
        )
