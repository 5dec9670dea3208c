"""Figures in plain words: the account as one sum."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.model.finding import Account
from analysis.pipeline.record import figures
from analysis.report.figure_words import account_sentence, key_figures, percent, share
from tests.sample_store import analysed_samples, record_of


@pytest.mark.parametrize(
    ("account", "prompt", "sentence"),
    [
        (
            Account(1232, 0, 7, 890, 39, None, 0),
            2168,
            "2,168 prompt tokens = 1,232 cached + 0 missed + 7 rounding + 890 lost + 39 new",
        ),
        (
            Account(None, None, 7, 890, 39, 1232, 0),
            2168,
            "2,168 prompt tokens = 1,232 reusable, not reported + 7 rounding + 890 lost + 39 new",
        ),
        (
            Account(48, 0, 0, 0, 2, None, 32),
            50,
            "50 prompt tokens = 48 cached + 0 missed + 0 rounding + 0 lost + 2 new"
            " · 32 of the cached tokens came from traffic outside this log",
        ),
    ],
)
def test_account_sentence(account: Account, prompt: int, sentence: str) -> None:
    assert account_sentence(account, prompt) == sentence


@pytest.mark.parametrize(
    ("fidelities", "values"),
    [
        pytest.param(("exact", "mismatch"), ["2", "3,354", "1.0%", "32", "0", "1,610"], id="some can be trusted"),
        pytest.param(("mismatch", "mismatch"), ["2", *["?"] * 5], id="none can be trusted"),
        pytest.param((None, None), ["2", "3,354", "1.0%", "?", "?", "?"], id="nothing but counts"),
    ],
)
def test_sums_are_given_as_far_as_they_can_be_trusted(fidelities: tuple[Any, ...], values: list[str]) -> None:
    record = record_of("03")
    turns = tuple(replace(turn, fidelity=basis) for turn, basis in zip(record.turns[:2], fidelities, strict=True))
    assert [one.value for one in key_figures(figures(replace(record, turns=turns)))] == values


def test_the_sum_is_right_for_every_sample_turn() -> None:
    for analysed in analysed_samples().values():
        for turn in (turn for record in analysed.records for turn in record.turns):
            assert turn.account is not None and turn.prompt_tokens is not None
            left, right = account_sentence(turn.account, turn.prompt_tokens).split(" · ")[0].split(" = ")
            terms = [int(term.split()[0].replace(",", "")) for term in right.split(" + ")]
            assert int(left.split()[0].replace(",", "")) == sum(terms)


def test_shares_are_percent_with_a_digit_and_unknown_is_no_zero() -> None:
    assert (share(0.12345), share(0.0), share(None)) == ("12.3%", "0.0%", "?")
    assert (percent(12.345), percent(0.0), percent(None)) == ("12.3%", "0.0%", "?")
