"""What was not measured: notes that keep an unknown from being read as a zero."""

from collections.abc import Iterator

from analysis.causes.base import Evidence
from analysis.causes.by_text import is_in_reply
from analysis.core.quoting import quoted
from analysis.model.finding import Cause, Note
from analysis.model.session import CachedBasis, Mark

USAGE_MISSING = "measurement/usage-missing"
INCOMPLETE = "measurement/incomplete-request"
LINEAGE = "measurement/lineage"
RENDER_WRONG = "measurement/wrong-render"
REPLY_FORM = "measurement/reply-form"
PREVIOUS_WRONG = "measurement/previous-not-trusted"

WHY: dict[CachedBasis, str] = {
    "disabled": "the server reports no prompt-token details: start it with --enable-prompt-tokens-details",
    "omitted": "the usage has no cached tokens: older versions of vLLM leave out a zero, so this is 0 or unknown",
    "not-recorded": "the log has no usage for this turn: for streams send stream_options.include_usage",
}

LACKS: dict[Mark, str] = {
    "no_system": "the system prompt is not in it",
    "no_tools": "the tools are not in it",
    "reconstructed": "the request was put together from a transcript",
    "truncated": "the request was cut off",
    "redacted": "the request was blacked out",
}


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """A note where the server did not say what it reused, or where the comparison is with a wrong render."""
    usage = evidence.now.turn.usage
    if usage.cached_tokens is None:
        yield Note(USAGE_MISSING, WHY[usage.cached_basis])
    if lacking := [said for mark, said in LACKS.items() if mark in evidence.now.turn.completeness]:
        yield Note(INCOMPLETE, f"{', '.join(lacking)}: what differs there cannot be told from this log")
    if (lineage := evidence.now.turn.lineage) is not None:
        said = f"not the session's own conversation but {quoted(lineage)}: compared with its own turns only"
        yield Note(LINEAGE, said)
    text = evidence.now.text
    if evidence.comparison and text and text.divergence and is_in_reply(evidence.comparison, text.divergence):
        yield Note(REPLY_FORM, "the last reply came back in another form; what was sent before it did not change")
    if evidence.now.fidelity == "mismatch":
        sizes = f"to {evidence.now.prompt_tokens:,} tokens where the server counted {usage.prompt_tokens:,}"
        yield Note(RENDER_WRONG, f"the prompt rendered {sizes}: wrong tokenizer or template")
    if evidence.previous is not None and evidence.previous.fidelity == "mismatch":
        yield Note(PREVIOUS_WRONG, "the previous turn rendered to another length than the server counted")
