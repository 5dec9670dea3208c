"""Arrays of a sequence that grows: each that begins with the last one lies in the same memory, so only the rest is new.

Says nothing of what the values are.  An array that begins differently gets memory of its own.
"""

from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Array = TypeVar("Array", bound=npt.NDArray[Any])

ROOM = 2  # times its length that a sequence gets once it has grown


@dataclass(slots=True, eq=False)
class Growing:
    """The latest array of one sequence, and the memory that it lies in."""

    _last: npt.NDArray[Any] = field(default_factory=lambda: np.empty(0))
    _memory: npt.NDArray[Any] = field(default_factory=lambda: np.empty(0))

    def keep(self, array: Array) -> Array:
        """The same values, read-only; shape ``(length,)``."""
        known, length = len(self._last), len(array)
        grows = known and known <= length and self._last.dtype == array.dtype
        if not grows or not np.array_equal(self._last, array[:known]):
            self._memory = array.copy()
        elif length <= len(self._memory):
            self._memory[known:length] = array[known:]
        else:
            self._memory = np.empty(ROOM * length, array.dtype)
            self._memory[:length] = array
        self._last = self._memory[:length]
        self._last.flags.writeable = False
        return self._last  # type: ignore[return-value]
