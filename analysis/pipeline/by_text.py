"""Turns whose tokens are unknown, compared by the text of their requests.

Claims nothing of what a log does not hold: a system prompt or tools that one of the two requests lacks are left out of
both, and requests of which only one was cut off, or that were blacked out, are not compared.
"""

from dataclasses import replace

import numpy as np

from analysis.causes.comparison import Comparison
from analysis.causes.fixes import Sent
from analysis.causes.request_text import Known, compared, texts
from analysis.model.finding import TextComparison
from analysis.model.session import Mark, Request, Turn

NO_IDS = np.empty(0, np.int32)
UNEQUAL: frozenset[Mark] = frozenset({"no_system", "truncated"})  # where only one side has it, nothing can be compared


def text_comparison(then: Turn, now: Turn, known: Known) -> TextComparison | None:
    """A request beside the one before it, by text; None where that would say nothing."""
    sides = _sides(then, now)
    if sides is None:
        return None
    old, new = sides
    before = texts(old, then.reply, known)
    is_reply_apart = then.reply is not None and not isinstance(old.prompt, str)
    return compared(then.number, before, texts(new, None, known), len(before) - is_reply_apart)


def without_ids(then: Turn, now: Turn, continues: int | None, later: Request | None) -> Comparison | None:
    """The same two requests as the families of causes compare them, without token ids; None where there are none."""
    sides = _sides(then, now)
    if sides is None:
        return None
    old, new = (Sent(request, turn.started_at) for request, turn in zip(sides, (then, now), strict=True))
    return Comparison(old, new, then.reply, NO_IDS, NO_IDS, 0, continues=continues, later=later)


def _sides(then: Turn, now: Turn) -> tuple[Request, Request] | None:
    """The two requests with what both of them hold; None where they cannot be compared."""
    either, only_one = then.completeness | now.completeness, then.completeness ^ now.completeness
    texts = all(one.request.messages or isinstance(one.request.prompt, str) for one in (then, now))
    if not texts or then.request.kind != now.request.kind or "redacted" in either or only_one & UNEQUAL:
        return None
    if "no_tools" in either:
        return replace(then.request, tools=()), replace(now.request, tools=())
    return then.request, now.request
