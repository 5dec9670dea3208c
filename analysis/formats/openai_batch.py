"""Files of the OpenAI Batch API: requests and responses, in one file each, joined on ``custom_id``.

Does not know when a request was served: a batch has no times, so its requests stand in the order of the input file.
"""

from collections.abc import Iterator, Sequence

from analysis.formats import jsontext, shape, wrapper
from analysis.formats.base import FormatError, Problems, Progress
from analysis.formats.bodies import BodyReader, response
from analysis.formats.calls import dig, first_text, mapping
from analysis.formats.grouping import Entry, grouped
from analysis.formats.jsontext import Fields
from analysis.model.session import Json, Log, Problem, Turn

name = "openai-batch"
title = "OpenAI Batch input and output files, joined on custom_id"
looks_for = "lines with custom_id and a body, or custom_id and a response with a body"
limitations: tuple[str, ...] = (
    "input and output file must be in one folder, or given together with --same-server",
    "a batch has no times: requests stand in the order of the input file",
    "chat and completion requests only",
)


def sniff(head: bytes) -> bool:
    """Yes to lines with a custom_id and either half of a call."""
    return any(wrapper.is_batch(record) for record in shape.opening(head))


def read(data: bytes, file: str, source: str, progress: Progress | None = None) -> Log:
    """Parse one file that holds both halves, or requests alone."""
    return read_together([(file, data)], source, progress)


def read_together(files: Sequence[tuple[str, bytes]], source: str, progress: Progress | None = None) -> Log:
    """Parse the files of a batch; raise FormatError where there is no request in them."""
    noted = {file: Problems(file) for file, _data in files}
    asked: dict[str, tuple[str, int, Fields]] = {}
    answered: dict[str, Json] = {}
    for file, data in files:
        for line, record in jsontext.records(data, noted[file], progress):
            key = first_text(shape.value(record, "custom_id"))
            if key is None:
                noted[file].count("custom_id", line, "left out: no custom_id.")
                continue
            if "body" in record:
                asked[key] = (file, line, record)
            if shape.inner(record, "response"):
                answered[key] = shape.value(record, "response")
    if not asked:
        raise FormatError(
            f"{files[0][0]}: responses of a batch without its requests. Put the input file beside it in one folder, or"
            " give both with --same-server."
        )
    reader = BodyReader()
    entries: dict[str, list[Entry]] = {}
    for key, (file, line, record) in asked.items():
        for one in _entries(key, line, record, answered, reader, noted[file]):
            entries.setdefault(file, []).append(one)
    sessions = [one for file, found in entries.items() for one in grouped(found, file, source, name)]
    if not sessions:
        raise FormatError(f"{files[0][0]}: no request in it that could be read. Whymiss reads {title}.")
    problems: list[Problem] = [problem for one in noted.values() for problem in one.listed()]
    return Log(tuple(sessions), tuple(problems))


def _entries(
    key: str, line: int, record: Fields, answered: dict[str, Json], reader: BodyReader, problems: Problems
) -> Iterator[Entry]:
    status = dig(answered.get(key), "status_code")
    if isinstance(status, int) and status >= 400:
        problems.count("failed", line, "the call failed and counts as no turn.")
        return
    if key not in answered:
        problems.count("unanswered", line, "no response with this custom_id: what was cached is unknown here.")
    try:
        request = reader.request(jsontext.fields(record["body"]))
    except ValueError as error:
        problems.count(f"left out:{error}", line, f"left out: {error}.")
        return
    said = response(mapping(dig(answered.get(key), "body")) or None)
    turn = Turn(
        number=0,
        line=line,
        request_id=key,
        request=request,
        reply=said.reply,
        usage=said.usage,
        prompt_ids=said.prompt_ids,
        output_ids=said.output_ids,
        server_version=said.server_version,
    )
    yield Entry(turn, None)
