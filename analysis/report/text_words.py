"""Turns without tokens in plain words: where their text parts, in messages and characters, and what a log lacks."""

from analysis.model.finding import TextComparison
from analysis.model.record import TurnRecord
from analysis.model.session import Mark
from analysis.report.words import counted, place_of

LACKS: dict[Mark, str] = {
    "no_system": "no system prompt",
    "no_tools": "no tools",
    "truncated": "cut off",
    "redacted": "blacked out",
}


def parts_at(found: TextComparison) -> str:
    """Where a request leaves the text of the one before it, on both sides; that it only goes on."""
    place = found.divergence
    if place is None:
        return f"nothing of turn {found.previous} changed"
    here, before = place.segment, place.previous_segment
    where = place_of(here) + (f", character {here.char:,}" if here.char else "")
    return f"in {where}" + (f", where {place_of(before)} stood before" if before.path != here.path else "")


def equal(found: TextComparison) -> str:
    """How much of the request before comes again unchanged, from the front."""
    chars = f"{found.equal_chars:,} of {found.previous_chars:,} characters"
    return f"the same from the front: {counted(found.equal_messages, 'message')}, {chars}"


def incomplete(turn: TurnRecord) -> str:
    """What the log lacks of a request, such as "incomplete: no system prompt, no tools"; empty where it is whole."""
    lacking = [words for mark, words in LACKS.items() if mark in turn.completeness]
    if lacking:
        return f"incomplete: {', '.join(lacking)}"
    return "put together from a transcript" if "reconstructed" in turn.completeness else ""
