"""How big the block map's payload is and what packing costs.  Run by hand: pytest -m benchmark -s <this file>."""

from collections.abc import Callable
from time import perf_counter

import pytest

from app.block_map import BlockRows, pack
from tests.app.sample_rows import noisy_session, typical_session

pytestmark = pytest.mark.benchmark

ROUNDS = 20


def fastest(action: Callable[[], object]) -> float:
    """Seconds of the quickest round: the one that the machine disturbed least."""
    seconds = []
    for _ in range(ROUNDS):
        started = perf_counter()
        action()
        seconds.append(perf_counter() - started)
    return min(seconds)


def report(name: str, rows: BlockRows) -> float:
    payload = pack(rows)
    seconds = fastest(lambda: pack(rows))
    cells = sum(rows.num_blocks)
    print(
        f"\n{name}: {len(rows.turn_numbers)} turns, {cells:,} blocks in {len(rows.run_starts):,} runs,"
        f" {len(rows.divergences)} divergences: {len(payload):,} bytes"
        f" ({cells / len(payload):.1f} blocks per byte), packed in {seconds * 1e3:.2f} ms"
    )
    return seconds


def test_payload_and_pack_time() -> None:
    typical = report("typical", typical_session())
    noisy = report("noisy", noisy_session())
    print(f"packing the noisy session takes {noisy / typical:.1f} times as long as the typical one")
