"""The map: a row a turn, the states in the account's words, marks for divergence and hit, links to the turns."""

import re
from dataclasses import replace

from analysis.model.finding import BlockRun, BlockState
from analysis.report.page_map import FINENESS, block_map
from tests.sample_reports import part


def test_every_turn_is_a_row_that_leads_to_it() -> None:
    drawn = block_map(part("03"))
    assert re.findall(r'href="#(s1t\d+)"', drawn) == [f"s1t{turn}" for turn in range(1, 9)]
    assert drawn.count('class="mark"') == 7 + 1, "seven divergences and the legend"
    assert drawn.count('class="tick"') == 8 + 1
    assert "Turn 2: 1,756 prompt tokens, 32 cached, 1,610 lost, leaves turn 1 at token 44" in drawn


def test_the_legend_has_the_states_that_are_drawn() -> None:
    legend = block_map(part("03")).partition("legend")[2]
    assert "seen before, but behind a change" in legend and "yet computed again" not in legend
    silent = block_map(part("12"))
    assert "the server did not say" in silent and 'class="tick"' not in silent


def test_a_picture_has_words_and_is_reached_by_keys() -> None:
    drawn = block_map(part("03"))
    assert 'role="group" aria-label="Block map of 8 turns' in drawn and 'aria-live="polite"' in drawn
    assert drawn.count("<title>") == 8


def test_long_prompts_share_columns_and_stay_small() -> None:
    drawn = block_map(part("11"))
    assert len(drawn) < 100_000 and drawn.count('class="row"') == 70
    assert max(len(runs) for runs in re.findall(r' d="([^"]*)"', drawn)) < FINENESS[0] * 40


def test_without_tokens_there_is_no_map() -> None:
    unknown = replace(part("03"), turns=tuple(replace(turn, runs=()) for turn in part("03").turns))
    assert block_map(unknown).startswith("<p>No turn of this session has known tokens")


def test_a_noisy_session_of_many_turns_is_drawn_in_fewer_columns() -> None:
    states: tuple[BlockState, BlockState] = ("lost", "new")
    noise = tuple(BlockRun(at, at + 1, states[at % 3 % 2]) for at in range(12_500))
    noisy = replace(part("03"), turns=tuple(replace(part("03").turns[1], turn=at, runs=noise) for at in range(200)))
    assert len(block_map(noisy)) < 400_000
