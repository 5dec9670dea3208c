"""The block map: every block of every turn as one picture, drawn on a canvas in the browser.

Packs the rows into bytes, mounts the component and hands back the cell that the user picked.  Turns are rows, blocks
run from left to right, a diamond marks a divergence, a tick the server's ``cached_tokens`` and a bubble an annotation.
Does not decide what state a block is in: that comes with the rows.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt
import streamlit as st

from analysis.model.finding import BLOCK_STATES, BlockState
from analysis.report.palette import ALARM, DARK, HATCHED, LIGHT, Palette
from app.key_map import MAP, MAP_POINTER, in_line, style

_HERE = Path(__file__).parent

# One module for the browser, in this order: each file uses only what stands before it.
_SCRIPTS = (
    "block_map_payload.js",
    "block_map_viewport.js",
    "block_map_raster.js",
    "block_map_marks.js",
    "block_map_minimap.js",
    "block_map_panel.js",
    "block_map_picture.js",
    "block_map_input.js",
    "block_map.js",
)

STATE_WORDS: Mapping[BlockState, str] = {
    "reused": "reused",
    "diverged": "diverged here",
    "lost": "lost after divergence",
    "new": "new or changed",
    "tail": "partial tail",
    "missed": "reusable but missed",
    "unreported": "reusable, server did not report",
}

WHOLE_TURN = 0xFFFFFFFF  # in place of a block, where an annotation is about a turn

_HTML = f"""
<div class="block-map">
  <div class="toolbar">
    <div class="buttons" role="group" aria-label="Move in the block map">
      <button type="button" class="previous"><span aria-hidden="true">◂ </span>previous divergence</button>
      <button type="button" class="next">next divergence<span aria-hidden="true"> ▸</span></button>
      <button type="button" class="whole">whole session</button>
    </div>
    <button type="button" class="picture" aria-label="PNG: save this map as a picture"
      title="Save this map as a picture, with its legend">PNG</button>
    <span class="extent"></span>
  </div>
  <ul class="legend" aria-label="Legend"></ul>
  <canvas class="minimap" aria-hidden="true"></canvas>
  <div class="stage">
    <canvas class="map" tabindex="0" role="img"></canvas>
    <div class="tip" hidden></div>
  </div>
  <p class="help">{in_line(MAP)}. {MAP_POINTER}</p>
  <p class="spoken" aria-live="polite"></p>
</div>
"""


class Pick(TypedDict):
    """A picked cell: the turn's 1-based number and the 0-based block."""

    turn: int
    block: int


@dataclass(frozen=True, slots=True, eq=False)
class BlockRows:
    """What the map shows, one row per turn, top down; the blocks of a row as runs of equal state.

    ``turn_numbers`` are 1-based, as shown.  Row ``r`` has ``num_blocks[r]`` blocks in the runs
    ``run_offsets[r]:run_offsets[r + 1]``; a run starts at block ``run_starts[i]``, ends where the next one of its row
    starts, and has the state ``BLOCK_STATES[run_states[i]]``.  ``divergences`` are pairs of row index and block.
    ``cached_blocks`` is the server's ``cached_tokens / block_size``, None where it did not report.
    ``prompt_tokens``, if given, says where the last block of a row really ends.
    """

    turn_numbers: Sequence[int]
    num_blocks: Sequence[int]
    run_offsets: npt.NDArray[np.uint32]
    run_starts: npt.NDArray[np.uint32]
    run_states: npt.NDArray[np.uint8]
    divergences: Sequence[tuple[int, int]]
    cached_blocks: Sequence[float | None]
    block_size: int
    prompt_tokens: Sequence[int | None] | None = None


def pack(rows: BlockRows) -> bytes:
    """The rows as bytes for the browser, little-endian, every array 4-byte aligned.

    uint32 header length; JSON header ``{turns, runs, divergences, block_size}`` padded with spaces; then uint32 turn
    numbers, block counts and prompt tokens (0 = unknown), float32 cached blocks (NaN = not reported), uint32 run
    offsets, uint32 divergences (row, block), uint32 run starts, uint8 run states.
    """
    header = _header(rows)
    prompt_tokens = rows.prompt_tokens or [None] * len(rows.turn_numbers)
    cached_blocks = [float("nan") if blocks is None else blocks for blocks in rows.cached_blocks]
    return b"".join(
        (
            _uint32([len(header)]),
            header,
            _uint32(rows.turn_numbers),
            _uint32(rows.num_blocks),
            _uint32([tokens or 0 for tokens in prompt_tokens]),
            np.asarray(cached_blocks, dtype="<f4").tobytes(),
            _uint32(rows.run_offsets),
            _uint32(np.asarray(rows.divergences, dtype=np.uint32).ravel()),
            _uint32(rows.run_starts),
            np.asarray(rows.run_states, dtype=np.uint8).tobytes(),
        )
    )


def block_map(
    rows_payload: bytes,
    *,
    key: str,
    picked: tuple[int, int] | None,
    on_pick: Callable[[Pick], None] | None = None,
    annotated: Sequence[tuple[int, int | None]] = (),
) -> Pick | None:
    """Show the map; return the cell picked since the last run, None if there was no new pick.

    ``picked`` is (turn number, block) as the page knows it; when it changes the map selects that cell and brings it
    into view.  ``on_pick`` gets a new pick before the script runs, so it can write the URL that ``picked`` is read
    from.  A key belongs to one session: zoom is kept per key.  ``annotated`` are turn numbers with a block, which is
    None for a whole turn.
    """

    def report_pick() -> None:
        pick = read_pick(st.session_state.get(key))
        if pick and on_pick:
            on_pick(pick)

    result = _component()(data=message(rows_payload, picked, annotated), key=key, on_pick_change=report_pick)
    return read_pick(result)


def message(
    rows_payload: bytes, picked: tuple[int, int] | None, annotated: Sequence[tuple[int, int | None]] = ()
) -> bytes:
    """What the component gets, as uint32, then the packed rows, which stay the same whatever is written about them.

    The picked turn and block (turn 0 = none), the number of annotated places, and turn and block of each.
    """
    places = [number for turn, block in annotated for number in (turn, WHOLE_TURN if block is None else block)]
    return _uint32([*(picked or (0, 0)), len(annotated), *places]) + rows_payload


def read_pick(component_state: object) -> Pick | None:
    """The pick in what the component sent, None if there is none or it is not a cell: browsers can send anything."""
    value = component_state.get("pick") if isinstance(component_state, Mapping) else None
    if not isinstance(value, Mapping):
        return None
    turn, block = value.get("turn"), value.get("block")
    if type(turn) is not int or type(block) is not int or turn < 1 or block < 0:
        return None
    return Pick(turn=turn, block=block)


@cache
def _component() -> Any:
    return st.components.v2.component("whymiss_block_map", html=_HTML, css=style("block_map.css"), js=_script())


def _script() -> str:
    """The browser module: what the scripts must know about states and colours, then the scripts."""
    constants = {
        "words": [STATE_WORDS[state] for state in BLOCK_STATES],
        "rank": [len(ALARM) - ALARM.index("reused" if state == "unreported" else state) for state in BLOCK_STATES],
        "hatched": [state in HATCHED for state in BLOCK_STATES],
        "diverged": BLOCK_STATES.index("diverged"),
        "wholeTurn": WHOLE_TURN,
        "themes": {"light": _theme(LIGHT), "dark": _theme(DARK)},
    }
    sources = [(_HERE / name).read_text("utf-8") for name in _SCRIPTS]
    return "\n".join([f"const SETTINGS = {json.dumps(constants)};", *sources])


def _theme(palette: Palette) -> dict[str, object]:
    return {
        "states": [palette.states[state] for state in BLOCK_STATES],
        "reported": palette.reported,
        "hatch": palette.hatch,
        "text": palette.text,
    }


def _header(rows: BlockRows) -> bytes:
    header = {
        "turns": len(rows.turn_numbers),
        "runs": len(rows.run_starts),
        "divergences": len(rows.divergences),
        "block_size": rows.block_size,
    }
    text = json.dumps(header).encode()
    return text + b" " * (-len(text) % 4)


def _uint32(values: Sequence[int] | npt.NDArray[np.uint32]) -> bytes:
    return np.asarray(values, dtype="<u4").tobytes()
