"""What a family is asked: tokens that are never counted twice and never negative."""

import pytest

from analysis.causes.base import cause
from analysis.model.finding import Cause
from tests.evidence import evidence


@pytest.mark.parametrize(
    ("cached", "unlimited", "by_keys", "within_keys"),
    [
        pytest.param(0, 320, 0, 320, id="all with its own keys"),
        pytest.param(0, 0, 320, 0, id="all with other keys"),
        pytest.param(64, 128, 192, 64, id="some of each"),
        pytest.param(128, 64, 192, 0, id="more was hit than this log's keys explain"),
        pytest.param(320, 320, 0, 0, id="nothing missed"),
        pytest.param(None, 320, 0, 0, id="not reported"),
    ],
)
def test_missed_tokens(cached: int | None, unlimited: int, by_keys: int, within_keys: int) -> None:
    asked = evidence(cached, gap={"unlimited_tokens": unlimited})
    assert (asked.missed_by_keys, asked.missed_within_keys) == (by_keys, within_keys)
    assert asked.missed == by_keys + within_keys
    assert asked.cached == (cached or 0)


def test_a_cause_of_missed_tokens_was_not_rendered() -> None:
    assert cause("a/b", "likely", 3, "said", "do") == Cause("a/b", "likely", None, 3, None, "said", "do")
    assert cause("a/b", "likely", 3, "said", "do", segment="model").segment == "model"
