"""Turns that a sentence names, as links to their places on the page of a report: they need no script.

Only words of ours are looked at.  A turn that the session does not have, such as one of another session, stays a word.
"""

import re
from collections.abc import Iterable

from analysis.report.document import SessionPart
from analysis.report.markup import text, value
from analysis.report.quotes import Placeholder, Prose, Released, Shown

_MANY = r"\d{1,5}(?:(?:–|, | and )\d{1,5}(?!\d|,\d| more\b| tokens?\b))*"
_NAMED = re.compile(rf"\b[Tt]urn \d{{1,5}}\b(?!,\d)|(?<!\d )\b[Tt]urns {_MANY}")
_NUMBER = re.compile(r"\d+")


def place(part: SessionPart[Shown], turn: int) -> str:
    """The name of a turn's place on the page."""
    return f"s{part.number}t{turn}"


def tokens_place(part: SessionPart[Shown], turn: int) -> str:
    """The name of the place of the tokens that a turn shows."""
    return f"{place(part, turn)}k"


def turn_link(part: SessionPart[Shown], turn: int, words: str) -> str:
    """Words that lead to a turn; the words alone where the session has no such turn."""
    known = any(one.turn == turn for one in part.turns)
    return f'<a href="#{place(part, turn)}">{text(words)}</a>' if known else text(words)


def token_link(part: SessionPart[Shown], turn: int, token: int) -> str:
    """A token of a turn, leading to the tokens that are shown of it, else to the turn."""
    words = f"token {token:,}"
    shown = next((one.change for one in part.turns if one.turn == turn), None)
    if shown is None or not shown.columns:
        return turn_link(part, turn, words)
    return f'<a href="#{tokens_place(part, turn)}">{text(words)}</a>'


def linked(part: SessionPart[Shown], words: str) -> str:
    """Words of ours as HTML, each turn that they name a link."""
    written, stop = "", 0
    for found in _NAMED.finditer(words):
        written += text(words[stop : found.start()]) + _linked(part, found[0])
        stop = found.end()
    return written + text(words[stop:])


def linked_prose(part: SessionPart[Shown], parts: Prose[Placeholder | Released]) -> str:
    """A sentence with its quotes; turns are only links in words of ours, and not beside another session's name."""
    return "".join(linked(part, one) if isinstance(one, str) else value(one) for one in parts)


def _linked(part: SessionPart[Shown], named: str) -> str:
    if not named[:5].lower().startswith("turns"):
        return turn_link(part, int(named[5:]), named)
    written, stop = "", 0
    for number in _NUMBER.finditer(named):
        written += text(named[stop : number.start()]) + turn_link(part, int(number[0]), number[0])
        stop = number.end()
    return written + text(named[stop:])


def linked_turns(part: SessionPart[Shown], turns: Iterable[int]) -> str:
    """Turns by number, each a link."""
    return ", ".join(turn_link(part, turn, str(turn)) for turn in turns)
