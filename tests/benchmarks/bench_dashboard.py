"""What the dashboard costs on its longest sample: opening the session, a pick in its map, and the map itself.

Run by hand: ``pytest -m benchmark -s tests/benchmarks``.  Times are of the server alone: the browser paints beside it.
"""

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from app import state
from app.palette import LIGHT
from app.token_view import comparison_html, differing, side
from tests.builders import ROOT
from tests.sample_store import fill, record_of

pytestmark = pytest.mark.benchmark

ROUNDS = 10
PICKED = 36  # the turn after which most tokens were lost


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    """Without Streamlit's remark, once a round, that no browser is there."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with the longest sample in it."""
    file = tmp_path / "long.duckdb"
    fill(file, "11").close()
    monkeypatch.setenv("WHYMISS_DB", str(file))
    st.cache_resource.clear()
    return file


def timed(action: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of the quickest round: by the wall clock and of the processor."""
    rounds = []
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        action()
        rounds.append((time.perf_counter() - wall, time.process_time() - cpu))
    return 1e3 * min(wall for wall, _cpu in rounds), 1e3 * min(cpu for _wall, cpu in rounds)


def opened(turn: int | None = None) -> AppTest:
    page = AppTest.from_file(str(ROOT / "app" / "main.py"), default_timeout=60)
    page.query_params["session"] = "1"
    if turn is not None:
        page.query_params["turn"] = str(turn)
    return page.switch_page("../pages/session.py").run()


def test_opening_the_session_page(database: Path) -> None:
    assert not opened().exception  # imports, which only the first visitor pays for

    def cold() -> None:
        state.repository().close()
        st.cache_resource.clear()
        opened()

    for name, action in (("from the file", cold), ("from the caches", opened)):
        wall, cpu = timed(action)
        print(f"\n{len(record_of('11').turns)} turns opened {name}: {wall:.0f} ms, {cpu:.0f} ms of the processor")


def test_a_rerun_after_a_pick(database: Path) -> None:
    page = opened(PICKED)
    turns = iter(range(2, 2 + ROUNDS))

    def pick() -> None:
        page.query_params["turn"] = str(next(turns))
        page.run()
        assert not page.exception

    wall, cpu = timed(pick)
    print(f"\nthe whole page again after a pick: {wall:.0f} ms, {cpu:.0f} ms of the processor")


def test_the_comparison_of_two_turns(database: Path) -> None:
    ids = state.repository().full_ids(1)
    turns = record_of("11").turns[PICKED - 2 : PICKED]
    marks = differing(*(ids[turn.turn] for turn in turns))
    texts = state.token_bytes(turns[0].model, {token for turn in turns for token in ids[turn.turn].tolist()})
    sides = [side(turn, ids[turn.turn], mark, 0, 1024, "Turn") for turn, mark in zip(turns, marks, strict=True)]
    _wall, compared = timed(lambda: differing(*(ids[turn.turn] for turn in turns)))
    _wall, written = timed(lambda: comparison_html(sides, texts, 16, 100, LIGHT))
    page = comparison_html(sides, texts, 16, 100, LIGHT)
    print(f"\n64 blocks of two turns: compared in {compared:.1f} ms, {len(page):,} bytes written in {written:.1f} ms")


def test_the_map_s_payload(database: Path) -> None:
    rows, payload = state.map_rows(1)
    blocks = sum(rows.num_blocks)
    _wall, cpu = timed(lambda: (state._map_rows.clear(), state.map_rows(1)))
    print(f"\nmap: {blocks:,} blocks in {len(rows.run_starts):,} runs, {len(payload):,} bytes, made in {cpu:.1f} ms")
    assert len(payload) < blocks, "less than a byte per block"
