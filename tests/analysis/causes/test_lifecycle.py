"""The whole cache was emptied: an event says so, or every session starts at 0 again."""

from typing import Any

import pytest

from analysis.causes import lifecycle
from tests.evidence import evidence, found, said

CLEARED: dict[str, Any] = {"cleared": True}
DROPPED: dict[str, Any] = {"dropped_at": (50.0,)}  # the turns of evidence() end at 1 and start at 100


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({"gap": CLEARED}, [("lifecycle/reset", "certain")], id="an event"),
        pytest.param({"gap": CLEARED, "cached": 64}, [("lifecycle/reset", "certain")], id="a head came back since"),
        pytest.param({"source": DROPPED}, [("lifecycle/reset", "likely")], id="all sessions drop"),
        pytest.param({"gap": CLEARED, "source": DROPPED}, [("lifecycle/reset", "certain")], id="both"),
        pytest.param(
            {"source": {"dropped_at": (1.0,)}}, [("lifecycle/reset", "likely")], id="as the turn before ended"
        ),
        pytest.param({"source": {"dropped_at": (100.0,)}}, [("lifecycle/reset", "likely")], id="as this turn starts"),
        pytest.param({}, [], id="nothing is said"),
        pytest.param({"source": DROPPED, "cached": 16}, [], id="something was hit after the drop"),
        pytest.param({"source": {"dropped_at": (0.5,)}}, [], id="a drop before the turn before had ended"),
        pytest.param({"source": {"dropped_at": (101.0,)}}, [], id="a drop after this turn"),
        pytest.param({"source": DROPPED, "first": True}, [], id="a first turn"),
        pytest.param({"gap": CLEARED, "best": 0}, [], id="nothing was missed"),
        pytest.param({"gap": CLEARED, "cached": None}, [], id="nothing was reported"),
    ],
)
def test_lifecycle(asked: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(list(lifecycle.explain(evidence(**asked)))) == expected


def test_a_reset_is_stronger_than_a_pause() -> None:
    pause = {"other_requests": 5, "idle_seconds": 90.0}
    assert found(evidence(gap={**CLEARED, **pause}))[0] == [("lifecycle/reset", "certain", 320)]
    assert found(evidence(gap=pause, source=DROPPED))[0] == [
        ("lifecycle/reset", "likely", 320),
        ("capacity/eviction", "likely", 0),
    ]


def test_a_drop_loses_to_removals_that_were_announced() -> None:
    asked = evidence(gap={"removed_blocks": 20, "missing_blocks": 20}, source=DROPPED)
    assert found(asked)[0] == [("capacity/eviction", "certain", 320)]
