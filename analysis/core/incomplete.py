"""What stands between turns and their tokens: a log that leaves out part of its requests, or that names no model.

Says what a person can do about it; whether a renderer is at hand is asked elsewhere.
"""

from collections.abc import Iterable

from analysis.model.record import TurnRecord
from analysis.model.session import Mark

NAMELESS = "no model named"
NO_MODEL = "The log names no model: name its tokenizer under Add logs, or with --model."
PARTS: dict[Mark, str] = {
    "no_system": "the system prompt",
    "no_tools": "the tools",
    "truncated": "text that was cut off",
    "redacted": "text that was blacked out",
}


def headless_turns(turns: Iterable[TurnRecord]) -> int:
    """How many turns no renderer can give tokens: their log lacks what the server counted in front.

    0 where the server counted nothing: what can be rendered then stands for them, with nothing to check against.
    """
    headless = [turn for turn in turns if turn.is_headless]
    return len(headless) if any(turn.prompt_tokens is not None for turn in headless) else 0


def incomplete(turns: Iterable[TurnRecord]) -> str:
    """Why no turn without tokens can get any, and what to do; empty where a tokenizer is all that some of them lack."""
    unknown = [turn for turn in turns if turn.fidelity is None]
    if not unknown or headless_turns(unknown) < len(unknown):
        return ""
    lacking = [words for mark, words in PARTS.items() if any(mark in turn.completeness for turn in unknown)]
    return (
        f"This log leaves out {' and '.join(lacking)}, so no tokenizer can give its tokens. Log whole requests with"
        " `whymiss record`."
    )
