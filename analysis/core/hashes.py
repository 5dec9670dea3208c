"""vLLM's own block hashes, recomputed from token ids (``vllm/v1/core/kv_cache_utils.py``, 0.29 to 0.33).

A block's hash covers its parent's hash, its token ids and its extra keys.  Knows ``sha256`` (over a pickle) and
``sha256_cbor`` (over canonical CBOR), with the fixed seed that vLLM has used since 0.29; not xxhash, whose seed is
random in every process, and not those of a log's salted requests, whose salt is not kept (events carry theirs).
"""

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence

from analysis.core.media import extra_keys
from analysis.model.evidence import KvEvent
from analysis.model.prompt import BlockHash
from analysis.model.session import Json, Media

SEED = "vllm-none-hash"
LOW_64 = (1 << 64) - 1

Hasher = Callable[[object], bytes]


def hasher(algorithm: str) -> Hasher | None:
    """The hash function of a server's ``prefix_caching_hash_algo``; None for those that cannot be recomputed."""
    return {"sha256": _sha256_pickle, "sha256_cbor": _sha256_cbor}.get(algorithm)


def block_hashes(
    token_ids: Iterable[int],
    block_size: int,
    digest: Hasher,
    parent: BlockHash | None = None,
    media: Sequence[Media] = (),
    start: int = 0,
) -> Iterator[BlockHash]:
    """The hash of every full block of a request without adapter or salt.

    The ids begin at token ``start`` of the request, behind the block ``parent``.
    """
    ids = tuple(token_ids)
    known = BlockHash(digest(SEED)) if parent is None else parent
    for stop in range(block_size, len(ids) + 1, block_size):
        extra = extra_keys(media, start + stop - block_size, start + stop) or None
        known = BlockHash(digest((known, ids[stop - block_size : stop], extra)))
        yield known


def low_64(block_hash: BlockHash) -> int:
    """What KV cache events carry of a hash."""
    return int.from_bytes(block_hash, "big") & LOW_64


def recomputed(events: Iterable[KvEvent], digest: Hasher) -> tuple[int, int]:
    """How many announced hashes come out the same, and how many do not.

    Blocks behind a parent that was never announced are not counted, nor those of an adapter, whose path is hashed and
    not announced: their chain cannot be followed.
    """
    known: dict[int | None, BlockHash] = {None: BlockHash(digest(SEED))}
    same = different = 0
    for event in events:
        parent = known.get(event.parent_hash)
        if event.kind != "stored" or parent is None or event.adapter is not None:
            continue
        for index, announced in enumerate(event.hashes):
            ids = event.token_ids[index * event.block_size : (index + 1) * event.block_size]
            extra = event.extra_keys[index] if index < len(event.extra_keys) else None
            parent = BlockHash(digest((parent, ids, _tagged(extra))))
            same, different = (same + 1, different) if low_64(parent) == announced else (same, different + 1)
            known[announced] = parent
    return same, different


def _tagged(extra: Json) -> tuple[object, ...] | None:
    """Extra keys as they are hashed since 0.31: events carry a salt bare and an image as (id, offset)."""
    if not isinstance(extra, list | tuple):
        return None
    return tuple(("cache_salt", key) if isinstance(key, str) else ("mm", *key) for key in extra)


def _sha256_pickle(value: object) -> bytes:
    return hashlib.sha256(pickle.dumps(value, protocol=5)).digest()


def _sha256_cbor(value: object) -> bytes:
    return hashlib.sha256(_cbor(value)).digest()


def _cbor(value: object) -> bytes:
    """Canonical CBOR (RFC 8949) of what a block hash is made of: null, truth, integers, bytes, text, sequences."""
    if value is None or isinstance(value, bool):
        return {False: b"\xf4", True: b"\xf5", None: b"\xf6"}[value]
    if isinstance(value, int):
        return _cbor_head(0, value) if value >= 0 else _cbor_head(1, -1 - value)
    if isinstance(value, bytes):
        return _cbor_head(2, len(value)) + value
    if isinstance(value, str):
        return _cbor_head(3, len(value.encode())) + value.encode()
    if isinstance(value, tuple | list):
        return _cbor_head(4, len(value)) + b"".join(map(_cbor, value))
    raise TypeError(f"a block hash holds no {type(value).__name__}")


def _cbor_head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    for code, size in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if number < 1 << 8 * size:
            return bytes([major << 5 | code]) + number.to_bytes(size, "big")
    raise ValueError(f"{number} is too large for a token id or a length")
