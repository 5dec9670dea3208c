"""SageMaker's data capture of an endpoint that serves an OpenAI API: one JSON line an invocation.

Each invocation is read by the API that its body speaks.  Does not read invocations whose body is no JSON.
"""

from analysis.formats import jsontext, shape, traffic
from analysis.formats.base import Problems, Progress
from analysis.formats.calls import dig, first_text
from analysis.formats.jsontext import Fields
from analysis.formats.pairs import Pairs
from analysis.formats.times import seconds
from analysis.formats.traffic import Seen
from analysis.model.session import Json, Log

name = "sagemaker"
title = "SageMaker data capture with chat, completion, messages or responses requests"
looks_for = "lines with captureData"
limitations: tuple[str, ...] = (
    "one time per invocation: when it came, not when it ended",
    "a session is told by the key in its body, else by its messages",
)

PATH = "/invocations"


def sniff(head: bytes) -> bool:
    """Yes to lines with captureData."""
    return shape.has(head, "captureData")


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse a whole file; raise FormatError where no invocation is a request to a model."""
    problems = Problems(file)
    pairs = Pairs(problems)
    for line, record in jsontext.records(data, problems, progress):
        if not pairs.take(line, traffic.record(_seen(record))):
            problems.count("other", line, "no chat, completion, messages or responses request: no turn.")
    sessions = pairs.sessions(file, source, name)
    if not sessions:
        raise problems.refusal("no request to a model in it", title)
    return Log(sessions, problems.listed())


def _seen(record: Fields) -> Seen:
    captured, event = (shape.inner(record, part) for part in ("captureData", "eventMetadata"))
    return Seen(
        method="POST",
        url=PATH,
        request=_body(captured.get("endpointInput")) or b"",
        answer=_body(captured.get("endpointOutput")),
        status=None,
        headers={},
        started_at=seconds(event.get("inferenceTime")),
        request_id=first_text(event.get("eventId")),
    )


def _body(half: Json) -> bytes | None:
    return traffic.body(dig(half, "data"), is_base64=dig(half, "encoding") == "BASE64")
