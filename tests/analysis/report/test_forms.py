"""Values in the form of their class: nothing of them but their shape and how far they moved."""

import pytest

from analysis.report.forms import forms

TIME, DATE, NONCE = "volatile-head/client-timestamp", "volatile-head/client-date", "volatile-head/request-nonce"


@pytest.mark.parametrize(
    ("code", "old", "new", "expected"),
    [
        pytest.param(TIME, "at 22:31:12 UTC", "at 22:31:13 UTC", ("HH:MM:SS", "HH:MM:SS (+1 s)"), id="seconds"),
        pytest.param(TIME, "at 09:59", "at 11:00", ("HH:MM", "HH:MM (+3,660 s)"), id="minutes"),
        pytest.param(TIME, "at 1:00 PM", "at 12:00 AM", ("HH:MM AM/PM", "HH:MM AM/PM (-46,800 s)"), id="half days"),
        pytest.param(TIME, "10:00:00.123", "10:00:02.5", ("HH:MM:SS.fff", "HH:MM:SS.fff (+2 s)"), id="fractions"),
        pytest.param(
            TIME, "2026-11-29T23:59:59Z", "2026-11-30T00:00:01Z", ("HH:MM:SS", "HH:MM:SS (another day)"), id="midnight"
        ),
        pytest.param(TIME, "no time", "none", ("a time", "another time"), id="no time after all"),
        pytest.param(DATE, "on 2025-03-14", "on 2025-03-15", ("YYYY-MM-DD", "YYYY-MM-DD (+1 day)"), id="ISO"),
        pytest.param(
            DATE,
            "Sunday, 29 November 2026",
            "Monday, 30 November 2026",
            ("YYYY-MM-DD", "YYYY-MM-DD (+1 day)"),
            id="words",
        ),
        pytest.param(DATE, "Dec 31, 2025", "Jan 2, 2026", ("YYYY-MM-DD", "YYYY-MM-DD (+2 days)"), id="month first"),
        pytest.param(DATE, "2026-03-01", "2026-02-01", ("YYYY-MM-DD", "YYYY-MM-DD (-28 days)"), id="back"),
        pytest.param(DATE, "01/02/2026", "02/02/2026", ("a date", "another date"), id="day or month"),
        pytest.param(DATE, "2026-02-31", "2026-03-01", ("a date", "another date"), id="no such day"),
        pytest.param(NONCE, "id 12345678", "id 12345679", ("8 digits", "8 digits"), id="digits"),
        pytest.param(NONCE, "id deadbeef01", "id deadbeef02", ("10 hexadecimal digits",) * 2, id="hexadecimal"),
        pytest.param(
            NONCE,
            "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
            "3f2504e0-4f89-11d3-9a0c-0305e82c3302",
            ("uuid",) * 2,
            id="uuid",
        ),
        pytest.param(NONCE, "req_a1b2c3d4e5z", "req_a1b2c3d4e5y", ("15 letters and digits",) * 2, id="letters"),
        pytest.param("volatile-head/live-state", "a", "b", (None, None), id="of no class"),
    ],
)
def test_forms(code: str, old: str, new: str, expected: tuple[str | None, str | None]) -> None:
    assert forms(code, old, new) == expected
