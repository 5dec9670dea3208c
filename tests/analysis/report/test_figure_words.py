"""Figures in plain words: the account as one sum."""

import pytest

from analysis.model.finding import Account
from analysis.report.figure_words import account_sentence
from tests.sample_store import analysed_samples


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


def test_the_sum_is_right_for_every_sample_turn() -> None:
    for analysed in analysed_samples().values():
        for turn in (turn for record in analysed.records for turn in record.turns):
            assert turn.account is not None and turn.prompt_tokens is not None
            left, right = account_sentence(turn.account, turn.prompt_tokens).split(" · ")[0].split(" = ")
            terms = [int(term.split()[0].replace(",", "")) for term in right.split(" + ")]
            assert int(left.split()[0].replace(",", "")) == sum(terms)
