"""Two sets held against each other: what counts, what moved, and what is a regression."""

from dataclasses import replace

import pytest

from analysis.model.baseline import Baseline, Comparison, Moved, SetFigures
from analysis.model.record import TurnRecord
from analysis.model.settings import Settings
from analysis.report.baseline import HIT_RATE, REUSABLE, baseline_of, figures_of, held_against, regressions
from tests.sample_store import record_of

BLANK = replace(record_of("03").turns[1], causes=(), account=None)


def turn(prompt: int | None, cached: int | None, reusable: int | None, **fields: object) -> TurnRecord:
    counts = {"prompt_tokens": prompt, "cached_tokens": cached, "reusable_tokens": reusable}
    return replace(BLANK, **counts, **fields)  # type: ignore[arg-type]


def known(cached: int, of: int = 100, reusable: int | None = None) -> SetFigures:
    """A set whose server reported ``cached``; its tokens are known where ``reusable`` is given."""
    return SetFigures(1, 0 if reusable is None else of, reusable or 0, of, cached)


def baseline(whole: SetFigures, causes: dict[str, int] | None = None, **sessions: SetFigures) -> Baseline:
    return Baseline({"block_size": "16"}, whole, sessions, causes or {})


NOTHING = SetFigures(1, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("turns", "figures"),
    [
        pytest.param([turn(100, 50, 64)], SetFigures(1, 100, 64, 100, 50), id="both known"),
        pytest.param([turn(100, None, 64)], SetFigures(1, 100, 64, 0, 0), id="not reported is not zero"),
        pytest.param([turn(100, 0, 64)], SetFigures(1, 100, 64, 100, 0), id="a zero is a zero"),
        pytest.param([turn(100, 50, None)], SetFigures(1, 0, 0, 100, 50), id="tokens unknown"),
        pytest.param([turn(100, 50, 64, fidelity="mismatch")], SetFigures(1, 0, 0, 100, 50), id="wrong tokenizer"),
        pytest.param([turn(None, 50, None)], NOTHING, id="prompt unknown"),
        pytest.param([turn(100, 50, 64), turn(300, 0, 0)], SetFigures(2, 400, 64, 400, 50), id="added up"),
    ],
)
def test_figures_of(turns: list[TurnRecord], figures: SetFigures) -> None:
    assert figures_of(turns) == figures


def test_a_sample_is_kept_with_its_figures_and_causes() -> None:
    kept = baseline_of([record_of("03")], Settings())
    assert (kept.whole.hit_rate, kept.whole.reusable_share) == pytest.approx((100 * 224 / 16269,) * 2)
    assert list(kept.sessions.values()) == [kept.whole]
    assert kept.causes == {"volatile-head/client-timestamp": 13211, "template/reasoning-stripped": 709}
    assert kept.settings["block_size"] == "16"


def test_sessions_of_one_id_count_as_one() -> None:
    once, twice = (baseline_of([record_of("03")] * times, Settings()) for times in (1, 2))
    assert twice.sessions.keys() == once.sessions.keys()
    assert twice.whole.known_tokens == 2 * once.whole.known_tokens


def test_what_moved() -> None:
    before = baseline(
        known(80), {"tools/order": 50, "key/lora": 7, "client/branch": 5}, a=known(90), b=known(50), c=known(70)
    )
    after = baseline(
        known(60), {"key/cache-salt": 900, "key/lora": 9, "client/branch": 5}, a=known(10), b=known(50), d=known(1)
    )
    assert held_against(before, replace(after, settings={"block_size": "32"})) == Comparison(
        measures=(Moved(HIT_RATE, 80, 60), Moved(REUSABLE, None, None)),
        causes=(Moved("key/cache-salt", 0, 900), Moved("key/lora", 7, 9), Moved("tools/order", 50, 0)),
        sessions=(Moved("a", 90, 10),),
        settings=("block_size: 16 → 32",),
    )


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        pytest.param(known(80, reusable=80), known(70, reusable=50), -30, id="the share that fell most"),
        pytest.param(known(80), known(70), -10, id="the one that is known"),
        pytest.param(known(80, reusable=80), known(85, reusable=95), 5, id="of two that rose the lesser"),
    ],
)
def test_a_session_moves_by_its_worst_share(before: SetFigures, after: SetFigures, change: float) -> None:
    (moved,) = held_against(baseline(before, s=before), baseline(after, s=after)).sessions
    assert moved.change == change


@pytest.mark.parametrize(
    ("before", "after", "fallen"),
    [
        pytest.param(known(80), known(80), [], id="the same"),
        pytest.param(known(80), known(95), [], id="better"),
        pytest.param(known(80), known(79), [], id="exactly what is allowed"),
        pytest.param(known(8000, 10000), known(7899, 10000), [HIT_RATE], id="a little more than that"),
        pytest.param(known(80, reusable=80), known(80, reusable=60), [REUSABLE], id="what could be reused"),
        pytest.param(known(80, reusable=80), known(60, reusable=60), [HIT_RATE, REUSABLE], id="both"),
        pytest.param(known(80), known(80, reusable=60), [], id="more is known than before"),
    ],
)
def test_regressions(before: SetFigures, after: SetFigures, fallen: list[str]) -> None:
    found = regressions(held_against(baseline(before), baseline(after)), max_drop=1)
    assert [line.partition(" fell by ")[0] for line in found] == [f"the {name}" for name in fallen]


def test_a_regression_says_by_how_much() -> None:
    found = regressions(held_against(baseline(known(80)), baseline(known(60))), max_drop=1.5)
    assert found == ["the hit rate fell by 20.00 percentage points, from 80.00% to 60.00%; 1.5 are allowed."]


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        pytest.param(known(80), NOTHING, "the hit rate cannot be compared", id="no longer reported"),
        pytest.param(known(80, reusable=8), known(80), "the reusable share cannot", id="no longer rendered"),
        pytest.param(known(80, reusable=8), NOTHING, "the hit rate and the reusable share", id="neither"),
        pytest.param(NOTHING, known(80), "nothing can be compared", id="a baseline without figures"),
    ],
)
def test_not_knowing_is_no_pass(before: SetFigures, after: SetFigures, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        regressions(held_against(baseline(before), baseline(after)), max_drop=100)
