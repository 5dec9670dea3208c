"""Causes that the tokens show: what the families say of a divergence, with the tokens that each owns.

Cause k owns the lost tokens from its place to the next cause's.
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from analysis.causes import tokenisation
from analysis.causes.base import Evidence
from analysis.causes.comparison import ChangeFamily, TextFamily
from analysis.causes.fixes import undo
from analysis.causes.peel import Found, Peel
from analysis.causes.sharing import per_session
from analysis.causes.truncation import truncated
from analysis.causes.unrendered import listed
from analysis.core.align import common_prefix
from analysis.core.blocks import reusable_tokens
from analysis.model.finding import Cause, Part


def visible(evidence: Evidence, changes: tuple[ChangeFamily, ...], texts: tuple[TextFamily, ...]) -> tuple[Cause, ...]:
    """The causes of a turn in the order of its prompt, the first that is no alternative open, the others hidden."""
    found = _found(evidence, changes, texts)
    owned = _owned([one.token for one in found], evidence.now.parts, evidence.now.prompt_tokens or 0)
    return tuple(
        Cause(
            code=one.suspect.code,
            confidence=one.suspect.confidence,
            segment=one.suspect.path,
            tokens=tokens,
            recovers=one.saved,
            evidence=one.suspect.evidence,
            fix=one.suspect.fix,
            hidden=index > 0,
            deliberate=one.suspect.deliberate,
        )
        for index, (one, tokens) in enumerate(zip(found, owned, strict=True))
    )


def _found(evidence: Evidence, changes: tuple[ChangeFamily, ...], texts: tuple[TextFamily, ...]) -> list[Found]:
    now, previous = evidence.now, evidence.previous
    if now.fidelity == "mismatch":
        cut = truncated(now, previous)
        return [Found(cut, 0)] if cut else []
    if previous is None:
        return _first_turn(evidence)
    comparison = evidence.comparison
    if comparison is None or previous.fidelity == "mismatch":
        return []
    if now.divergence is None:
        behind = tokenisation.separator(comparison)
        return [Found(behind, len(comparison.old_ids) + 1)] if behind else []
    rendering = comparison.rendering
    rendered = rendering.ids(comparison.now) if rendering is not None else None
    if rendered is None or not np.array_equal(rendered, comparison.new_ids):
        return listed(comparison, changes)
    size = evidence.source.settings.hit_size
    return Peel(comparison, now.best_tokens or 0, size, changes, texts).all()


def _first_turn(evidence: Evidence) -> list[Found]:
    """What keeps the first turn of a session from the prefix of others, and what moving it saves."""
    first = evidence.first
    if first is None:
        return []
    found = per_session(first.now, first.ids, first.others)
    if found is None:
        return []
    suspect, other = found
    moved = undo(suspect.code, other, None, first.now)
    ids = first.rendering.ids(moved) if first.rendering is not None and moved is not None else None
    token = max((common_prefix(ids_of, first.ids) for _sent, ids_of in first.others), default=0)
    if ids is None:
        return [Found(suspect, token)]
    size, best = evidence.source.settings.hit_size, evidence.now.best_tokens or 0
    shared = max(common_prefix(ids_of, ids) for _sent, ids_of in first.others)
    computed = len(ids) - reusable_tokens(shared, len(ids), size)
    return [Found(suspect, token, len(first.ids) - best - computed)]


def _owned(places: Sequence[int | None], parts: Sequence[Part], prompt_tokens: int) -> list[int]:
    """Lost tokens from each place to the next; a cause whose place is not known owns none."""
    edges = [0, *[place for place in places if place is not None][1:], prompt_tokens]
    spans = pairwise(edges)
    owned = []
    for place in places:
        start, stop = (0, 0) if place is None else next(spans)
        owned.append(sum(_overlap(part, start, stop) for part in parts if part.name == "lost"))
    return owned


def _overlap(part: Part, start: int, stop: int) -> int:
    return max(0, min(part.stop, stop) - max(part.start, start))
