"""A change to the requests of a session, made in each of its lineages: nothing is carried from one into another."""

from collections.abc import Callable, Sequence

from analysis.causes.fixes import Sent
from analysis.model.session import JsonObject, Session

# The requests of one lineage, their replies, and their places (0-based) in the session.
Changed = Callable[[Sequence[Sent], Sequence[JsonObject | None], Sequence[int]], Sequence[Sent] | None]


def each_lineage(session: Session, sent: Sequence[Sent], change: Changed) -> tuple[Sent, ...] | None:
    """All requests of a session, those of every lineage changed on their own.

    A lineage that ``change`` gives None for stays as it is; None where that is all of them.
    """
    places: dict[str | None, list[int]] = {}
    for place, turn in enumerate(session.turns):
        places.setdefault(turn.lineage, []).append(place)
    result = list(sent)
    is_changed = False
    for mine in places.values():
        found = change([sent[place] for place in mine], [session.turns[place].reply for place in mine], mine)
        if found is not None:
            is_changed = True
            for place, one in zip(mine, found, strict=True):
                result[place] = one
    return tuple(result) if is_changed else None
