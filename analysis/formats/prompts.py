"""Prompts of completion requests, texts or token ids: how much two have in common, and where to look for those that do.

Two prompts are alike that share at least half of the shorter one.  Does not know sessions or messages.
"""

from collections.abc import Hashable
from typing import TypeAlias

from analysis.core.align import common_prefix
from analysis.model.session import TokenIds

Prompt: TypeAlias = "str | TokenIds | None"

LEVELS = (1, 32, 256, 2048)  # leading characters or ids by which prompts are filed, each for prompts twice as long


def shared(old: Prompt, new: Prompt, least: int = 0) -> int:
    """Leading characters or token ids in common; 0 if that is less than half of the shorter prompt, or than ``least``.

    Most prompts that have less in common differ at that place as well, so that is looked at first.
    """
    if old is None or new is None:
        return 0
    shorter = min(len(old), len(new))
    known = max(-(-shorter // 2), least)
    if not 0 < known <= shorter or old[known - 1] != new[known - 1]:
        return 0
    if isinstance(old, str) and isinstance(new, str):
        return _common_text(old, new, known, shorter) if old[:known] == new[:known] else 0
    if isinstance(old, str) or isinstance(new, str):
        return 0
    found = common_prefix(old, new)
    return found if found >= known else 0


def filed_under(prompt: Prompt) -> list[Hashable]:
    """The keys of a prompt: of those that look for one like it, every one finds it under at least one of them."""
    levels = _levels(prompt)
    return [*(("from", key) for key in levels), ("is", levels[-1])]


def looked_up(prompt: Prompt) -> list[Hashable]:
    """The keys under which all prompts that are like this one are filed."""
    *shorter, own = _levels(prompt)
    return [*(("is", key) for key in shorter), ("from", own)]


def _levels(prompt: Prompt) -> list[Hashable]:
    """The beginnings of a prompt that one like it shares, if it is not shorter; the longest last."""
    if prompt is None:
        return [None]
    fitting = [level for level in LEVELS if 2 * level <= len(prompt)] or [LEVELS[0]]
    return [prompt[:level] if isinstance(prompt, str) else prompt[:level].tobytes() for level in fitting]


def _common_text(old: str, new: str, known: int, most: int) -> int:
    """Characters in common, at least ``known`` and at most ``most``: found by halves, each compared as a whole."""
    while known < most:
        middle = (known + most + 1) // 2
        if old[known:middle] == new[known:middle]:
            known = middle
        else:
            most = middle - 1
    return known
