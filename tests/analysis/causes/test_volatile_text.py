import pytest

from analysis.causes.volatile_text import (
    CLIENT_DATE,
    CLIENT_TIMESTAMP,
    LIVE_STATE,
    REQUEST_NONCE,
    SYSTEM_REPLACED,
    same_start,
    survives,
    ways,
)

RULES = "You are a build helper. Keep answers short. Ask before you delete a file."


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        pytest.param("Now: 22:31:12 UTC", "Now: 22:31:12 UTC", set(), id="equal"),
        pytest.param("Now: 22:31:12 UTC", "Now: 22:31:13 UTC", {CLIENT_TIMESTAMP}, id="a second"),
        pytest.param(
            "At 2026-11-29T23:59:58Z", "At 2026-11-30T00:00:02Z", {CLIENT_TIMESTAMP}, id="a time and its date"
        ),
        pytest.param("Today is 2026-11-29.", "Today is 2026-11-30.", {CLIENT_DATE}, id="an ISO date"),
        pytest.param(
            "Sunday 29 November 2026", "Monday 30 November 2026", {CLIENT_DATE}, id="a date in words, weekday included"
        ),
        pytest.param("November 29, 2026", "November 30, 2026", {CLIENT_DATE}, id="a date, month first"),
        pytest.param("cch=3f9a1;", "cch=77b02;", {REQUEST_NONCE}, id="a hexadecimal value"),
        pytest.param(
            "id 0b1e7c5a-1111-4222-8333-123456789abc",
            "id 9c2e7c5a-1111-4222-8333-123456789abc",
            {REQUEST_NONCE},
            id="a uuid",
        ),
        pytest.param(f"{RULES} Open: 3 files.", f"{RULES} Open: main.c.", {LIVE_STATE}, id="what it says"),
        pytest.param(f"{RULES} 10:00", f"{RULES} 10:01, dirty", {CLIENT_TIMESTAMP, LIVE_STATE}, id="a time and more"),
        pytest.param(RULES, "Translate the text into French, word by word.", {SYSTEM_REPLACED}, id="all of it"),
    ],
)
def test_ways(then: str, now: str, expected: set[str]) -> None:
    assert ways(then, now) == expected
    assert ways(now, then) == expected


def test_a_word_inserted_in_front_survives() -> None:
    assert survives(RULES, f"{RULES[:10]} really {RULES[10:]}")
    assert not survives(RULES, RULES[:20])


@pytest.mark.parametrize(("one", "other", "same"), [("", "a", 0), ("abc", "abd", 2), ("ab", "abc", 2), ("b", "a", 0)])
def test_same_start(one: str, other: str, same: int) -> None:
    assert same_start(one, other) == same_start(other, one) == same
