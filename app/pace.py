"""How far a long piece of work is, in words: what is done, of how much, and how long the rest may take.

Speaks no more often than a person can read.  The estimate takes what is left to go as fast as what was done.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf

SECONDS_BETWEEN = 0.1
SECONDS_TO_JUDGE = 2.0  # before that an estimate is worth nothing


@dataclass(slots=True)
class Pace:
    """One piece of work, stage after stage; ``clock`` counts seconds."""

    clock: Callable[[], float] = time.monotonic
    _stage: str = ""
    _begun: float = 0.0
    _said: float = -inf

    def line(self, stage: str, done: int, total: int) -> str | None:
        """What to show now; None where something was shown a moment ago.  The end of a stage is always shown."""
        now = self.clock()
        if stage != self._stage:
            self._stage, self._begun, self._said = stage, now, -inf
        if done < total and now - self._said < SECONDS_BETWEEN:
            return None
        self._said = now
        return f"{_amount(stage, done, total)}{_left(now - self._begun, done, total)}"


def _amount(stage: str, done: int, total: int) -> str:
    unit, _space, rest = stage.partition(" ")
    if unit != "bytes" or total < 1_000_000:
        return f"{done:,} of {total:,} {stage}"
    return f"{done / 1e6:,.1f} of {total / 1e6:,.1f} MB {rest}"


def _left(elapsed: float, done: int, total: int) -> str:
    if elapsed < SECONDS_TO_JUDGE or not 0 < done < total:
        return ""
    seconds = elapsed * (total - done) / done
    return f", about {_rounded(seconds)} left"


def _rounded(seconds: float) -> str:
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
