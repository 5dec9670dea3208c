"""One code undone over all turns of a session, cumulatively: every value comes from the turn restored before it.

Does not render: whether the fix helps is for the one who does.
"""

from collections.abc import Collection, Sequence

from analysis.causes.fixes import PER_SESSION_TEXT, Sent, head, undo
from analysis.model.session import JsonObject


def restored(
    code: str,
    sent: Sequence[Sent],
    replies: Sequence[JsonObject | None],
    starts: Collection[int] = (),
    knob: JsonObject | None = None,
    other: Sent | None = None,
) -> tuple[Sent, ...] | None:
    """The turns with a code undone; None where no change to the requests can undo it.

    ``starts`` are the places (0-based) of turns that begin anew on purpose: nothing is carried into them.  ``other`` is
    a request of another session, which only per-session text is compared with.
    """
    result: list[Sent] = []
    for place, now in enumerate(sent):
        if code == PER_SESSION_TEXT:
            fixed = None if other is None else undo(code, other, None, now)
        elif place == 0 or place in starts:
            stop = next((later for later in range(place + 1, len(sent)) if later in starts), len(sent))
            first = head(code, sent[place:stop], knob)
            fixed = first if undo(code, first, None, first, knob) is not None else None
        else:
            fixed = undo(code, result[-1], replies[place - 1], now, knob)
        if fixed is None:
            return None
        result.append(fixed)
    return tuple(result)
