"""Sessions that have one key in several files of a source: one that went on in another file, or several runs.

A log of calls is rotated, and a key in it is that of a session.  A transcript is whole, and its key may only name what
was worked on: two files with it are two runs, unless one begins with all that the other has.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from analysis.formats import CALL_LOGS
from analysis.formats.grouping import known_times
from analysis.model.session import Session

ROTATED = frozenset(known.name for known in CALL_LOGS)


def continued(sessions: Sequence[Session]) -> list[Session]:
    """The sessions of one source, pieces of one session joined; no two with a key of the log are called alike."""
    pieces: dict[str, list[Session]] = {}
    for index, session in enumerate(told_apart(sessions)):
        pieces.setdefault(f"{index}" if session.inferred else f"key {session.session_id}", []).append(session)
    return [_joined(found) for found in pieces.values()]


def told_apart(sessions: Sequence[Session]) -> list[Session]:
    """The same sessions; of several runs under one key the first keeps it, others are called by their files as well."""
    runs: dict[str, dict[str, list[Session]]] = {}
    found = []
    for session in sessions:
        if not session.inferred:
            known = runs.setdefault(session.session_id, {})
            named = next((name for name, run in known.items() if _is_one(run, session)), None) or _name(session, known)
            known.setdefault(named, []).append(session)
            session = session if named == session.session_id else replace(session, session_id=named)
        found.append(session)
    return found


def _name(run: Session, known: Collection[str]) -> str:
    if not known:
        return run.session_id
    named, number = f"{run.session_id} ({run.file})", 1
    while named in known:
        number += 1
        named = f"{run.session_id} ({run.file}, {number})"
    return named


def _is_one(run: Sequence[Session], session: Session) -> bool:
    if session.log_format in ROTATED and run[0].log_format in ROTATED:
        return True
    return any(_goes_on(piece, session) or _goes_on(session, piece) for piece in run)


def _goes_on(earlier: Session, later: Session) -> bool:
    """Whether a transcript begins with all that the last request of another one had, and more."""
    first, lineage = later.turns[0].request.messages, later.turns[0].lineage
    last = next((turn.request.messages for turn in reversed(earlier.turns) if turn.lineage == lineage), ())
    return 0 < len(last) < len(first) and first[: len(last)] == last


def _joined(pieces: Sequence[Session]) -> Session:
    if len(pieces) == 1:
        return pieces[0]
    turns = [turn for piece in pieces for turn in piece.turns]
    times = known_times([turn.started_at for turn in turns])
    order = sorted(range(len(turns)), key=lambda index: times[index])
    return replace(
        pieces[0],
        file=" + ".join(dict.fromkeys(piece.file for piece in pieces)),
        turns=tuple(replace(turns[index], number=number) for number, index in enumerate(order, 1)),
    )
