"""What the session page costs the server: opening it from the store, and going on to another cell of its map.

Measured without a browser and without a socket.  Run by hand: ``pytest -m benchmark -s tests/benchmarks``.
"""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from analysis.pipeline.importing import analyse_source, store
from analysis.pipeline.sources import LogFile, Source
from analysis.store.repository import Repository
from app import state
from app.block_map import message
from tests.benchmarks.long_session import long_log
from tests.builders import ROOT
from tests.sample_store import GIVEN, fill, sample_renderers

pytestmark = pytest.mark.benchmark

PAGE = ROOT / "pages" / "session.py"
FRAGMENT = """
import streamlit as st
from app import session_view, state
session_key = state.session_in_url()
session_view.explorer(state.session(session_key), session_key)
"""
SECONDS = 120  # the longest wait for a run
PICKS = 20


@pytest.fixture(scope="module", params=["11-long-haul", "200 turns"])
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database whose second session is the one to be measured; the first one warms the imports up."""
    file = tmp_path_factory.mktemp("dashboard") / "store.duckdb"
    if request.param == "11-long-haul":
        fill(file, "01", "11").close()
        return file
    repository: Repository = fill(file, "01")
    source = Source("long.jsonl", (LogFile("long.jsonl", long_log()),))
    store(analyse_source(source, sample_renderers(), GIVEN), sample_renderers(), repository)
    repository.close()
    return file


def test_session_page(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(database))
    forget()
    measured(lambda: run(AppTest.from_file(str(PAGE)), 1))
    forget()
    wall, cpu = measured(lambda: run(AppTest.from_file(str(PAGE)), 2))
    again_wall, again_cpu = measured(lambda: run(AppTest.from_file(str(PAGE)), 2))
    record = state.session(2)
    assert record is not None
    tokens = sum(turn.prompt_tokens or 0 for turn in record.turns)
    print(f"\n{record.file}: {len(record.turns)} turns, {tokens:,} prompt tokens")
    print(f"  session page, nothing cached: {wall * 1e3:.0f} ms, {cpu * 1e3:.0f} ms CPU", end="; ")
    print(f"cached: {again_wall * 1e3:.0f} ms, {again_cpu * 1e3:.0f} ms CPU")
    rows, payload = state.map_rows(2)
    print(f"  block map: {len(message(payload, (1, 0))):,} bytes for {sum(rows.num_blocks):,} blocks", end="")
    print(f" in {len(rows.run_starts):,} runs")
    cells = [(rows.turn_numbers[row], block) for row, block in rows.divergences]
    fragment = AppTest.from_string(FRAGMENT)
    run(fragment, 2, cells[0])
    costs = [measured(lambda cell=cell: run(fragment, 2, cell)) for cell in (cells * PICKS)[:PICKS]]
    middle = [sorted(cost[kind] for cost in costs)[PICKS // 2] * 1e3 for kind in (0, 1)]
    most = max(cost[1] for cost in costs) * 1e3
    print(f"  after a pick: {middle[0]:.0f} ms, {middle[1]:.0f} ms CPU (median of {PICKS}; at most {most:.0f} ms CPU)")


def run(page: AppTest, session_key: int, cell: tuple[int, int] | None = None) -> None:
    """One run of a script for this URL; what it raises, it raises here."""
    page.query_params["session"] = str(session_key)
    if cell is not None:
        page.query_params["turn"], page.query_params["block"] = map(str, cell)
    page.run(timeout=SECONDS)
    assert not page.exception, page.exception[0].message
    assert cell is None or any(f"Turn {cell[0]} leaves" in heading.value for heading in page.subheader)


def forget() -> None:
    """Empty every cache of the dashboard, the open database included."""
    st.cache_resource.clear()
    st.cache_data.clear()


def measured(work: Callable[[], None]) -> tuple[float, float]:
    """Seconds on the clock and seconds of CPU."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu
