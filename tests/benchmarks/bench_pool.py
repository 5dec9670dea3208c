"""Prediction of a large log: 30,000 requests and about 800 million prompt tokens through donor search and pool.

Run by hand: ``pytest -m benchmark -s tests/benchmarks/bench_pool.py``.  A session is one array of random ids that its
turns show ever more of, so what is measured beside it is the prediction.  Not measured: reading and rendering a log.
"""

import resource
import sys
import time
from collections.abc import Iterator

import numpy as np
import pytest

from analysis.core.serving import Asked, Served, Serving
from analysis.model.session import TokenIds
from analysis.model.settings import Settings

pytestmark = pytest.mark.benchmark

NUM_SESSIONS = 1_000
AT_ONCE = 10  # sessions that take turns; then the next ten come, as in a day of traffic
TURNS = 30
SHARED_TOKENS = 2_000  # system text of all sessions
FIRST_TOKENS = 10_000  # of a first prompt
MORE_TOKENS = 1_150  # a turn, its reply included
REPLY_TOKENS = 300
SETTINGS = Settings(16, "given", num_blocks=20_000)
MOST_SECONDS, MOST_GB = 120, 3.0  # CPU-seconds and resident memory


def test_a_large_log() -> None:
    started = time.process_time()
    serving = Serving(SETTINGS)
    served = list(_served(serving))
    removed = serving.all_removed() or []
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1 << 30 if sys.platform == "darwin" else 1 << 20)
    prompt_tokens = sum(one.asked.prompt_tokens for one in served)
    repeated = sum(one.asked.lcp_tokens for one in served) / prompt_tokens
    hits = sum(one.hit_tokens for one in served) / prompt_tokens
    print(
        f"\n{len(served):,} requests, {prompt_tokens:,} prompt tokens, {repeated:.0%} repeated, {hits:.0%} hit,",
        end=" ",
    )
    print(f"{len(removed):,} blocks removed: {seconds:.1f} CPU-s, peak {peak:.2f} GB resident")
    assert len(served) == NUM_SESSIONS * TURNS and prompt_tokens > 790_000_000
    assert repeated > 0.9 and 0.1 < hits < repeated, "the pool must both keep and take"
    assert seconds < MOST_SECONDS and peak < MOST_GB


def _served(serving: Serving) -> Iterator[Served]:
    """Serve everything; a few sessions at a time, turn by turn."""
    shared = np.random.default_rng(0).integers(0, 150_000, SHARED_TOKENS, np.int32)
    for first in range(1, NUM_SESSIONS, AT_ONCE):
        sessions = {number: _ids(number, shared) for number in range(first, first + AT_ONCE)}
        last: dict[int, Served] = {}
        for turn in range(TURNS):
            for number, ids in sessions.items():
                before = last.get(number)
                prompt_tokens = FIRST_TOKENS + turn * MORE_TOKENS
                full, lcp = ids[: prompt_tokens + REPLY_TOKENS], len(before.asked.full_ids) if before else 0
                last[number] = serving.serve(Asked(full, prompt_tokens, "model", previous=before, lcp_tokens=lcp))
                yield last[number]


def _ids(number: int, shared: TokenIds) -> TokenIds:
    """Everything that a session ever says."""
    ids = np.random.default_rng(number).integers(0, 150_000, FIRST_TOKENS + TURNS * MORE_TOKENS, np.int32)
    ids[:SHARED_TOKENS] = shared
    return ids
