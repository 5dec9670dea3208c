"""Tokens as boxes, two prompts side by side.  Token text is untrusted: everything is escaped.

Whitespace is visible, control characters and bytes that are not UTF-8 stand as escapes, half a character as its
bytes.  Does not decode: it gets bytes.
"""

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from analysis.core.align import matched_runs
from analysis.model.record import TurnRecord
from analysis.model.session import TokenIds
from app.palette import Palette

STYLE = (Path(__file__).parent / "token_view.css").read_text("utf-8")
VISIBLE = {" ": "·", "\n": "↵", "\t": "→", "\r": "␍"}
# Printable to Python and blank on a screen: fillers, joiners, variation selectors.  Texts are hidden in these.
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """Tokens ``[start, start + len(token_ids))`` of one prompt and what is different about them.

    ``differs`` marks tokens that the other side does not have in this order; ``prompt_tokens`` is where the
    generated tokens begin.
    """

    title: str
    subtitle: str
    start: int
    token_ids: Sequence[int]
    differs: Sequence[bool]
    prompt_tokens: int


def side(
    turn: TurnRecord, token_ids: TokenIds, marks: npt.NDArray[np.bool_], start: int, stop: int, title: str
) -> Side:
    """A column of tokens ``[start, stop)`` of a turn, as far as it goes; ``marks`` are those of ``differing``."""
    prompt_tokens = turn.prompt_tokens or 0
    subtitle = f"{prompt_tokens:,} prompt tokens"
    return Side(title, subtitle, start, token_ids[start:stop].tolist(), marks[start:stop].tolist(), prompt_tokens)


def differing(old: TokenIds, new: TokenIds) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Which tokens of each sequence have no counterpart on the other side; shapes of the sequences."""
    old_marks, new_marks = np.ones(len(old), bool), np.ones(len(new), bool)
    for run in matched_runs(old, new):
        old_marks[run.old_start : run.old_start + run.length] = False
        new_marks[run.new_start : run.new_start + run.length] = False
    return old_marks, new_marks


def comparison_html(
    sides: Sequence[Side], texts: Mapping[int, bytes], block_size: int, divergence: int | None, colours: Palette
) -> str:
    """One or two columns of tokens as HTML."""
    columns = "".join(_column(side, texts, block_size, divergence) for side in sides)
    return f"<style>{STYLE}</style><div class='wm-sides wm-{len(sides)}' style='{_variables(colours)}'>{columns}</div>"


def shown(piece: bytes) -> str:
    """The text of a token with everything invisible made visible; not yet escaped for HTML."""
    try:
        text = piece.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"\\x{byte:02x}" if byte >= 0x80 else _visible(chr(byte)) for byte in piece)
    return "".join(map(_visible, text))


def _visible(char: str) -> str:
    if char in VISIBLE:
        return VISIBLE[char]
    plain = char.isprintable() and not BLANK.match(char)
    return char if plain else char.encode("unicode_escape").decode()


def _column(side: Side, texts: Mapping[int, bytes], block_size: int, divergence: int | None) -> str:
    cells = []
    for offset, token_id in enumerate(side.token_ids):
        position = side.start + offset
        if offset == 0 or position % block_size == 0:
            cells.append(_block_mark(position // block_size, closing=bool(cells)))
        cells.append(_token(side, position, token_id, texts.get(token_id), position == divergence))
    body = "".join(cells) + "</div></div>" if cells else "<p class='wm-none'>no tokens here</p>"
    return (
        f"<section class='wm-side' aria-label='{html.escape(side.title, quote=True)}'>"
        f"<h4>{html.escape(side.title)}</h4><p class='wm-sub'>{html.escape(side.subtitle)}</p>{body}</section>"
    )


def _block_mark(block: int, closing: bool) -> str:
    end = "</div></div>" if closing else ""
    return f"{end}<div class='wm-block'><span class='wm-no'>{block:,}</span><div class='wm-cells'>"


def _token(side: Side, position: int, token_id: int, piece: bytes | None, first: bool) -> str:
    text = f"#{token_id}" if piece is None else shown(piece)
    names = ["wm-t"]
    if side.differs[position - side.start]:
        names.append("wm-d")
    if first:
        names.append("wm-first")
    if position >= side.prompt_tokens:
        names.append("wm-g")
    if piece is None:
        names.append("wm-id")
    kind = "generated token" if position >= side.prompt_tokens else "token"
    title = f"{kind} {position:,} · id {token_id}"
    broken = "<br>" if piece is not None and piece.endswith(b"\n") else ""
    return f"<span class='{' '.join(names)}' title='{title}'>{html.escape(text)}</span>{broken}"


def _variables(colours: Palette) -> str:
    chosen = {"grid": colours.grid, "lost": colours.states["lost"], "missed": colours.states["missed"]}
    return ";".join(f"--wm-{name}:{colour}" for name, colour in chosen.items())
