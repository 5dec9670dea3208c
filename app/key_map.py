"""The keys of the dashboard: the one list of them, the overlay that ``?`` opens, and the keys that work on every page.

Keys of the block map are heard by the map itself, those of tables by Streamlit.
"""

import html
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

Keys = tuple[tuple[str, str], ...]  # keys as they stand on the keyboard, parted by blanks, with what they do

_HERE = Path(__file__).parent
_PAGES = (("s", "Sessions"), ("o", "Session"), ("c", "Cases"), ("2", "Two sets"), ("m", "Models"), ("p", "Compare"),
          ("t", "Template"), ("l", "Live server"))  # fmt: skip

EVERYWHERE: Keys = (
    ("?", "show these keys"),
    ("/", "search, on the page Sessions"),
    ("j", "to the list of sessions or cases, by keyboard"),
    *((f"g {key}", f"go to {title}") for key, title in _PAGES),
    ("Esc", "close what is open"),
)
MAP: Keys = (
    ("n", "next divergence"),
    ("p", "previous divergence"),
    ("+ −", "zoom in and out"),
    ("0", "whole session"),
    ("← → ↑ ↓", "move by a cell, with Shift by ten"),
    ("Enter", "show the tokens of the cell"),
)
MAP_POINTER = "Drag to pan, hold Ctrl and turn the wheel to zoom, double-click to zoom in."
ONE_OF_LIST: Keys = (("j k ↓ ↑", "down and up"), ("Enter", "open"), ("Esc", "leave the list"))
LIST: Keys = (*ONE_OF_LIST, ("Space x", "tick"), ("c", "compare those ticked"))
TABLE: Keys = (("← → ↑ ↓", "move from cell to cell"), ("Shift Space", "pick the row"), ("Ctrl F", "find in the table"))
LISTED = "Tab leads to it as well. Shift Tab goes back to what can be done with ticked sessions, such as marking them."
OPENING = ("sessions_", "cases_")  # keys of tables in which a click opens: a focus must not


def key_map() -> None:
    """Mount the button that shows the keys, and listen for them."""
    _component()(key="key_map", height="content")


def listed(keys: Keys) -> str:
    """Keys with what they do as the items of a description list."""
    return "".join(f"<div><dt>{_caps(caps)}</dt><dd>{html.escape(words)}</dd></div>" for caps, words in keys)


def in_line(keys: Keys) -> str:
    """The same as one line of markup."""
    return " · ".join(f"{_caps(caps)} {html.escape(words)}" for caps, words in keys)


def style(name: str) -> str:
    """The style sheet of a component, with what all of them share before it."""
    return "\n".join((_HERE / part).read_text("utf-8") for part in ("controls.css", name))


def _caps(caps: str) -> str:
    return " ".join(f"<kbd>{html.escape(cap)}</kbd>" for cap in caps.split())


def _group(title: str, keys: Keys, more: str = "") -> str:
    note = f"<p>{html.escape(more)}</p>" if more else ""
    return f"<section><h3>{html.escape(title)}</h3><dl>{listed(keys)}</dl>{note}</section>"


def _markup() -> str:
    groups: Sequence[str] = (
        _group("On every page", EVERYWHERE),
        _group("In the block map", MAP, MAP_POINTER),
        _group("In the list of sessions", LIST, LISTED),
        _group("In other tables", TABLE),
    )
    return (
        '<div class="key-map"><button type="button" class="show" aria-haspopup="dialog" aria-keyshortcuts="?">'
        'Keys <kbd aria-hidden="true">?</kbd></button>'
        '<dialog aria-modal="true" aria-labelledby="key-map-title"><header><h2 id="key-map-title">Keys</h2>'
        f'<button type="button" class="close">Close</button></header>{"".join(groups)}</dialog></div>'
    )


@cache
def _component() -> Any:
    pages = ", ".join(f"{key}: {title!r}" for key, title in _PAGES)
    tables = ", ".join(f"[class*='st-key-{name}'] canvas" for name in OPENING)
    sources = [(_HERE / name).read_text("utf-8") for name in ("offline.js", "key_map.js")]
    script = "\n".join([f"const PAGES = {{ {pages} }};", f"const OPENING = {tables!r};", *sources])
    return st.components.v2.component("whymiss_key_map", html=_markup(), css=style("key_map.css"), js=script)
