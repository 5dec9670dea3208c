"""Request/response pairs of the Responses API: JSON lines, a JSON array or one object.

A line that speaks another API that vLLM serves is read as that.
"""

from analysis.formats import pairs
from analysis.formats.base import Progress
from analysis.formats.stored import Data
from analysis.model.session import Log

name = "openai-responses"
title = "OpenAI Responses API request/response pairs, previous_response_id chains included"
looks_for = 'a pair whose response is an object "response", or a request with input and instructions'
limitations: tuple[str, ...] = (
    "no token ids: prompts are rendered as chat messages; gpt-oss (Harmony) is an approximation",
    "a chain whose beginning is not in the log is marked as truncated",
    "of a stream the last event with the whole response is read",
)


def sniff(head: bytes) -> bool:
    """Yes where the first request of the file speaks this API, if no other tool's field is there."""
    return pairs.opens_with(head) == "responses"


def read(data: Data, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole log; raise FormatError where no record is a request."""
    return pairs.read(data, file, source, "responses", title, progress)
