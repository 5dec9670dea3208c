"""Request/response pairs of the OpenAI API, one JSON object a request: the canonical log and its synonyms.

Reads chat and completion requests; a line that speaks another API that vLLM serves is read as that.
Does not read batch files.
"""

from analysis.formats import pairs
from analysis.formats.base import FormatError, Progress
from analysis.formats.stored import Data
from analysis.model.session import Log, Turn

name = "openai-chat"
title = "OpenAI request/response pairs, chat and completions: JSON lines, a JSON array or one object"
looks_for = "a JSON object with messages or prompt and a model or response, and no field of another tool"
limitations: tuple[str, ...] = (
    "several prompts in one completion request are left out",
    "of n > 1 choices the first is read",
    "images count as whatever the chat template prints for them",
)


def sniff(head: bytes) -> bool:
    """Yes where the first request of the file speaks this API, if no other tool's field is there."""
    return pairs.opens_with(head) == "chat"


def read(data: Data, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole log; raise FormatError where not one record holds a request that was sent to a server."""
    log = read_bodies(data, file, source, progress)
    turns = [turn for session in log.sessions for turn in session.turns]
    if not any(turn.request.model or turn.reply or turn.prompt_ids is not None or _is_counted(turn) for turn in turns):
        raise FormatError(
            f"{file}: it holds messages, but no request to a model: no line names a model or has a response. Another"
            f" tool's own format? Whymiss reads {title}."
        )
    return log


def _is_counted(turn: Turn) -> bool:
    return turn.usage.cached_basis != "not-recorded"


def read_bodies(data: Data, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse request bodies, with or without a response; raise FormatError where not one record is a request."""
    return pairs.read(data, file, source, "chat", title, progress)
