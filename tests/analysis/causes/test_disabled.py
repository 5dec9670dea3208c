"""The cache was not read: by this request, or by the server."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.causes import disabled
from tests.evidence import SETTINGS, evidence, found, said

OFF = {"settings": replace(SETTINGS, prefix_caching=False)}
SKIPS: dict[str, Any] = {"skips_cache": True}
ZERO: dict[str, Any] = {"all_zero": True}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({"now": SKIPS}, [("disabled/skip-read", "certain")], id="the request asks for prompt logprobs"),
        pytest.param({"source": OFF}, [("disabled/flag", "certain")], id="the server says so"),
        pytest.param({"source": ZERO}, [("disabled/flag", "possible")], id="nothing but zeros"),
        pytest.param({"now": SKIPS, "source": OFF}, [("disabled/skip-read", "certain")], id="both: the request"),
        pytest.param({"source": {**OFF, **ZERO}}, [("disabled/flag", "certain")], id="zeros, and the server says so"),
        pytest.param({"source": {"settings": replace(SETTINGS, prefix_caching=True)}}, [], id="switched on"),
        pytest.param({}, [], id="nothing is said"),
        pytest.param({"cached": 16, "now": SKIPS}, [], id="something was hit"),
        pytest.param({"cached": 16, "source": OFF}, [], id="something was hit, whatever the server says"),
        pytest.param({"best": 0, "source": OFF}, [], id="nothing was missed"),
        pytest.param({"cached": None, "source": OFF}, [], id="nothing was reported"),
    ],
)
def test_disabled(asked: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(list(disabled.explain(evidence(**asked)))) == expected


def test_a_cache_that_is_not_read_has_no_keys() -> None:
    """The salt differs as well, but no salt would have helped; it stays in sight and owns nothing."""
    salted = evidence(gap={"unlimited_tokens": 0}, now={"salt": "B"}, then={"salt": "A"}, source=OFF)
    assert found(salted)[0] == [("disabled/flag", "certain", 320), ("key/cache-salt", "certain", 0)]


def test_zeros_lose_to_what_is_better_proven() -> None:
    long_pause = {"other_requests": 3, "idle_seconds": 95.0}
    assert found(evidence(source=ZERO, gap=long_pause))[0][0] == ("capacity/eviction", "likely", 320)
    assert found(evidence(source=ZERO, gap={"other_requests": 3}))[0][0] == ("disabled/flag", "possible", 320)
