"""What survives a rerun: the address, the caches that follow the store, and the rows of the block map."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import streamlit as st

from analysis.model.finding import BLOCK_STATES
from analysis.pipeline.importing import store
from app import state
from tests.app.dashboard import bring
from tests.sample_store import record_of, sample, sample_renderers

pytestmark = pytest.mark.usefixtures("session_state")


def address(**names: str) -> None:
    st.query_params.clear()
    st.query_params.update(names)


LAST = (2168 - 1) // 16  # the last block of turn 7


@pytest.mark.parametrize(
    ("turn", "block", "cell"),
    [
        pytest.param("7", "77", (7, 77), id="a cell"),
        pytest.param("7", "0", (7, 0), id="the first block"),
        pytest.param("7", str(LAST), (7, LAST), id="the last block"),
        pytest.param("7", str(LAST + 1), (7, LAST), id="behind the prompt"),
        pytest.param("7", "", (7, 0), id="no block"),
        pytest.param("7", "-1", (7, 0), id="a negative block"),
        pytest.param("7", "1e3", (7, 0), id="a block that is no number"),
        pytest.param("", "77", None, id="no turn"),
        pytest.param("abc", "77", None, id="a turn that is no number"),
        pytest.param("0", "77", None, id="turn zero"),
        pytest.param("99", "77", None, id="no such turn"),
        pytest.param("7" * 99, "77", None, id="a turn beyond every number"),
        pytest.param("²", "77", None, id="a digit that is no number"),
    ],
)
def test_a_cell_in_the_address(turn: str, block: str, cell: tuple[int, int] | None) -> None:
    address(turn=turn, block=block)
    assert state.picked(record_of("02")) == cell


def test_a_turn_without_tokens_has_no_cells() -> None:
    record = record_of("02")
    unknown = replace(record, turns=tuple(replace(turn, prompt_tokens=None) for turn in record.turns))
    address(turn="7", block="1")
    assert state.picked(unknown) is None


def test_a_pick_is_found_again_at_its_address() -> None:
    state.pick(7, 77)
    assert dict(st.query_params) == {"turn": "7", "block": "77"}
    assert state.picked(record_of("02")) == (7, 77)


def test_the_session_in_the_address() -> None:
    assert state.session_in_url() is None
    address(session="12", turn="3")
    assert state.session_in_url() == 12
    state.show_in_url(12)
    assert dict(st.query_params) == {"session": "12", "turn": "3"}, "the same session keeps its place"
    address()
    state.show_in_url(5)
    assert st.query_params["session"] == "5" and state.last_opened() == 5


def test_opening_a_session_makes_its_row_fresh() -> None:
    assert (state.last_opened(), state.table_number()) == (None, 0)
    state.open_session(4)
    assert (state.last_opened(), state.table_number()) == (4, 1)


def test_a_message_is_said_once() -> None:
    assert state.said() is None
    state.say("2 sessions analysed")
    assert state.said() == "2 sessions analysed" and state.said() is None


def test_a_path_is_taken_as_it_is_typed() -> None:
    assert state.typed_path("  ~/logs/a b.jsonl ") == Path.home() / "logs" / "a b.jsonl"


def test_what_is_shown_follows_the_store(database: Path) -> None:
    bring("02")
    before = state.stamp()
    assert state.session(1) == replace(record_of("02"), turns=state.session(1).turns)  # type: ignore[union-attr]
    assert state.session(2) is None and state.full_ids(2) == {}
    bring("07")
    after = state.stamp()
    assert after != before and after[0] == str(database)
    found = state.session(2)
    assert found is not None and found.session_id == record_of("07").session_id
    assert state.session(1) is state.session(1), "read once per state of the store"


def test_a_forgotten_import_is_gone_at_once(database: Path) -> None:
    bring("02", "07")
    assert state.session(1) is not None
    state.forget([1])
    assert state.session(1) is None and state.session(2) is not None
    assert state.table_number() == 1, "what was selected is gone with it"


def test_the_rows_of_a_map_are_the_runs_of_its_turns(database: Path) -> None:
    bring("02")
    record = record_of("02")
    rows, payload = state.map_rows(1)
    assert payload and rows.block_size == 16
    assert list(rows.turn_numbers) == [turn.turn for turn in record.turns]
    assert list(rows.num_blocks) == [-(-(turn.prompt_tokens or 0) // 16) for turn in record.turns]
    assert list(rows.cached_blocks) == [(turn.cached_tokens or 0) / 16 for turn in record.turns]
    assert list(rows.divergences) == [
        (row, turn.divergence.block) for row, turn in enumerate(record.turns) if turn.divergence
    ]
    for row, turn in enumerate(record.turns):
        kept = slice(int(rows.run_offsets[row]), int(rows.run_offsets[row + 1]))
        assert rows.run_starts[kept].tolist() == [run.start for run in turn.block_runs]
        assert [BLOCK_STATES[index] for index in rows.run_states[kept]] == [run.state for run in turn.block_runs]


def test_turns_without_tokens_are_empty_rows(database: Path) -> None:
    record = record_of("02")
    second = replace(record.turns[1], account=None, cached_tokens=None, prompt_tokens=None, block_runs=(), turn=5)
    ids = (*record.full_ids[:1], None, *record.full_ids[2:3])
    kept = replace(record, turns=(record.turns[0], second, replace(record.turns[2], turn=6)), full_ids=ids)
    store(replace(sample("02"), records=(kept,)), sample_renderers(), state.repository())
    rows, _payload = state.map_rows(1)
    assert list(rows.turn_numbers) == [1, 5, 6] and rows.num_blocks[1] == 0
    assert rows.cached_blocks[1] is None and rows.prompt_tokens is not None and rows.prompt_tokens[1] is None
    assert rows.run_offsets[1] == rows.run_offsets[2] < rows.run_offsets[3] == len(rows.run_starts)
    assert np.all(rows.run_starts[rows.run_offsets[:1]] == 0)
