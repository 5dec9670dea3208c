"""Counts: whether a prompt has its cached tokens in it is settled from the total of the call."""

import pytest

from analysis.formats.totals import Counts, settled
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
        pytest.param({"prompt": 10, "total": 15}, Usage(100, 5, 90, "reported"), id="nor by the total"),
        pytest.param(
            {"prompt": 10, "cached": 0, "created": 5000}, Usage(5010, 5, 0, "reported"), id="nor those newly created"
        ),
        pytest.param({"cached": 60, "created": 41}, Usage(201, 5, 60, "reported"), id="nor both together"),
        pytest.param({"cached": 60, "created": 40}, Usage(100, 5, 60, "reported"), id="both may be all of it"),
        pytest.param({"cached": None, "total": 105}, Usage(100, 5, None, "omitted"), id="not said"),
        pytest.param({"cached": 0, "total": 105}, Usage(100, 5, 0, "reported"), id="zero is zero"),
        pytest.param({"prompt": None, "cached": None}, Usage(None, 5), id="no counts"),
    ],
)
def test_inclusion_is_settled(said: dict[str, object], counted: Usage) -> None:
    given = {"prompt": 100, "output": 5, "cached": 90, **said}
    assert settled(**given) == counted  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("counts", "shows", "prompt"),
    [
        pytest.param(Counts(100, 5, 90), None, 190, id="open: as the others do"),
        pytest.param(Counts(100, 5, 90, total=105), False, 100, id="within: its own total goes first"),
        pytest.param(Counts(10, 5, 90), True, 100, id="apart"),
        pytest.param(Counts(100, 5, 0), None, 100, id="nothing cached"),
        pytest.param(Counts(None, 5, 90), None, None, id="no prompt"),
    ],
)
def test_other_calls_settle_what_a_call_leaves_open(counts: Counts, shows: bool | None, prompt: int | None) -> None:
    assert (counts.shows_apart, counts.usage(others_apart=True).prompt_tokens) == (shows, prompt)
