"""Which earlier request a prompt could reuse most: the donor.

Holds the requests of one server history in the order they were served.  Does not know about eviction or salts that
were never seen: two requests share blocks when their keys are equal, and within one session whatever their keys.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field

from analysis.core.align import common_prefix
from analysis.core.blocks import Fingerprints
from analysis.model.session import TokenIds


@dataclass(frozen=True, slots=True)
class Candidate:
    """An earlier request (its index in the history) and the leading tokens it shares with the prompt."""

    index: int
    lcp_tokens: int


@dataclass(slots=True)
class History:
    """Requests served so far.  ``scope`` is what blocks are shared within: the keys of a request, or a session."""

    block_size: int
    _sequences: list[TokenIds] = field(default_factory=list)
    _latest_by_block: dict[Hashable, dict[int, int]] = field(default_factory=dict)
    _latest_by_token: dict[Hashable, dict[int, int]] = field(default_factory=dict)

    def add(self, full_ids: TokenIds, blocks: Fingerprints, scopes: tuple[Hashable, ...]) -> int:
        """Record what a request left in the cache; return its index in the history."""
        index = len(self._sequences)
        self._sequences.append(full_ids)
        keys = blocks.tolist()
        for scope in scopes:
            self._latest_by_block.setdefault(scope, {}).update(dict.fromkeys(keys, index))
            if len(full_ids):
                self._latest_by_token.setdefault(scope, {})[int(full_ids[0])] = index
        return index

    def donor(
        self, prompt: TokenIds, blocks: Fingerprints, scope: Hashable, preferred: Candidate | None = None
    ) -> Candidate | None:
        """The candidate in scope that shares most whole blocks; ties go to ``preferred``, then to the latest.

        ``blocks`` are the fingerprints of the prompt's full blocks.  None where no candidate shares a token.
        """
        latest = self._latest_by_block.get(scope, {})
        keys = blocks.tolist()
        low, high = 0, len(keys)
        while low < high:  # a request that has a block has all blocks before it
            middle = (low + high + 1) // 2
            if keys[middle - 1] in latest:
                low = middle
            else:
                high = middle - 1
        if preferred is not None and preferred.lcp_tokens >= max(1, low * self.block_size):
            return preferred
        index = latest[keys[low - 1]] if low else self._first_token_match(prompt, scope)
        if index is None:
            return None
        return Candidate(index, common_prefix(self._sequences[index], prompt))

    def _first_token_match(self, prompt: TokenIds, scope: Hashable) -> int | None:
        if not len(prompt):
            return None
        return self._latest_by_token.get(scope, {}).get(int(prompt[0]))
