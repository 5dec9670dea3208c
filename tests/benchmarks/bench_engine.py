"""The engine on a long session: tokenising, the whole analysis, and what a token costs in the store.

Run by hand: ``pytest -m benchmark -s tests/benchmarks``.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from analysis.model.session import Log, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.record import records
from analysis.render.template import TemplateRenderer
from analysis.store.imports import Import
from analysis.store.repository import Repository
from tests.benchmarks.long_session import SAMPLES, long_log
from tests.builders import read_log

pytestmark = pytest.mark.benchmark


@pytest.fixture(scope="module")
def long_data() -> bytes:
    return long_log()


def test_tokenising_a_growing_session() -> None:
    turns = _turns(read_log(long_log(num_turns=100, tokens_per_turn=745), "long.jsonl", "long"))
    renderer = TemplateRenderer.load(str(SAMPLES / "model"))
    texts = [renderer._text(turn.request, turn.started_at) for turn in turns]
    whole_seconds, whole = _timed(
        lambda: [renderer._files.tokenizer.encode(text, add_special_tokens=False).ids for text in texts]
    )
    cached_seconds, cached = _timed(lambda: [renderer._tokens.encode(text) for text in texts])
    assert all(np.array_equal(left, right) for left, right in zip(whole, cached, strict=True))
    tokens = sum(map(len, cached))
    print(f"\ntokenising 100 turns, {tokens:,} tokens: every turn whole {whole_seconds:.2f} CPU-s, segments", end=" ")
    print(f"{cached_seconds:.3f} CPU-s: {whole_seconds / cached_seconds:.0f}x")


def test_analysis_of_a_long_session(long_data: bytes) -> None:
    read_seconds, log = _timed(lambda: read_log(long_data, "long.jsonl", "long"))
    renderer = TemplateRenderer.load(str(SAMPLES / "model"))
    seconds, analyses = _timed(lambda: analyse(log.sessions, lambda _model: renderer, Settings(16, "given")))
    turns = analyses[0].turns
    tokens = sum(turn.prompt_tokens or 0 for turn in turns)
    diverged = sum(turn.divergence is not None for turn in turns)
    print(f"\nanalysis of {len(turns)} turns, {tokens:,} prompt tokens, {diverged} divergences:", end=" ")
    print(f"read {read_seconds:.2f} + analyse {seconds:.2f} CPU-s = {read_seconds + seconds:.2f} CPU-s")


def test_bytes_stored_per_token(long_data: bytes, tmp_path: Path) -> None:
    renderer = TemplateRenderer.load(str(SAMPLES / "model"))
    log = read_log(long_data, "long.jsonl", "long")
    made = records(analyse(log.sessions, lambda _model: renderer, Settings(16, "given")))
    file = tmp_path / "store.duckdb"
    repository = Repository.open(file)
    seconds, _key = _timed(lambda: repository.save(Import("long.jsonl", "0", len(long_data), "{}", made)))
    repository.close()
    tokens = sum(turn.prompt_tokens or 0 for turn in made[0].turns)
    size = file.stat().st_size
    print(f"\nstore: {size:,} bytes for {tokens:,} prompt tokens = {size / tokens:.3f} bytes a token", end="")
    print(f" ({len(long_data) / tokens:.2f} bytes a token in the log), saved in {seconds:.2f} CPU-s")


def _turns(log: Log) -> list[Turn]:
    return [turn for session in log.sessions for turn in session.turns]


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result
