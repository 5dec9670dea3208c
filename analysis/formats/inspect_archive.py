"""The samples of an Inspect log: a ``.eval`` archive, a ``.json`` log, or one sample that was taken out of either.

Knows both ways an archive holds a sample: as one member, or in chunks of its messages, events, calls and attachments.
Does not look into a sample.
"""

import re
from collections.abc import Iterator

from analysis.formats import jsontext, zip_members
from analysis.formats.base import Problems, Progress
from analysis.formats.calls import objects
from analysis.formats.containers import ZIP
from analysis.model.session import Json, JsonObject

MEMBER = re.compile(r"samples/(.+_epoch_\d+)(?:\.json|/(.+)\.json)")
ANY_MEMBER = re.compile(rf"_journal/.+|(?:header|summaries|reductions)\.json|{MEMBER.pattern}")
SEQUENCES = ("messages", "events", "calls", "attachments")


def is_archive(head: bytes) -> bool:
    """Whether these first bytes begin an archive with a member of an Inspect log."""
    found = zip_members.first_name(head)
    return found is not None and ANY_MEMBER.fullmatch(found) is not None


def is_sample(said: JsonObject | jsontext.Fields) -> bool:
    """Whether an object is a sample: one that was taken out of its log."""
    return all(key in said for key in ("epoch", "events", "input", "target"))


def samples(data: bytes, file: str, problems: Problems, progress: Progress | None = None) -> Iterator[JsonObject]:
    """The samples of a log in their order; raise FormatError where it is too large."""
    if data.startswith(ZIP):
        yield from _of_archive(data, file, problems)
        if progress is not None:
            progress(len(data), len(data))
        return
    for _line, record in jsontext.records(data, problems, progress):
        said = {key: jsontext.decode(raw) for key, raw in record.items()}
        yield from [said] if is_sample(said) else objects(said.get("samples"))


def _of_archive(data: bytes, file: str, problems: Problems) -> Iterator[JsonObject]:
    chunked: dict[str, dict[str, bytes]] = {}
    for member, raw in zip_members.members(data, file, MEMBER, problems):
        found = MEMBER.fullmatch(member)
        if found is not None and found[2]:
            chunked.setdefault(found[1], {})[found[2]] = raw
        elif (sample := _decoded(member, raw, problems)) is not None:
            yield sample
    for name, chunks in chunked.items():
        shell = _decoded(f"samples/{name}/sample.json", chunks.get("sample", b""), problems)
        if shell is not None:
            yield _joined(shell, chunks)


def _joined(shell: JsonObject, chunks: dict[str, bytes]) -> JsonObject:
    """A sample in chunks as one.  A chunk is named for the position of its first item in the sequence."""
    held: dict[str, list[Json]] = {sequence: [] for sequence in SEQUENCES}
    numbered = [(*place.partition("/")[::2], raw) for place, raw in chunks.items()]
    for sequence, start, raw in sorted(numbered, key=lambda one: (len(one[1]), one[1])):
        if sequence in held and start.isdecimal():
            held[sequence] += _listed(raw)
    attachments = {str(number): text for number, text in enumerate(held["attachments"])}
    pools = {"messages": held["messages"], "calls": held["calls"]}
    return {**shell, "events": held["events"], "events_data": pools, "attachments": attachments}


def _listed(raw: bytes) -> list[Json]:
    try:
        value = jsontext.decode(raw)
    except ValueError:
        return []
    return value if isinstance(value, list) else []


def _decoded(member: str, raw: bytes, problems: Problems) -> JsonObject | None:
    try:
        value = jsontext.decode(raw)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    problems.count("no sample", None, f"{member[:80]} is no sample that can be read and was left out.")
    return None
