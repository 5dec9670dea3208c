"""Why tokens were missed, on the session page: the cards of the causes and what the server did before the turn."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from analysis.model.finding import Cause
from analysis.model.record import SessionRecord, TurnRecord
from analysis.pipeline.importing import store
from analysis.pipeline.renderers import Renderers
from analysis.store.repository import Repository
from tests.app.dashboard import SESSIONS, Open, key_of, no_exception, words
from tests.sample_store import record_of, sample

GAP = "What the server did in the"


def gaps(shown: AppTest) -> list[Any]:
    return [box for box in shown.expander if box.label.startswith(GAP)]


def timeline(shown: AppTest) -> pd.DataFrame:
    frame: pd.DataFrame = next(one.value for one in shown.dataframe if "Seconds after" in one.value)
    return frame


def split(session_id: str) -> tuple[SessionRecord, list[SessionRecord]]:
    """A session of the busy server, and all its others."""
    records = sample("busy").records
    (own,) = (record for record in records if record.session_id == session_id)
    return own, [record for record in records if record is not own]


def test_a_missed_turn_has_its_cause_and_the_requests_before_it(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("busy"), turn="6", block="73"))
    (cause,) = record_of("busy").turns[5].causes
    said = words(shown)
    assert "**The memory was needed for other requests** · likely · 1,712 tokens" in said
    assert cause.evidence in said and f"**Fix:** {cause.fix}" in said and "\ncapacity/eviction\n" in said
    (box,) = gaps(shown)
    assert box.label == "What the server did in the 98 s before (14 requests)"


@pytest.mark.parametrize(("session_id", "turn"), [("larch-locks-5d10", 6), ("harrow-stock-77", 3)])
def test_the_requests_before_a_turn_are_those_of_the_other_sessions_in_their_order(
    visit: Open, samples: Path, session_id: str, turn: int
) -> None:
    own, others = split(session_id)
    key = str(SESSIONS.index(own) + 1)
    found = timeline(no_exception(visit("session", samples, session=key, turn=str(turn), block="0")))
    since, until = own.turns[turn - 2].ended_at, own.turns[turn - 1].started_at
    assert since is not None and until is not None
    served = [(one.started_at or 0.0, record, one) for record in others for one in record.turns]
    expected = [
        [record.session_id, one.turn, one.prompt_tokens, one.cached_tokens, one.prompt_tokens - one.cached_tokens]
        for at, record, one in sorted(served, key=lambda each: each[0])
        if since <= at <= until and one.prompt_tokens is not None and one.cached_tokens is not None
    ]
    assert 0 < len(expected) < len(served)
    assert found[["Session", "Turn", "Prompt tokens", "Cached", "Computed"]].values.tolist() == expected
    assert found["Seconds after"].is_monotonic_increasing
    assert found["Seconds after"].between(0, until - since + 0.05).all()


@pytest.mark.parametrize("turn", ["5", "7"])
def test_a_turn_that_missed_nothing_has_neither(visit: Open, samples: Path, turn: str) -> None:
    shown = no_exception(visit("session", samples, session=key_of("busy"), turn=turn, block="0"))
    assert f"Turn {turn} continues" in words(shown)
    assert not gaps(shown) and "** · likely" not in words(shown)


def test_a_server_that_did_nothing_else_is_said(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("07"), turn="5", block="0"))
    assert "**The cache salt changed** · certain · 1,968 tokens" in words(shown)
    (box,) = gaps(shown)
    assert box.label.endswith("(0 requests)")
    assert "No other request of this log was served in that time." in words(shown)


def kept(database: Path, turn: TurnRecord) -> None:
    """A database with session 07 alone, its turn 5 replaced."""
    record = record_of("07")
    turns = (*record.turns[:4], turn, *record.turns[5:])
    repository = Repository.open(database)
    store(replace(sample("07"), records=(replace(record, turns=turns),)), Renderers(), repository)
    repository.close()


def test_a_log_without_times_has_causes_and_no_requests(visit: Open, tmp_path: Path) -> None:
    kept(tmp_path / "times.duckdb", replace(record_of("07").turns[4], started_at=None))
    shown = no_exception(visit("session", tmp_path / "times.duckdb", session="1", turn="5", block="0"))
    assert "key/cache-salt" in words(shown) and not gaps(shown)


def test_causes_stand_in_their_order_and_as_they_are(visit: Open, tmp_path: Path) -> None:
    causes = (
        Cause("key/lora", "likely", None, 1_968, None, "<b>seen</b> in *turn* 5", "[undo](it)"),
        Cause("routing/replica", "possible", None, 16, None, "perhaps", "route"),
    )
    kept(tmp_path / "causes.duckdb", replace(record_of("07").turns[4], causes=causes))
    said = words(no_exception(visit("session", tmp_path / "causes.duckdb", session="1", turn="5", block="0")))
    first = "**The model or adapter changed** · likely · 1,968"
    second = "**Another replica served it** · possible: the log does not decide it · 16"
    assert 0 < said.index(first) < said.index(second)
    assert "<b>seen</b> in *turn* 5" in said and "**Fix:** [undo](it)" in said
