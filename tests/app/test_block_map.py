import json
import struct
from collections.abc import Callable

import numpy as np
import pytest

from analysis.model.finding import BLOCK_STATES
from app.block_map import (
    STATE_WORDS,
    WHOLE_TURN,
    BlockRows,
    _script,
    message,
    pack,
    read_pick,
)
from tests.app.sample_rows import SESSIONS, one_block, three_turns, typical_session


def unpack(payload: bytes) -> dict[str, object]:
    """What the browser reads out of the packed rows."""
    (length,) = struct.unpack_from("<I", payload)
    header = json.loads(payload[4 : 4 + length])
    turns, runs, divergences = header["turns"], header["runs"], header["divergences"]
    fields = [
        ("turn_numbers", "<u4", turns),
        ("num_blocks", "<u4", turns),
        ("prompt_tokens", "<u4", turns),
        ("cached_blocks", "<f4", turns),
        ("run_offsets", "<u4", turns + 1),
        ("divergences", "<u4", 2 * divergences),
        ("run_starts", "<u4", runs),
        ("run_states", "u1", runs),
    ]
    offset = 4 + length
    read: dict[str, object] = {"block_size": header["block_size"]}
    for name, kind, count in fields:
        assert offset % np.dtype(kind).itemsize == 0, f"{name} is not aligned"
        read[name] = np.frombuffer(payload, kind, count, offset)
        offset += count * np.dtype(kind).itemsize
    assert offset == len(payload)
    return read


@pytest.mark.parametrize("session", [pytest.param(make, id=name) for name, make in SESSIONS.items()])
def test_pack_round_trip(session: Callable[[], BlockRows]) -> None:
    rows = session()
    read = unpack(pack(rows))
    assert read["block_size"] == rows.block_size
    for name in ("turn_numbers", "num_blocks", "run_offsets", "run_starts", "run_states"):
        np.testing.assert_array_equal(read[name], getattr(rows, name))
    np.testing.assert_array_equal(np.reshape(read["divergences"], (-1, 2)), np.reshape(rows.divergences, (-1, 2)))
    reported = [float("nan") if blocks is None else blocks for blocks in rows.cached_blocks]
    np.testing.assert_array_equal(read["cached_blocks"], np.array(reported, dtype=np.float32))


def test_unknown_prompt_tokens_are_packed_as_zero() -> None:
    rows = three_turns()
    known = BlockRows(
        **{name: getattr(rows, name) for name in BlockRows.__slots__ if name != "prompt_tokens"},
        prompt_tokens=[633, None, 1111],
    )
    assert list(unpack(pack(known))["prompt_tokens"]) == [633, 0, 1111]
    assert list(unpack(pack(rows))["prompt_tokens"]) == [0, 0, 0]


def test_typical_session_is_small() -> None:
    assert len(pack(typical_session())) < 50_000


@pytest.mark.parametrize("picked, head", [(None, (0, 0)), ((7, 12), (7, 12))])
def test_message_starts_with_the_picked_cell(picked: tuple[int, int] | None, head: tuple[int, int]) -> None:
    payload = pack(one_block())
    sent = message(payload, picked)
    assert struct.unpack_from("<III", sent) == (*head, 0)
    assert sent[12:] == payload


def test_annotated_places_stand_between_the_picked_cell_and_the_rows() -> None:
    payload = pack(one_block())
    sent = message(payload, None, [(7, 12), (9, None)])
    assert struct.unpack_from("<7I", sent) == (0, 0, 2, 7, 12, 9, WHOLE_TURN)
    assert sent[28:] == payload


@pytest.mark.parametrize(
    "state, pick",
    [
        pytest.param({"pick": {"turn": 3, "block": 0}}, {"turn": 3, "block": 0}, id="a cell"),
        pytest.param(
            {"pick": {"turn": 3, "block": 9, "more": 1}}, {"turn": 3, "block": 9}, id="other keys are dropped"
        ),
        pytest.param({"pick": None}, None, id="nothing picked"),
        pytest.param({}, None, id="no pick yet"),
        pytest.param(None, None, id="component not mounted"),
        pytest.param({"pick": {"turn": 0, "block": 0}}, None, id="turns start at 1"),
        pytest.param({"pick": {"turn": 1, "block": -1}}, None, id="negative block"),
        pytest.param({"pick": {"turn": "1", "block": 1}}, None, id="text"),
        pytest.param({"pick": {"turn": True, "block": 1}}, None, id="not a number"),
        pytest.param({"pick": [1, 2]}, None, id="not a mapping"),
    ],
)
def test_read_pick(state: object, pick: object) -> None:
    assert read_pick(state) == pick


def test_script_knows_every_state_in_wire_order() -> None:
    first_line = _script().splitlines()[0]
    settings = json.loads(first_line.removeprefix("const SETTINGS = ").removesuffix(";"))
    assert settings["words"] == [STATE_WORDS[state] for state in BLOCK_STATES]
    rank = dict(zip(BLOCK_STATES, settings["rank"], strict=True))
    ranked = sorted(BLOCK_STATES, key=lambda state: -rank[state])
    assert ranked == ["diverged", "missed", "tail", "lost", "new", "reused", "unreported"]
    assert rank["reused"] == rank["unreported"]
    assert settings["hatched"] == [state == "unreported" for state in BLOCK_STATES]


def test_script_asks_no_other_host_and_writes_no_markup() -> None:
    script = _script()
    assert "http" not in script
    assert "innerHTML" not in script
