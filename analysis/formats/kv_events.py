"""KV cache events as JSON lines: ``{"batch": [time, [event, …], rank]}``, decoded from what the publisher sent.

Reads ``BlockStored``, ``BlockRemoved`` and ``AllBlocksCleared`` of the device's own memory; other events, and those
of the tiers behind it (CPU, disk), are left out.  Does not tell data-parallel ranks apart.
"""

from analysis.formats import jsontext
from analysis.formats.base import FormatError, Problems
from analysis.model.evidence import EventKind, KvEvent
from analysis.model.session import Json, JsonObject, Problem

KINDS: dict[str, EventKind] = {"BlockStored": "stored", "BlockRemoved": "removed", "AllBlocksCleared": "cleared"}
DEVICE = "GPU"  # what every engine calls its own memory, a CPU engine too
LOW_64 = (1 << 64) - 1


def read(data: bytes, file: str) -> tuple[tuple[KvEvent, ...], tuple[Problem, ...]]:
    """The events in the order of the file; raise FormatError where there is not one."""
    problems = Problems(file)
    events: list[KvEvent] = []
    for line, record in jsontext.records(data, problems):
        batch = _batch(record)
        if batch is None:
            problems.count("batch", line, 'no batch of events: left out. A line is {"batch": [time, [events], rank]}.')
            continue
        at, items = batch
        events.extend(event for item in items if isinstance(item, dict) and (event := _event(at, item)) is not None)
    if not events:
        raise FormatError(f"{file}: no KV cache event in it. Give the decoded batches, one JSON object a line.")
    return tuple(events), problems.listed()


def _batch(record: jsontext.Fields) -> tuple[float, list[Json]] | None:
    """The time of a batch and its events; None where the record holds no batch."""
    try:
        batch = jsontext.decode(record["batch"]) if "batch" in record else None
        if isinstance(batch, list) and len(batch) >= 2 and isinstance(batch[1], list):
            return (float(batch[0]) if isinstance(batch[0], int | float) else 0.0), batch[1]
    except (ValueError, OverflowError):
        return None
    return None


def _event(at: float, item: JsonObject) -> KvEvent | None:
    kind = KINDS.get(str(item.get("type")))
    if kind is None or item.get("medium") not in (None, DEVICE):
        return None
    adapter = item.get("lora_name")
    size = item.get("block_size")
    return KvEvent(
        at=at,
        kind=kind,
        hashes=tuple(number for value in _items(item.get("block_hashes")) if (number := _hash(value)) is not None),
        parent_hash=_hash(item.get("parent_block_hash")),
        token_ids=tuple(value for value in _items(item.get("token_ids")) if isinstance(value, int)),
        block_size=size if isinstance(size, int) else 0,
        extra_keys=tuple(_items(item.get("extra_keys"))),
        adapter=adapter if isinstance(adapter, str) else None,
    )


def _items(value: Json) -> list[Json]:
    return list(value) if isinstance(value, list) else []


def _hash(value: Json) -> int | None:
    """A hash as a number, or the digest as ``{"$hex": …}``, cut to its low 64 bits."""
    if isinstance(value, int):
        return value & LOW_64
    digest = value.get("$hex") if isinstance(value, dict) else None
    if not isinstance(digest, str):
        return None
    try:
        return int.from_bytes(bytes.fromhex(digest), "big") & LOW_64
    except ValueError:
        return None
