"""Time to the first token: which turns say it, the rate in words, and the figure."""

from dataclasses import replace

import pytest

from analysis.model.finding import Account, Cause
from analysis.model.record import SessionRecord
from app.latency_view import TimedTurn, latency_figure, said, timed_turns
from tests.sample_store import record_of

RATE = 8000.0
COMPUTED = (100, 900, 2000, 4000, 8000)


def timed(cached: int | None = 0, started: float | None = 1000.0) -> SessionRecord:
    """A session whose turns compute these tokens at this rate, half a second of waiting besides."""
    blank = replace(record_of("02").turns[0], cached_tokens=cached, started_at=started, account=None, causes=())
    turns = [
        replace(blank, turn=number, prompt_tokens=tokens, first_token_at=1000.5 + tokens / RATE)
        for number, tokens in enumerate(COMPUTED, 1)
    ]
    return replace(record_of("02"), turns=tuple(turns))


def wasting(record: SessionRecord, tokens: int, *causes: Cause) -> SessionRecord:
    first, *others = record.turns
    return replace(record, turns=(replace(first, account=Account(0, 0, 0, tokens, 0, None, 0), causes=causes), *others))


def test_only_turns_that_say_both_are_shown() -> None:
    found = timed_turns(timed())
    assert [(one.turn, one.computed_tokens) for one in found] == list(enumerate(COMPUTED, 1))
    assert found[1].seconds == pytest.approx(0.5 + 900 / RATE)
    assert timed_turns(timed(cached=None)) == timed_turns(timed(started=None)) == []
    assert timed_turns(timed(started=9999.0)) == [], "a first token before the request is a clock of another machine"
    assert timed_turns(record_of("02")) == []


def test_what_was_wasted_took_so_long() -> None:
    record = timed()
    turns = timed_turns(record)
    assert said(record, turns, RATE) == "These turns compute 8,000 tokens a second."
    assert said(wasting(record, 16_000), turns, RATE).endswith(
        "The 16,000 wasted tokens of the session took about 2.0 s."
    )
    meant = Cause("client/compaction", "certain", None, 16_000, None, "", "", deliberate=True)
    assert said(wasting(record, 16_000, meant), turns, RATE) == "These turns compute 8,000 tokens a second."
    assert said(record, turns, None).startswith("No prefill rate: it takes 5 turns")


def test_a_mark_per_turn_and_the_rate_as_a_line() -> None:
    turns = timed_turns(timed())
    marks, line = latency_figure(turns, RATE).data
    assert list(marks.x) == list(COMPUTED) and list(marks.customdata) == [1, 2, 3, 4, 5]
    assert list(line.x) == [100, 8000] and list(line.y) == pytest.approx([0.5125, 1.5])
    assert len(latency_figure([TimedTurn(1, 5, 0.1)], None).data) == 1
