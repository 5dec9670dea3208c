"""Annotations in words: where each stands now, and in which order they are read.

For the dashboard and for reports.  Does not say what an annotation says: its text is Markdown of a person.
"""

from collections.abc import Iterable

from analysis.model.annotation import Anchor, Place, Placed
from analysis.model.prompt import Segment
from analysis.report.words import place_of

MOVED = "moved"
GONE = "what it is about is no longer there"
PARTLY = "a part of the text it is about is no longer there"


def in_reading_order(placed: Iterable[Placed]) -> list[Placed]:
    """Those about the whole session, then turn by turn and from left to right; at one place the oldest first."""

    def rank(one: Placed) -> tuple[int, int, int]:
        turn = one.place.turn if one.place.turn is not None else one.annotation.anchor.turn or 0
        return turn, -1 if one.place.start is None else one.place.start, one.annotation.key

    return sorted(placed, key=rank)


def where(one: Placed, block_size: int, with_field: bool = True) -> str:
    """Where an annotation stands: turn, tokens and blocks of its prompt, and the message field where it is known.

    A log may name a field as it likes: ``with_field`` False leaves it out.
    """
    anchor, place = one.annotation.anchor, one.place
    if anchor.request_id is None:
        return "the whole session"
    if place.turn is None:
        return f"turn {anchor.turn}, which is no longer in the log"
    if place.start is None or place.stop is None:
        return f"turn {place.turn}"
    subject = "divergence of turn" if anchor.kind == "divergence" else "turn"
    field = _field(anchor) if with_field else ""
    return f"{subject} {place.turn}, {_tokens(place.start, place.stop, block_size)}{field}"


def remark(place: Place) -> str:
    """What a reader must know of the place; empty where all is as it was."""
    if place.moved:
        return f"{MOVED}: {GONE}"
    return PARTLY if place.partly else ""


def _tokens(start: int, stop: int, block_size: int) -> str:
    first, last = start // block_size, (stop - 1) // block_size
    tokens = f"token {start:,}" if stop - start == 1 else f"tokens {start:,}–{stop - 1:,}"
    return f"{tokens} (block {first:,})" if first == last else f"{tokens} (blocks {first:,}–{last:,})"


def _field(anchor: Anchor) -> str:
    if anchor.path is None:
        return ""
    char = "" if not anchor.char_start else f", character {anchor.char_start:,}"
    return f", in {place_of(Segment(anchor.path, anchor.char_start))}{char}"


def block_of(place: Place, block_size: int) -> int | None:
    """The first block of what an annotation is about; None where that is a whole turn or session."""
    return None if place.start is None else place.start // block_size
