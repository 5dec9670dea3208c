"""Why a fix has no figure: every reason is words of ours, and what it names stands in quotes."""

import pytest

from analysis.causes import reasons
from analysis.core.quoting import split
from analysis.report.own_words import is_ours


@pytest.mark.parametrize(
    "said",
    [
        reasons.NO_CHANGE,
        reasons.NOTHING_RESTORED,
        reasons.NO_KNOB,
        reasons.TOO_LONG,
        reasons.SOME_UNKNOWN,
        reasons.unknown(7),
        reasons.not_text(7),
        reasons.renders_otherwise(7),
        reasons.no_tokenizer("acme/secret"),
    ],
)
def test_a_reason_is_ours(said: str) -> None:
    assert all(is_ours(words) and "acme" not in words for words, _value in split(said))
