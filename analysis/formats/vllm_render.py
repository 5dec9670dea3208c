"""What vLLM's /render routes answer, and pairs of its /inference/v1/generate: requests as token ids.

Of a completion request with several prompts every one is a request.  A line that speaks another API is read as that.
"""

from analysis.formats import pairs
from analysis.formats.base import Progress
from analysis.model.session import Log

name = "vllm-render"
title = "vLLM renders (/v1/chat/completions/render and its like) and /inference/v1/generate pairs"
looks_for = "objects with token_ids beside sampling_params, alone, in a list or as a response"
limitations: tuple[str, ...] = (
    "no messages: prompts are token ids, and causes name tokens, not fields of a message",
    "a render is no call: what the server cached is unknown",
    "renders have no times: requests stand in the order of the file",
)


def sniff(head: bytes) -> bool:
    """Yes where the first requests of the file are token ids, if no other tool's field is there."""
    return pairs.opens_with(head) in ("tokens", "render")


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole log; raise FormatError where no record is a request of token ids."""
    return pairs.read(data, file, source, "render", title, progress)
