"""Attributions that were made already: a turn is looked at as the newer and as the older one, and for its causes.

Bounded by tokens and not by entries: a long prompt's attribution is as large as its text.
"""

from collections import OrderedDict
from collections.abc import Callable

from analysis.model.prompt import Attribution
from analysis.model.session import JsonObject, Request

KEPT_TOKENS = 1_000_000  # about 20 MB of ids, starts and text

Key = tuple[int, float | None, int]


class Attributions:
    """Those used last.  Keeps the request and the reply, so that an id stands for one object only."""

    def __init__(self, kept_tokens: int = KEPT_TOKENS) -> None:
        """Start empty."""
        self._kept_tokens = kept_tokens
        self._tokens = 0
        self._made: OrderedDict[Key, tuple[Attribution, Request, JsonObject | None]] = OrderedDict()

    def of(
        self, request: Request, at: float | None, reply: JsonObject | None, make: Callable[[], Attribution]
    ) -> Attribution:
        """What was made for these, else what ``make`` makes now; an error of it is not remembered."""
        key = id(request), at, id(reply)
        known = self._made.get(key)
        if known is not None:
            self._made.move_to_end(key)
            return known[0]
        made = make()
        self._made[key] = (made, request, reply)
        self._tokens += len(made.token_ids)
        while self._tokens > self._kept_tokens:
            forgotten, _request, _reply = self._made.popitem(last=False)[1]
            self._tokens -= len(forgotten.token_ids)
        return made
