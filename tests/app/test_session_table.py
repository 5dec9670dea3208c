"""The table of sessions: rows of the store as figures."""

from dataclasses import replace

import pandas as pd
import pytest

from analysis.model.settings import Settings
from analysis.pipeline.importing import import_source
from analysis.pipeline.record import figures
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import read_source
from analysis.report.figure_words import Figure
from analysis.report.verdict import verdict
from analysis.store.imports import Import
from analysis.store.repository import Repository
from app.session_table import _costs, figures_of, in_tile, short, wasted
from tests.builders import ROOT
from tests.sample_store import analysed_samples, fill, record_of, text_record


def test_a_row_of_the_store_is_the_figures_of_its_session() -> None:
    repository = fill(":memory:")
    rows = {(row["session_id"], row["source"]): row for row in repository.sessions().to_dict("records")}
    for analysed in analysed_samples().values():
        for record in analysed.records:
            found, sums = figures_of(rows[record.session_id, record.source]), figures(record)
            here, there = found.costliest_segment, sums.costliest_segment
            assert (here and (here.path, here.role)) == (there and (there.path, there.role))
            for name in ("num_turns", "num_divergences", "wasted_tokens", "hit_rate", "costliest_turn", "top_cause"):
                assert getattr(found, name) == getattr(sums, name), name
    repository.close()


def test_a_session_that_was_compared_by_text_has_no_wasted_tokens() -> None:
    repository, record = Repository.open(":memory:"), text_record()
    repository.save(Import("a.jsonl", "s", 1, "as given", [record]))
    (row,) = repository.sessions().to_dict("records")
    found, sums = figures_of(row), figures(record)
    assert found.text_segment is not None and sums.text_segment is not None
    assert (found.text_segment.path, found.text_segment.role) == (sums.text_segment.path, "system")
    for name in ("text_turns", "text_changes", "text_turn", "costliest_turn", "top_cause"):
        assert getattr(found, name) == getattr(sums, name), name
    assert wasted(found) is None and verdict(found) == verdict(sums)


def test_waste_is_unknown_where_the_server_reported_nothing_and_nothing_was_lost() -> None:
    reported = figures(record_of("01"))
    silent = replace(reported, known_turns=0, known_prompt_tokens=0, cached_tokens=0)
    assert (wasted(reported), wasted(silent), wasted(replace(silent, lost_tokens=5))) == (0, None, 5)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        pytest.param("codex/rollout-2025-11-17T15-30-28.jsonl", "turns 2, 9 and 21 reused far less", id="counts"),
        pytest.param("openhands-calls/nonfncall-llm-logs", "another form in 1 request", id="replies"),
    ],
)
def test_the_store_and_the_record_say_the_same_of_a_log_without_tokens(log: str, said: str) -> None:
    repository = Repository.open(":memory:")
    source = read_source(ROOT / "tests" / "data" / "formats" / log)
    (record,) = import_source(source, Renderers(), Settings(), repository).records
    (row,) = repository.sessions().to_dict("records")
    found, sums = figures_of(row), figures(record)
    assert replace(found, text_segment=None) == replace(sums, text_segment=None)
    assert said in verdict(found) and verdict(found) == verdict(sums)


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0"), (999_999, "999,999"), (1_117_973, "1.12 M"), (10_000_000, "10.0 M"), (12_345_678_901, "12,345.7 M")],
)
def test_a_count_fits_into_its_tile(count: int, words: str) -> None:
    assert short(count) == words


@pytest.mark.parametrize(
    ("figure", "shown"),
    [
        (Figure("Lost", "999,999", "n", "w"), Figure("Lost", "999,999", "n", "w")),
        (Figure("Lost", "1,099,123", "n", "w"), Figure("Lost", "1.10 M", "n", "1,099,123. w")),
        (Figure("Hit rate", "91.2%"), Figure("Hit rate", "91.2%")),
        (Figure("Lost", "?"), Figure("Lost", "?")),
    ],
)
def test_a_figure_in_a_tile_keeps_its_exact_number_in_its_words(figure: Figure, shown: Figure) -> None:
    assert in_tile(figure) == shown


def test_seconds_are_the_same_in_whatever_order_the_sessions_stand() -> None:
    seconds = [9007199254740992.0, 1.0, 1.0]  # the first swallows each of the others that is added to it alone
    frames = [
        pd.DataFrame({"wasted_seconds": pd.array(values, "Float64"), "wasted_cost": pd.array([None] * 3, "Float64")})
        for values in (seconds, seconds[::-1])
    ]
    assert [tiles[0][1] for tiles in map(_costs, frames)] == ["9,007,199,254,740,994"] * 2
