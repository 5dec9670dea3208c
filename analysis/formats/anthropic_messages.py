"""Request/response pairs of Anthropic's Messages API, which vLLM serves as /v1/messages.

A line that speaks another API that vLLM serves is read as that.
"""

from analysis.formats import pairs
from analysis.formats.base import Progress
from analysis.formats.stored import Data
from analysis.model.session import Log

name = "anthropic-messages"
title = "Anthropic Messages request/response pairs (vLLM's /v1/messages): JSON lines, a JSON array or one object"
looks_for = "a pair whose response is a message, or a request with system beside messages or tools with input_schema"
limitations: tuple[str, ...] = (
    "no token ids: prompts are rendered as vLLM turns them into chat requests",
    "documents, search results and other blocks that vLLM drops are left out",
)


def sniff(head: bytes) -> bool:
    """Yes where the first request of the file speaks this API, if no other tool's field is there."""
    return pairs.opens_with(head) == "messages"


def read(data: Data, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole log; raise FormatError where no record is a request."""
    return pairs.read(data, file, source, "messages", title, progress)
