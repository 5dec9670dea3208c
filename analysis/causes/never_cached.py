"""Nothing was ever cached: what the requests say of a service that caches only what a client marks.

Anthropic's API does: without ``cache_control`` in the request no prefix is kept (Anthropic, Prompt caching).  Does not
look at tokens, and says nothing of a model that had a hit anywhere in the log.
"""

from collections.abc import Mapping

from analysis.causes.base import Evidence, cause
from analysis.causes.disabled import FIX
from analysis.core.quoting import quoted
from analysis.model.finding import Cause
from analysis.model.session import Request

CODE = "disabled/flag"
MARK = "cache_control"
ON_DEMAND = ("claude", "anthropic")  # in the name of a model whose service caches what is marked, and nothing else
MARK_IT = (
    "Mark the end of what stays the same with cache_control: a setting of the client, often called prompt caching."
)


def configured(evidence: Evidence, missed: int) -> Cause | None:
    """The configuration as the cause of missed tokens; None where this model had a hit, or too few turns to tell."""
    turn = evidence.now.turn
    if turn.request.model not in evidence.source.never_cached:
        return None
    model = quoted(turn.request.model)
    none = f"no turn of {model} in this log had a single cached token, although the messages only grew"
    on_demand = any(name in turn.request.model.lower() for name in ON_DEMAND)
    if not on_demand or marks(turn.request):
        decides = "what decides: whether prefix caching is on, and from how many tokens on the service caches a prompt"
        return cause(CODE, "possible", missed, f"{none}; {decides}", FIX)
    if "reconstructed" in turn.completeness:
        said = f"{none}; this service caches only what is marked with {MARK}, and the log does not say what was"
        return cause(CODE, "possible", missed, said, MARK_IT)
    said = f"{none}: the requests mark nothing with {MARK}, and this service caches only what is marked"
    return cause(CODE, "likely", missed, said, MARK_IT, segment=MARK)


def marks(request: Request) -> bool:
    """Whether a part of a request is marked for caching; the newest message, which clients mark, is looked at first."""
    return any(map(_holds, (*reversed(request.messages), *request.tools)))


def but_for_marks(one: object, other: object) -> bool:
    """Whether two values of requests are the same but for the marks in them, which clients move from turn to turn.

    No prompt holds a mark.  What is shared by both is not looked into, and the first difference ends the comparison.
    """
    if one is other:
        return True
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        names = one.keys() - {MARK}
        return names == other.keys() - {MARK} and all(but_for_marks(one[name], other[name]) for name in names)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(but_for_marks, one, other))
    return one == other


def _holds(value: object) -> bool:
    if isinstance(value, Mapping):
        return value.get(MARK) is not None or any(_holds(item) for item in value.values())
    return isinstance(value, list | tuple) and any(map(_holds, value))
