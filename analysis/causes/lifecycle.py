"""The whole cache was emptied at once: a reset, or a restart.

A drop of all sessions is read from the log alone; it cannot tell a reset from a restart.
"""

from collections.abc import Iterator

from analysis.causes.base import Evidence, cause
from analysis.model.finding import Cause, Note

FIX = "Do not reset or restart the server while sessions run."


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """A reset between the previous turn and this one."""
    if not evidence.missed or evidence.gap is None:
        return
    if evidence.gap.cleared:
        said = "an AllBlocksCleared event stands between the previous turn and this one"
        yield cause("lifecycle/reset", "certain", evidence.missed, said, FIX)
    elif not evidence.cached and _dropped(evidence):
        yield cause(
            "lifecycle/reset",
            "likely",
            evidence.missed,
            "every session of this log starts at 0 again from one instant on; what decides: the server's start"
            " time, or AllBlocksCleared among its KV events",
            FIX,
        )


def _dropped(evidence: Evidence) -> bool:
    start = evidence.now.turn.started_at
    before = evidence.previous.turn if evidence.previous else None
    since = None if before is None else before.started_at if before.ended_at is None else before.ended_at
    if start is None or since is None:
        return False
    return any(since <= instant <= start for instant in evidence.source.dropped_at)
