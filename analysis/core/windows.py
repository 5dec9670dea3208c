"""vLLM's prefix cache of models that mix full and sliding-window attention: what of a prompt can be hit.

Follows ``vllm/v1/core/single_type_kv_cache_manager.py`` and the retention rule since 0.30.  A hit that ends after
block ``c`` needs every full-attention block before it and the last ``ceil((window - 1) / block_size)`` window blocks;
window blocks are only kept near the end of a prompt, at a junction that was seen once, and at the retention interval.
Memory is unlimited here.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


@dataclass(slots=True, eq=False)
class Windows:
    """The cache of one hybrid model.  Sizes are tokens; ``retention`` None keeps every window block."""

    block_size: int
    window: int
    retention: int | None
    _full: set[int] = field(default_factory=set)
    _kept: set[int] = field(default_factory=set)

    def serve(self, contents: Numbers, prompt_tokens: int) -> int:
        """Blocks of the prompt that are hit; afterwards everything the request leaves is known.

        ``contents`` holds a number per full block of prompt and reply that stands for all tokens up to its end.
        """
        numbers = contents.tolist()
        limit = (prompt_tokens - 1) // self.block_size
        full = next((index for index, number in enumerate(numbers[:limit]) if number not in self._full), limit)
        full = min(full, len(numbers))
        hit = self._longest(numbers[:full])
        self._full.update(numbers)
        junction = full * self.block_size if full > hit else 0
        self._kept.update(
            numbers[index] for index in self._retained(len(numbers), prompt_tokens, junction) if index >= hit
        )
        return hit

    @property
    def _needed(self) -> int:
        """Window blocks in a row that a hit must end with."""
        return -(-(self.window - 1) // self.block_size)

    def _longest(self, numbers: list[int]) -> int:
        """The longest prefix that ends with enough window blocks, or whose window blocks reach back to its start."""
        run = 0
        for index in range(len(numbers) - 1, -1, -1):
            run = run + 1 if numbers[index] in self._kept else 0
            if run >= self._needed:
                return index + run
        return run

    def _retained(self, num_blocks: int, prompt_tokens: int, junction: int) -> set[int]:
        """Indices of the window blocks that are kept of a request."""
        every, needed = self.retention, self._needed
        if every is None or (every and needed >= every // self.block_size):
            return set(range(num_blocks))
        kept: set[int] = set()
        if every:
            stride = every // self.block_size
            kept.update(index for index in range(num_blocks) if index % stride >= stride - needed)
        for end in (prompt_tokens - 1, junction):
            last = end // self.block_size
            kept.update(range(max(0, last - needed), min(num_blocks, last)))
        return kept
