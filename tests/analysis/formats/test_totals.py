"""Counts: whether a prompt has its cached tokens in it is settled from the total of the call."""

import pytest

from analysis.formats.totals import settled
from analysis.model.session import Usage


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        pytest.param({"total": 105}, Usage(100, 5, 90, "reported"), id="the total says within"),
        pytest.param({"total": 195}, Usage(190, 5, 90, "reported"), id="the total says beside"),
        pytest.param({"total": 105, "apart": True}, Usage(100, 5, 90, "reported"), id="the total beats the rule"),
        pytest.param({"apart": True}, Usage(190, 5, 90, "reported"), id="without a total the rule"),
        pytest.param({"total": 7, "apart": True}, Usage(190, 5, 90, "reported"), id="a total of something else"),
        pytest.param({}, Usage(100, 5, 90, "reported"), id="within by default"),
        pytest.param({"created": 10, "total": 205}, Usage(200, 5, 90, "reported"), id="created tokens beside as well"),
        pytest.param({"prompt": 10}, Usage(100, 5, 90, "reported"), id="more than the prompt cannot be within"),
        pytest.param({"cached": None, "total": 105}, Usage(100, 5, None, "omitted"), id="not said"),
        pytest.param({"cached": 0, "total": 105}, Usage(100, 5, 0, "reported"), id="zero is zero"),
        pytest.param({"prompt": None, "cached": None}, Usage(None, 5), id="no counts"),
    ],
)
def test_inclusion_is_settled(said: dict[str, object], counted: Usage) -> None:
    given = {"prompt": 100, "output": 5, "cached": 90, **said}
    assert settled(**given) == counted  # type: ignore[arg-type]
