"""Times of logs."""

import time

import pytest

from analysis.formats.times import seconds
from analysis.model.session import Json

MOMENT = 1795962033.0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param(MOMENT, MOMENT, id="seconds"),
        pytest.param(int(MOMENT) * 1000, MOMENT, id="milliseconds"),
        pytest.param(int(MOMENT) * 10**6, MOMENT, id="microseconds"),
        pytest.param(int(MOMENT) * 10**9, MOMENT, id="nanoseconds"),
        pytest.param("2026-11-29T14:20:33Z", MOMENT, id="ISO with Z"),
        pytest.param("2026-11-29T16:20:33+02:00", MOMENT, id="ISO with an offset"),
        pytest.param(" 2026-11-29 14:20:33.5 ", MOMENT + 0.5, id="ISO without a zone is UTC"),
        pytest.param(str(int(MOMENT)), MOMENT, id="seconds in quotes"),
        pytest.param(f" {MOMENT} ", MOMENT, id="a float in quotes"),
        pytest.param(f"{int(MOMENT)}000", MOMENT, id="milliseconds in quotes"),
        pytest.param(str(int(MOMENT) * 10**9), MOMENT, id="nanoseconds in quotes"),
        pytest.param("0", None, id="zero in quotes"),
        pytest.param("-5", None, id="negative in quotes"),
        pytest.param("9" * 400, None, id="in quotes, larger than a float"),
        pytest.param("0001-01-01T00:00:00Z", None, id="the zero time of other languages"),
        pytest.param("0001-01-01T00:00:00+14:00", None, id="before the first year"),
        pytest.param("9999-12-31T23:59:59Z", None, id="the last year there is"),
        pytest.param("9999-12-31T23:59:59-14:00", None, id="after the last year"),
        pytest.param("1969-12-31", None, id="before the epoch"),
        pytest.param("yesterday", None, id="words"),
        pytest.param("", None, id="empty"),
        pytest.param(None, None, id="null"),
        pytest.param(True, None, id="boolean"),
        pytest.param(0, None, id="zero"),
        pytest.param(-5.0, None, id="negative"),
        pytest.param([1], None, id="list"),
        pytest.param(float("inf"), None, id="infinite"),
        pytest.param(float("nan"), None, id="no number"),
        pytest.param(10**400, None, id="larger than a float"),
    ],
)
def test_seconds(value: Json, expected: float | None) -> None:
    assert seconds(value) == expected


def test_the_zone_of_this_machine_does_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    try:
        assert seconds("2026-11-29 14:20:33") == MOMENT
    finally:
        monkeypatch.undo()
        time.tzset()
