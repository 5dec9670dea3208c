"""A server that cut the prompt: it counted far fewer tokens than the request renders to."""

from analysis.causes.comparison import Suspect
from analysis.model.finding import TurnAnalysis

CODE = "server/context-truncation"
FAR_BELOW = 0.9  # of the render: below, no other template explains the difference


def truncated(now: TurnAnalysis, previous: TurnAnalysis | None) -> Suspect | None:
    """Told by the server's own count, where the previous turn shows that tokenizer and template are right."""
    counted, rendered = now.turn.usage.prompt_tokens, now.prompt_tokens
    if previous is None or counted is None or rendered is None or previous.fidelity not in ("exact", "logged"):
        return None
    before = previous.turn.usage.prompt_tokens
    if (
        counted >= FAR_BELOW * rendered
        or before is None
        or counted >= before
        or rendered < (previous.prompt_tokens or 0)
    ):
        return None
    said = (
        f"the request renders to {rendered:,} tokens and the server counted {counted:,}, after {before:,} on the"
        " previous turn, which rendered as counted: it dropped the oldest"
    )
    return Suspect(CODE, "usage.prompt_tokens", said, "Raise the context length of the server.", "likely")
