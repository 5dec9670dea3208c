"""Windows, checkpoints, large blocks and drafting: from the settings, or from the pattern of all hits."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.causes import hybrid
from tests.evidence import SETTINGS, evidence, found, said

WINDOW = {"settings": replace(SETTINGS, window=256)}
DRAFTING = {"settings": replace(SETTINGS, spec_decode=True)}
ALIGNED = {"settings": replace(SETTINGS, mamba_cache_mode="align")}
UNIT: dict[str, Any] = {"unit": 528}


def predicted(tokens: int, **more: Any) -> dict[str, Any]:
    return {"gap": {"predicted_tokens": tokens, **more}, "cached": tokens}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param(
            {**predicted(64), "source": WINDOW}, [("hybrid/sliding-window", "likely")], id="what the window lets hit"
        ),
        pytest.param(
            {**predicted(304), "source": DRAFTING}, [("spec-decode/block-drop", "likely")], id="drafting drops a block"
        ),
        pytest.param(
            {"cached": 304, "source": {"short_by_block": True}},
            [("spec-decode/block-drop", "possible")],
            id="every hit is a block short",
        ),
        pytest.param({"cached": 96, "source": ALIGNED}, [("hybrid/checkpoint", "likely")], id="aligned checkpoints"),
        pytest.param(
            {"cached": 528, "best": 1120, "source": {**ALIGNED, **UNIT}},
            [("hybrid/checkpoint", "likely")],
            id="aligned checkpoints of a common unit",
        ),
        pytest.param(
            {"cached": 528, "best": 1040, "source": UNIT}, [("granularity/large-block", "possible")], id="a common unit"
        ),
        pytest.param({}, [], id="nothing is said"),
        pytest.param({"cached": 64, "source": WINDOW}, [], id="the window would have let more be hit"),
        pytest.param({"cached": 288, "source": DRAFTING}, [], id="two blocks short"),
        pytest.param({"cached": 500, "best": 1040, "source": UNIT}, [], id="a hit beside the unit"),
        pytest.param({"cached": 0, "best": 1120, "source": UNIT}, [], id="more than a unit is missing"),
        pytest.param({"cached": 500, "best": 1040, "source": {**ALIGNED, **UNIT}}, [], id="no checkpoint at this hit"),
        pytest.param(
            {"source": {"settings": replace(SETTINGS, mamba_cache_mode="all")}}, [], id="state is kept everywhere"
        ),
        pytest.param(
            {"cached": 64, "gap": {"kept_tokens": 64, "predicted_tokens": 64}, "source": WINDOW},
            [],
            id="the pool alone explains it",
        ),
        pytest.param({"gap": {"unlimited_tokens": 0}, "source": ALIGNED}, [], id="other keys explain it"),
        pytest.param({"best": 0, "source": ALIGNED}, [], id="nothing was missed"),
        pytest.param({"cached": None, "source": ALIGNED}, [], id="nothing was reported"),
    ],
)
def test_hybrid(asked: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(list(hybrid.explain(evidence(**asked)))) == expected


def test_the_window_and_the_pool_each_own_their_share() -> None:
    asked = evidence(
        64,
        gap={"kept_tokens": 192, "predicted_tokens": 64},
        source={"settings": replace(SETTINGS, window=256, num_blocks=30)},
    )
    assert found(asked)[0] == [("hybrid/sliding-window", "likely", 128), ("capacity/eviction", "likely", 128)]


def test_a_pattern_loses_to_the_events() -> None:
    asked = evidence(304, source={"short_by_block": True}, gap={"removed_blocks": 1, "missing_blocks": 1})
    assert found(asked)[0] == [("capacity/eviction", "certain", 16)]


def test_the_unit_names_the_setting_to_try() -> None:
    (cause,) = hybrid.explain(evidence(528, best=1040, source=UNIT))
    assert "528 tokens" in cause.evidence and "--block-size 528" in getattr(cause, "fix", "")
