"""vLLM's own block hashes: every one that a recorded server announced, and the encoder against the standard."""

import hashlib
import pickle
from dataclasses import replace

import pytest

from analysis.core.hashes import SEED, Hasher, _cbor, block_hashes, hasher, low_64, recomputed
from analysis.formats.kv_events import read
from analysis.model.evidence import KvEvent
from analysis.model.prompt import BlockHash
from analysis.model.session import Media
from tests.builders import ROOT

EVENTS = ROOT / "tests" / "data" / "kv_events"


def known(algorithm: str) -> Hasher:
    found = hasher(algorithm)
    assert found is not None
    return found


SHA256, CBOR = known("sha256"), known("sha256_cbor")


def events(name: str) -> tuple[KvEvent, ...]:
    path = EVENTS / f"{name}.jsonl"
    return read(path.read_bytes(), path.name)[0]


@pytest.mark.parametrize(("name", "count"), [("evicted-200-blocks", 960), ("serve-block128", 7), ("busy-server", 746)])
def test_every_announced_hash_is_recomputed(name: str, count: int) -> None:
    assert recomputed(events(name), SHA256) == (count, 0)
    assert sum(len(event.hashes) for event in events(name) if event.kind == "stored") == count


def test_another_token_breaks_the_block_and_all_behind_it() -> None:
    first, *rest = (event for event in events("evicted-200-blocks") if event.kind == "stored")
    changed = (first.token_ids[0] + 1, *first.token_ids[1:])
    same, different = recomputed([replace(first, token_ids=changed)], SHA256)
    assert (same, different) == (0, len(first.hashes))
    assert recomputed([replace(first, hashes=(1, *first.hashes[1:])), *rest[:1]], SHA256)[1] == 1


def test_another_algorithm_gives_no_hash_the_same() -> None:
    assert recomputed(events("serve-block128"), CBOR) == (0, 7)


def test_what_cannot_be_followed_is_not_counted() -> None:
    first, *rest = (event for event in events("evicted-200-blocks") if event.kind == "stored")
    assert recomputed(rest[:1], SHA256) == (0, 0), "its parent was never announced"
    assert recomputed([replace(first, adapter="sql")], SHA256) == (0, 0), "the path of an adapter is not announced"
    removed = [event for event in events("evicted-200-blocks") if event.kind == "removed"]
    assert recomputed(removed, SHA256) == (0, 0)


def test_a_salt_and_an_image_are_hashed_with_their_tag() -> None:
    """As ``generate_block_hash_extra_keys`` has tagged them since 0.31; events carry them bare."""
    seed = hashlib.sha256(pickle.dumps(SEED, protocol=5)).digest()
    extra = (("mm", "d1ce", 1), ("cache_salt", "s-1"))
    digest = hashlib.sha256(pickle.dumps((seed, (1, 2), extra), protocol=5)).digest()
    announced = int.from_bytes(digest[-8:], "big")
    event = KvEvent(0.0, "stored", (announced,), None, (1, 2), 2, ([["d1ce", 1], "s-1"],))
    assert recomputed([event], SHA256) == (1, 0)
    assert recomputed([replace(event, extra_keys=(["s-1"],))], SHA256) == (0, 1)


def test_block_hashes_chain() -> None:
    hashes = list(block_hashes(range(10), 4, SHA256))
    assert len(hashes) == 2, "a partial block has none"
    assert list(block_hashes(range(4, 8), 4, SHA256, hashes[0])) == hashes[1:]
    assert list(block_hashes(range(8), 8, SHA256)) != hashes[1:], "the size of a block counts"
    assert list(block_hashes([], 4, SHA256)) == []


def test_an_image_is_hashed_with_the_blocks_it_stands_in_also_from_the_middle() -> None:
    ids, image = list(range(40)), [Media(10, 20, "9f")]
    plain = list(block_hashes(ids, 8, SHA256))
    seen = list(block_hashes(ids, 8, SHA256, media=image))
    assert seen[0] == plain[0] and not set(seen[1:]) & set(plain)
    assert seen[1] == SHA256((seen[0], tuple(ids[8:16]), (("mm", "9f", 2),)))
    assert list(block_hashes(ids[16:], 8, SHA256, seen[1], image, 16)) == seen[2:]


def test_low_64() -> None:
    assert low_64(BlockHash(bytes(range(32)))) == 0x18191A1B1C1D1E1F
    assert low_64(BlockHash(b"\1" + bytes(31))) == 0


@pytest.mark.parametrize("name", ["xxhash", "xxhash_cbor", "builtin", "SHA256", ""])
def test_what_cannot_be_recomputed_has_no_hasher(name: str) -> None:
    assert hasher(name) is None


@pytest.mark.parametrize(
    ("value", "encoded"),
    [
        (0, "00"),
        (10, "0a"),
        (23, "17"),
        (24, "1818"),
        (25, "1819"),
        (100, "1864"),
        (255, "18ff"),
        (256, "190100"),
        (1000, "1903e8"),
        (65535, "19ffff"),
        (65536, "1a00010000"),
        (1000000, "1a000f4240"),
        (1000000000000, "1b000000e8d4a51000"),
        (18446744073709551615, "1bffffffffffffffff"),
        (-1, "20"),
        (-10, "29"),
        (-100, "3863"),
        (-1000, "3903e7"),
        (-18446744073709551616, "3bffffffffffffffff"),
        (None, "f6"),
        (False, "f4"),
        (True, "f5"),
        (b"", "40"),
        (bytes.fromhex("01020304"), "4401020304"),
        ("", "60"),
        ("IETF", "6449455446"),
        ('"\\', "62225c"),
        ("ü", "62c3bc"),
        ("水", "63e6b0b4"),
        ("𐅑", "64f0908591"),
        ([], "80"),
        ((1, 2, 3), "83010203"),
        ([1, [2, 3], [4, 5]], "8301820203820405"),
        (list(range(1, 26)), "98190102030405060708090a0b0c0d0e0f101112131415161718181819"),
    ],
    ids=lambda value: value if isinstance(value, str) and value else repr(value)[:20],
)
def test_cbor_of_the_standard(value: object, encoded: str) -> None:
    """The examples of RFC 8949, appendix A, for what a block hash is made of."""
    assert _cbor(value).hex() == encoded


@pytest.mark.parametrize("value", [1.5, {"a": 1}, {1}], ids=str)
def test_what_no_block_hash_holds_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="holds no"):
        _cbor(value)


def test_a_number_beyond_64_bits_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        _cbor(2**64)


def test_cbor_hashes_chain_over_the_same_three_parts() -> None:
    seed = hashlib.sha256(b"\x6e" + SEED.encode()).digest()
    block = hashlib.sha256(b"\x83" + b"\x58\x20" + seed + b"\x82\x01\x02" + b"\xf6").digest()
    assert list(block_hashes([1, 2], 2, CBOR)) == [block]
