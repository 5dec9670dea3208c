"""Text about one user in front of a system text that sessions share: the first turn of a session, held against others.

Told by the requests of other sessions of the same model, as far as they came before.
"""

from collections.abc import Sequence

import numpy as np

from analysis.causes.comparison import Suspect
from analysis.causes.fixes import PER_SESSION_TEXT, Sent, line_last
from analysis.causes.messages import system_of, text
from analysis.causes.volatile_text import same_start
from analysis.core.align import seen_elsewhere
from analysis.core.quoting import quoted
from analysis.model.session import Request, TokenIds

LEAST_SHARED = 128  # tokens behind the line: below, there is nothing to win
NEAR_THE_TOP = 0.34  # of the system text
LONGEST_LINE = 240  # characters about one user


def per_session(now: Sent, ids: TokenIds, others: Sequence[tuple[Sent, TokenIds]]) -> tuple[Suspect, Sent] | None:
    """The line that keeps a first turn from the prefix that other sessions have, and the request of one of them."""
    mine = system_of(now.request)
    if mine is None:
        return None
    for other, other_ids in others:
        theirs = system_of(other.request)
        if theirs is None or _names(other.request) != _names(now.request):
            continue
        line = _own_line(text(theirs), text(mine))
        if line is not None and _shared(ids, other_ids) >= LEAST_SHARED:
            return _suspect(text(mine).split("\n")[line]), other
    return None


def _own_line(theirs: str, mine: str) -> int | None:
    """The line near the top that is all that differs: added to the other text, or another one in its place."""
    at = same_start(theirs, mine)
    if theirs == mine or at >= NEAR_THE_TOP * len(mine):
        return None
    line = mine.count("\n", 0, at)
    own, other = mine.split("\n"), theirs.split("\n")
    behind = own[line + 1 :]
    if not own[line].strip() or len(own[line]) > LONGEST_LINE or line_last(mine, line) == mine:
        return None
    return line if behind in (other[line:], other[line + 1 :]) else None


def _shared(ids: TokenIds, other: TokenIds) -> int:
    """Tokens that stand in both, though not in the common prefix."""
    shortest = min(len(ids), len(other))
    differs = ids[:shortest] != other[:shortest]
    start = int(differs.argmax()) if differs.any() else shortest
    return int(np.count_nonzero(seen_elsewhere(ids[start:], other[start:])))


def _names(request: Request) -> list[str]:
    return [str(tool.get("function", tool)) for tool in request.tools]


def _suspect(line: str) -> Suspect:
    said = f"other sessions have the same system text without this line near its top: {quoted(line)}"
    fix = "Move the text about one user to the end of the system message, or into the first message of the user."
    return Suspect(PER_SESSION_TEXT, "messages[0].content", said, fix, "likely")
