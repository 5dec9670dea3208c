"""Less than a block is no miss; a very large block is a cause of its own."""

from dataclasses import replace
from typing import Any

import pytest

from analysis.causes import granularity
from analysis.model.finding import Cause
from tests.evidence import SETTINGS, evidence, found, said

FLOOR, LARGE = ("granularity/block-floor", "note"), ("granularity/large-block", "likely")


def blocks(size: int, dcp: int = 1) -> dict[str, Any]:
    return {"settings": replace(SETTINGS, block_size=size, dcp=dcp)}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({"cached": 320, "rounding": 7}, [FLOOR], id="a block that is not full"),
        pytest.param({"cached": 320, "rounding": 16}, [FLOOR], id="the block of the last token"),
        pytest.param({"cached": 512, "best": 512, "rounding": 90, "source": blocks(128)}, [FLOOR], id="of 128, on CPU"),
        pytest.param({"cached": 512, "best": 512, "rounding": 90, "source": blocks(256)}, [FLOOR], id="of 256, MLA"),
        pytest.param({"cached": 528, "best": 528, "rounding": 500, "source": blocks(528)}, [LARGE], id="of 528"),
        pytest.param({"cached": 528, "best": 528, "rounding": 9, "source": blocks(528)}, [FLOOR], id="528, 9 over"),
        pytest.param({"cached": 0, "best": 0, "rounding": 500, "source": blocks(528)}, [LARGE], id="a prompt below it"),
        pytest.param({"cached": 512, "best": 512, "rounding": 300, "source": blocks(128, 4)}, [LARGE], id="4 ranks"),
        pytest.param({"cached": 320}, [], id="nothing is over"),
        pytest.param({"cached": 64, "rounding": 7}, [], id="blocks were missed"),
        pytest.param({"cached": None, "rounding": 7}, [], id="nothing was reported"),
        pytest.param({"cached": 336, "rounding": 17}, [], id="more than a block"),
    ],
)
def test_granularity(asked: dict[str, Any], expected: list[tuple[str, str]]) -> None:
    assert said(list(granularity.explain(evidence(**asked)))) == expected


def test_a_large_block_says_what_smaller_ones_would_save_and_owns_nothing() -> None:
    """Rounding is nobody's: of 500 equal tokens blocks of 16 would have hit 1,024 - 528 = 496."""
    (cause,) = granularity.explain(evidence(528, best=528, rounding=500, source=blocks(528)))
    assert isinstance(cause, Cause)
    assert (cause.tokens, cause.recovers) == (0, 496)


def test_a_note_is_no_cause() -> None:
    assert found(evidence(320, rounding=7)) == ([], ["granularity/block-floor"])
