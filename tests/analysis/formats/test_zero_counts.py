"""Zeros that a client may have made up."""

import pytest

from analysis.formats.calls import entry, usage
from analysis.formats.zero_counts import without_doubtful_zeros


@pytest.mark.parametrize(
    ("said", "counting", "expected"),
    [
        pytest.param([("m", 0), ("m", 0)], (), [None, None], id="never another count"),
        pytest.param([("m", 0), ("m", 9)], (), [0, 9], id="another count later"),
        pytest.param([("m", 0), ("n", 9)], (), [None, 9], id="of another model"),
        pytest.param([("m", 0)], ("m",), [0], id="known to count by something else"),
        pytest.param([("m", None)], (), [None], id="no count"),
    ],
)
def test_zeros(said: list[tuple[str, int | None]], counting: tuple[str, ...], expected: list[int | None]) -> None:
    entries = [entry(1, model, [], usage=usage(10, 2, cached)) for model, cached in said]
    found = [one.turn.usage for one in without_doubtful_zeros(entries, counting)]
    assert [one.cached_tokens for one in found] == expected
    assert all((one.prompt_tokens, one.output_tokens) == (10, 2) for one in found)
    assert all((one.cached_basis == "omitted") is (one.cached_tokens is None) for one in found)
