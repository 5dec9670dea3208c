"""KV cache events: what recorded servers published, and lines that nobody should have written."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.formats.base import FormatError
from analysis.formats.kv_events import read
from analysis.model.evidence import KvEvent
from tests.builders import ROOT

RECORDED = ROOT / "tests" / "data" / "kv_events"
STORED = {
    "type": "BlockStored",
    "block_hashes": [7, -1],
    "parent_block_hash": 5,
    "token_ids": [1, 2, 3, 4],
    "block_size": 2,
    "lora_name": None,
    "extra_keys": [None, ["s"]],
    "medium": "GPU",
}


def line(*events: object, at: object = 1.5) -> bytes:
    return json.dumps({"seq": 0, "batch": [at, list(events), 0]}).encode()


def only(*events: object) -> KvEvent:
    ((found,), problems) = read(line(*events), "f")
    assert problems == ()
    return found


@pytest.mark.parametrize(
    ("name", "kinds", "blocks"),
    [
        ("evicted-200-blocks", {"stored": 52, "removed": 570, "cleared": 1}, {"stored": 960, "removed": 570}),
        ("serve-block128", {"stored": 3, "cleared": 2}, {"stored": 7}),
        ("busy-server", {"stored": 161, "removed": 348, "cleared": 1}, {"stored": 746, "removed": 348}),
    ],
)
def test_recorded_events(name: str, kinds: dict[str, int], blocks: dict[str, int]) -> None:
    path: Path = RECORDED / f"{name}.jsonl"
    events, problems = read(path.read_bytes(), path.name)
    assert problems == ()
    assert Counter(event.kind for event in events) == kinds
    sums = {kind: sum(len(event.hashes) for event in events if event.kind == kind) for kind in kinds}
    assert {kind: count for kind, count in sums.items() if count} == blocks
    assert all(len(event.token_ids) == event.block_size * len(event.hashes) for event in events)
    assert [event.at for event in events] == sorted(event.at for event in events)


def test_a_stored_block() -> None:
    assert only(STORED) == KvEvent(
        at=1.5,
        kind="stored",
        hashes=(7, 2**64 - 1),
        parent_hash=5,
        token_ids=(1, 2, 3, 4),
        block_size=2,
        extra_keys=(None, ["s"]),
    )


def test_removed_and_cleared_blocks() -> None:
    assert only({"type": "BlockRemoved", "block_hashes": [3], "medium": None}) == KvEvent(1.5, "removed", (3,))
    assert only({"type": "AllBlocksCleared"}) == KvEvent(1.5, "cleared")


def test_an_adapter_is_kept_by_its_name() -> None:
    assert only({**STORED, "lora_name": "sql"}).adapter == "sql"


def test_a_whole_digest_is_cut_to_what_the_others_carry() -> None:
    digest = "ff" * 24 + "0000000000000102"
    event = only({**STORED, "block_hashes": [{"$hex": digest}], "parent_block_hash": {"$hex": digest}})
    assert (event.hashes, event.parent_hash) == ((0x102,), 0x102)


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"type": "BlockRemoved", "block_hashes": [3], "medium": "CPU"}, id="of the tier behind"),
        pytest.param({"type": "BlockMoved", "block_hashes": [3]}, id="of another kind"),
        pytest.param({"block_hashes": [3]}, id="of no kind"),
        pytest.param(["BlockRemoved", [3]], id="no object"),
    ],
)
def test_events_that_are_left_out(event: object) -> None:
    assert only({"type": "AllBlocksCleared"}, event).kind == "cleared"
    with pytest.raises(FormatError, match="no KV cache event"):
        read(line(event), "f")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"block_hashes": ["x", None, {"$hex": "zz"}, {"$hex": 1}, {}, 4]}, (4,)),
        ({"block_hashes": None}, ()),
        ({"block_hashes": {"a": 1}}, ()),
    ],
    ids=str,
)
def test_hashes_that_are_none(change: dict[str, object], expected: tuple[int, ...]) -> None:
    assert only({**STORED, **change}).hashes == expected


def test_damaged_lines_are_counted_and_the_rest_is_read() -> None:
    data = b"\n".join(
        [b'{"seq": 1}', line(STORED), b'{"batch": [1]}', b'{"batch": 7}', b"nonsense", line({**STORED}, at=None), b""]
    )
    events, problems = read(data, "f")
    assert [event.at for event in events] == [1.5, 0.0]
    assert [(problem.line, problem.message[:18]) for problem in problems] == [
        (1, "no batch of events"),
        (5, "not a JSON object:"),
    ]
    assert "2 more such lines" in problems[0].message


@pytest.mark.parametrize("data", [b"", b"{}", b"[]", b"\x00", b"hello", line()], ids=repr)
def test_a_file_without_an_event_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match="f: no KV cache event in it"):
        read(data, "f")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from([*STORED, "type"]), json_values, json_values)
def test_anything_anywhere_is_read_or_refused(key: str, put: object, at: object) -> None:
    for data in (line({**STORED, key: put}, at=at), json.dumps({"batch": put}).encode(), json.dumps(put).encode()):
        try:
            read(data, "f")
        except FormatError:
            continue


def test_numbers_and_nesting_beyond_reason() -> None:
    huge = b'{"batch": [1' + b"0" * 400 + b', [{"type": "AllBlocksCleared"}]]}'
    deep = b'{"batch": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    events, _problems = read(b"\n".join([huge, deep, line(STORED)]), "f")
    assert events[-1].hashes == (7, 2**64 - 1)
