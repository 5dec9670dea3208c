"""The rows of a table for the keyboard and for screen readers: the table itself is a picture to both.

Not seen until the focus is on it; then it lies over the table.  Arrows move in it, nothing is opened on the way.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from app.key_map import LIST, ONE_OF_LIST, in_line, style

MOST_ROWS = 300  # sent to the browser with every run; who looks for one of more searches
_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Row:
    """One row: its key, its name and what else is said of it, one after the other."""

    key: int
    name: str
    facts: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Heard:
    """What can be done in the list, called before the page runs: open a row, tick rows, compare those ticked."""

    open_one: Callable[[int], None]
    tick: Callable[[Sequence[int]], None] | None = None
    compare: Callable[[Sequence[int]], None] | None = None


def row_list(rows: Sequence[Row], label: str, key: str, heard: Heard, ticked: Collection[int] = ()) -> None:
    """Mount the list; what comes back from it is heard only of rows that are in it."""
    known = [row.key for row in rows[:MOST_ROWS]]
    answered = f"{key}_answered"

    def on_open() -> None:
        for one in keys_in(_sent(key, "open"), known)[:1]:
            heard.open_one(one)

    def on_tick() -> None:
        st.session_state[answered] = number_in(_sent(key, "tick"))
        if heard.tick is not None:
            heard.tick(keys_in(_sent(key, "tick"), known))

    def on_compare() -> None:
        if heard.compare is not None:
            heard.compare(keys_in(_sent(key, "compare"), known))

    _component()(
        data=message(rows, label, None if heard.tick is None else ticked, st.session_state.get(answered, 0)),
        key=key,
        height="content",
        on_open_change=on_open,
        on_tick_change=on_tick,
        on_compare_change=on_compare,
    )


def message(rows: Sequence[Row], label: str, ticked: Collection[int] | None, answered: int) -> dict[str, object]:
    """What the browser gets: ``ticked`` is None where rows cannot be ticked.

    ``answered`` is the number of the last ticks that were heard.
    """
    more = len(rows) - MOST_ROWS
    return {
        "label": label,
        "rows": [[row.key, row.name, *row.facts] for row in rows[:MOST_ROWS]],
        "ticked": None if ticked is None else [row.key for row in rows[:MOST_ROWS] if row.key in ticked],
        "keys": in_line(LIST if ticked is not None else ONE_OF_LIST),
        "more": f"… and {more:,} more rows: search to narrow them down." if more > 0 else "",
        "answered": answered,
    }


def keys_in(sent: object, known: Sequence[int]) -> list[int]:
    """The keys of known rows in what a browser sent, which can be anything."""
    keys = sent.get("keys") if isinstance(sent, Mapping) else None
    wanted = {one for one in keys if type(one) is int} if isinstance(keys, Sequence) else set()
    return [one for one in known if one in wanted]


def number_in(sent: object) -> int:
    """The number of ticks that a browser sent; 0 where that is none."""
    number = sent.get("number") if isinstance(sent, Mapping) else None
    return number if type(number) is int else 0


def _sent(key: str, name: str) -> object:
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


@cache
def _component() -> Any:
    return st.components.v2.component(
        "whymiss_row_list",
        html='<div class="row-list"></div>',
        css=style("row_list.css"),
        js=(_HERE / "row_list.js").read_text("utf-8"),
    )
