"""Calls that a source has twice: a copy of a log, a rotated log that overlaps the next one, lines that were repeated.

A call is known by the id and the start that the log gives it, and by all that was sent and answered.  Does not judge
calls whose id the log does not give: two equal requests may have been sent.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, replace

import numpy as np

from analysis.formats.base import Problems
from analysis.model.session import MADE_UP_ID, Problem, Request, Session, Turn

MESSAGE = "a call that is logged twice, counted once."
_MADE_UP = re.compile(MADE_UP_ID)
_PARTS = tuple(field.name for field in fields(Request))
_Known = dict[tuple[str, float | None], list[Turn]]


def once(sessions: Iterable[Session]) -> tuple[list[Session], list[Problem]]:
    """The sessions of one source with every call once, where it stood first; what was dropped is a problem per file."""
    known: _Known = {}
    problems: dict[str, Problems] = {}
    found = []
    for session in sessions:
        turns = [*_new(session, known, problems.setdefault(session.file, Problems(session.file)))]
        if len(turns) == len(session.turns):
            found.append(session)
        elif turns:
            numbered = tuple(replace(turn, number=number) for number, turn in enumerate(turns, 1))
            found.append(replace(session, turns=numbered))
    return found, [problem for one in problems.values() for problem in one.listed()]


def _new(session: Session, known: _Known, problems: Problems) -> Iterator[Turn]:
    for turn in session.turns:
        if _MADE_UP.search(turn.request_id) is None:
            alike = known.setdefault((turn.request_id, turn.started_at), [])
            if any(_is_same(turn, other) for other in alike):
                problems.count("twice", turn.line, MESSAGE)
                continue
            alike.append(turn)
        yield turn


def _is_same(one: Turn, other: Turn) -> bool:
    answered = (one.usage, one.ended_at, one.reply) == (other.usage, other.ended_at, other.reply)
    return answered and all(_equal(getattr(one.request, name), getattr(other.request, name)) for name in _PARTS)


def _equal(one: object, other: object) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return isinstance(one, np.ndarray) and isinstance(other, np.ndarray) and np.array_equal(one, other)
    return one == other
