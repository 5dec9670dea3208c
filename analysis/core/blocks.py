"""Blocks: how many a prompt fills, how many tokens a common prefix can reuse, and a fingerprint per block boundary.

The fingerprints stand for vLLM's chained block hashes where only equality within one analysis matters.  They are
not vLLM's hashes, and keys of a whole request (salt, adapter) must be told apart by the caller.
"""

import numpy as np
import numpy.typing as npt

from analysis.model.session import TokenIds

Fingerprints = npt.NDArray[np.uint64]

_ODD_1 = np.uint64(0x9E3779B97F4A7C15)
_ODD_2 = np.uint64(0xBF58476D1CE4E5B9)
_ODD_3 = np.uint64(0x94D049BB133111EB)


def full_blocks(num_tokens: int, block_size: int) -> int:
    """Blocks that the tokens fill; a partial tail is never cached."""
    return num_tokens // block_size


def reusable_tokens(common_tokens: int, prompt_tokens: int, block_size: int) -> int:
    """Tokens of a prompt that a common prefix lets the server reuse: whole blocks, never the last prompt token.

    vLLM ``kv_cache_manager.get_computed_blocks``: the longest hit is ``num_tokens - 1``.
    """
    return block_size * max(0, min(common_tokens // block_size, (prompt_tokens - 1) // block_size))


def left_behind(prompt_tokens: int, output_tokens: int) -> int:
    """Tokens whose keys and values a finished request leaves in the cache: all but the last sampled one."""
    return prompt_tokens + max(0, output_tokens - 1)


def fingerprints(
    token_ids: TokenIds,
    block_size: int,
    known: Fingerprints | None = None,
    known_tokens: int = 0,
    marks: Fingerprints | None = None,
) -> Fingerprints:
    """One 64-bit value per full block that depends on every token up to the block's end; shape ``(num_blocks,)``.

    ``known`` are the fingerprints of a sequence that shares the first ``known_tokens`` tokens: their blocks are
    taken over, so a growing prompt is hashed once.  ``marks`` holds a number per block that tells apart blocks of
    equal tokens.
    """
    num_blocks = full_blocks(len(token_ids), block_size)
    shared = 0 if known is None else min(known_tokens // block_size, len(known), num_blocks)
    start = shared * block_size
    positions = np.arange(start, num_blocks * block_size, dtype=np.uint64)
    mixed = token_ids[start : num_blocks * block_size].astype(np.uint64)
    mixed += positions * _ODD_1
    mixed ^= mixed >> np.uint64(30)
    mixed *= _ODD_2
    mixed ^= mixed >> np.uint64(27)
    mixed *= _ODD_3
    mixed ^= mixed >> np.uint64(31)
    sums = mixed.reshape(-1, block_size).sum(axis=1, dtype=np.uint64)
    if marks is not None:
        sums += marks[shared:]
    result = np.empty(num_blocks, np.uint64)
    if shared and known is not None:
        result[:shared] = known[:shared]
        sums[:1] += known[shared - 1]
    result[shared:] = np.cumsum(sums, dtype=np.uint64)
    return result
