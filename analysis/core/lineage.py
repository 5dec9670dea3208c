"""Which earlier request a prompt could reuse most: the donor.

Holds the requests of one server history in the order they were scheduled.  Every full block has a number per scope
that stands for all tokens up to its end; a scope is what blocks are shared within: the keys of a request, or a
session.  Does not know about eviction.
"""

from collections.abc import Hashable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from analysis.core.align import common_prefix
from analysis.core.blocks import Fingerprints
from analysis.model.session import TokenIds

Numbers = npt.NDArray[np.int64]

NOBODY = -1


@dataclass(frozen=True, slots=True)
class Candidate:
    """An earlier request (its index in the history) and the leading tokens it shares with the prompt."""

    index: int
    lcp_tokens: int


@dataclass(slots=True)
class History:
    """Requests scheduled so far, with what they left behind."""

    block_size: int
    _sequences: list[TokenIds] = field(default_factory=list)
    _numbers: dict[Hashable, dict[int, int]] = field(default_factory=dict)
    _latest: Numbers = field(default_factory=lambda: np.full(1024, NOBODY, np.int64))  # by number: its latest request
    _latest_by_token: dict[Hashable, dict[int, int]] = field(default_factory=dict)
    _used: int = 0

    def number(
        self, blocks: Fingerprints, scope: Hashable, known: Numbers | None = None, known_blocks: int = 0
    ) -> Numbers:
        """The numbers of full blocks in a scope; shape as ``blocks``.

        ``known`` are numbers in the same scope of a sequence whose first ``known_blocks`` blocks are the same.
        """
        numbers = self._numbers.setdefault(scope, {})
        shared = 0 if known is None else min(known_blocks, len(known), len(blocks))
        result = np.empty(len(blocks), np.int64)
        if known is not None:
            result[:shared] = known[:shared]
        for index, block in enumerate(blocks[shared:].tolist(), shared):
            found = numbers.get(block)
            if found is None:
                found = numbers[block] = self._used
                self._used += 1
            result[index] = found
        if self._used > len(self._latest):
            more = np.full(max(self._used, 2 * len(self._latest)) - len(self._latest), NOBODY, np.int64)
            self._latest = np.concatenate([self._latest, more])
        return result

    def add(self, ids: TokenIds, numbers: dict[Hashable, Numbers]) -> int:
        """Record a scheduled request with its prompt's blocks by scope; return its index in the history."""
        index = len(self._sequences)
        self._sequences.append(ids)
        self._reveal(index, ids, numbers)
        return index

    def extend(self, index: int, full_ids: TokenIds, numbers: dict[Hashable, Numbers]) -> None:
        """Record what a request generated: from now on its blocks can be hit as well."""
        self._sequences[index] = full_ids
        self._reveal(index, full_ids, numbers)

    @property
    def num_requests(self) -> int:
        """How many requests were scheduled: the next one's index."""
        return len(self._sequences)

    def tokens_of(self, index: int) -> int:
        """Tokens that are known of a request: its prompt while it runs, the reply as well once it has ended."""
        return len(self._sequences[index])

    def donor(
        self, prompt: TokenIds, numbers: Numbers, scope: Hashable, preferred: Candidate | None = None
    ) -> Candidate | None:
        """The candidate in scope that shares most whole blocks; ties go to ``preferred``, then to the latest.

        ``numbers`` are those of the prompt's full blocks.  None where no candidate shares a token.
        """
        shared = leading(self._latest[numbers] != NOBODY)
        if preferred is not None and preferred.lcp_tokens >= max(1, shared * self.block_size):
            return preferred
        index = int(self._latest[numbers[shared - 1]]) if shared else self._first_token_match(prompt, scope)
        if index is None:
            return None
        return Candidate(index, common_prefix(self._sequences[index], prompt))

    def _reveal(self, index: int, ids: TokenIds, numbers: dict[Hashable, Numbers]) -> None:
        for scope, of_scope in numbers.items():
            self._latest[of_scope] = np.maximum(self._latest[of_scope], index)
            if len(ids):
                latest = self._latest_by_token.setdefault(scope, {})
                latest[int(ids[0])] = max(index, latest.get(int(ids[0]), NOBODY))

    def _first_token_match(self, prompt: TokenIds, scope: Hashable) -> int | None:
        if not len(prompt):
            return None
        return self._latest_by_token.get(scope, {}).get(int(prompt[0]))


def leading(flags: npt.NDArray[np.bool_]) -> int:
    """How many flags are set before the first that is not."""
    return len(flags) if flags.all() else int(flags.argmin())
