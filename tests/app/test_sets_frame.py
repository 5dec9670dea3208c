"""Sets on frames: what is kept of one, and which two are worth a look."""

from dataclasses import replace
from datetime import date

import pandas as pd
import pytest

from analysis.model.settings import Settings
from analysis.report import baseline
from analysis.report.two_sets import Member
from app import sets_frame
from app.desk_address import Asked
from app.sets_address import Pair, Side
from tests.sample_store import analysed_samples, fill, record_of

RECORDS = [record for analysed in analysed_samples().values() for record in analysed.records]
FRAME = pd.DataFrame(
    {
        "session_key": [1, 2, 3, 4],
        "source": ["late.jsonl", "early.jsonl", "early.jsonl", "last.jsonl"],
        "model": ["b", "a", "b", ""],
        "clients": [["v10"], ["v9"], [], ["v9", "v10"]],
        "labels": [["eu"], ["eu", "us"], ["eu"], []],
        "started": pd.to_datetime(
            ["2026-11-24T22:30Z", "2026-11-20T10:00Z", None, "2026-11-23T10:00Z"], format="ISO8601"
        ),
    }
)


def test_a_set_is_kept_as_the_command_keeps_it() -> None:
    repository = fill(":memory:")
    sums, losses = repository.sets.sums(), repository.desk.losses()
    repository.close()
    found = sets_frame.baseline_of(sums, losses)
    expected = baseline.baseline_of(RECORDS, Settings())
    assert (found.whole, found.waste, found.causes) == (expected.whole, expected.waste, expected.causes)
    assert found.sessions == expected.sessions, "sessions of one id count as one in both"
    assert found.settings["block_size"] == "16" and found.settings["num_blocks"] == "400 / None"
    nothing = sets_frame.baseline_of(sums.head(0), losses)
    assert nothing.whole.num_turns == 0 and nothing.sessions == {} and nothing.causes == {}


def test_members_are_the_sessions_with_what_names_them() -> None:
    repository = fill(":memory:", "03")
    found = sets_frame.members_of(repository.sets.sums(), {1: 77})
    repository.close()
    figures = baseline.figures_of(record_of("03").turns)
    assert found == [Member(1, record_of("03").session_id, True, 77, figures)]


@pytest.mark.parametrize(
    ("by", "first", "second"),
    [
        pytest.param("model", Asked(model=("b",)), Asked(model=("a",)), id="the two models that most have"),
        pytest.param("label", Asked(label=("eu",)), Asked(label=("us",)), id="the two labels that most have"),
        pytest.param("client", Asked(client=("v9",)), Asked(client=("v10",)), id="the versions that came last"),
        pytest.param("source", Asked(source=("early.jsonl",)), Asked(source=("last.jsonl",)), id="the logs read last"),
        pytest.param(
            "day", Asked(until=date(2026, 11, 23)), Asked(since=date(2026, 11, 24)), id="the last day with sessions"
        ),
        pytest.param("own", Asked(), Asked(), id="nothing of its own accord"),
    ],
)
def test_two_sets_that_are_worth_a_look(by: str, first: Asked, second: Asked) -> None:
    before = Pair(
        Side(Asked(client=("x",), status=("new",)), keys=(9,)), Side(Asked(client=("y",)), keys=(8,)), "client"
    )
    found = sets_frame.suggested(before, by, FRAME, "UTC")
    assert found == Pair(Side(replace(first, status=("new",))), Side(second), by), "other filters stay"


def test_a_file_stays_and_the_other_side_is_suggested() -> None:
    found = sets_frame.suggested(Pair(Side(), Side(file="f")), "client", FRAME, "UTC")
    assert found == Pair(Side(Asked(client=("v10",))), Side(file="f"), "client") and sets_frame.has_file(found)
    assert sets_frame.suggested(found, "day", FRAME, "UTC") == Pair(Side(), Side(file="f"))


def test_a_day_is_one_of_the_time_zone() -> None:
    found = sets_frame.suggested(Pair(), "day", FRAME, "Europe/Berlin")
    assert found.b.asked.since == date(2026, 11, 24)
    assert sets_frame.suggested(Pair(), "day", FRAME, "Asia/Tokyo").b.asked.since == date(2026, 11, 25)


@pytest.mark.parametrize("by", ["model", "label", "client", "source", "day"])
def test_one_value_is_not_held_against_anything(by: str) -> None:
    assert sets_frame.suggested(Pair(by="own"), by, FRAME.head(1), "UTC") == Pair(by=by)


def test_a_split_keeps_how_far_the_sets_reach() -> None:
    wide = Pair(Side(Asked(since=date(2026, 11, 1))), Side(Asked(until=date(2026, 11, 30))))
    found = sets_frame.split(wide, date(2026, 11, 20))
    assert (found.a.asked.since, found.a.asked.until) == (date(2026, 11, 1), date(2026, 11, 19))
    assert (found.b.asked.since, found.b.asked.until) == (date(2026, 11, 20), date(2026, 11, 30))
    assert sets_frame.split_day(found) == date(2026, 11, 20) and sets_frame.split_day(wide) is None
    undone = sets_frame.split(found, None)
    assert (undone.a.asked, undone.b.asked) == (wide.a.asked, wide.b.asked)
    late = sets_frame.split(wide, date(2026, 12, 5))
    assert (late.b.asked.since, late.b.asked.until) == (date(2026, 12, 5), None), "no days the wrong way round"


def test_named_sessions_are_those_that_pass_the_filters_too() -> None:
    sums = pd.DataFrame({"session_key": [1, 2, 3]})
    assert sets_frame.narrowed(sums, FRAME.head(2), {2, 3}).session_key.tolist() == [2]
    assert sets_frame.narrowed(sums, FRAME.head(2), None).session_key.tolist() == [1, 2]
    assert sets_frame.narrowed(sums, FRAME.head(2), set()).empty, "a case that is gone is no set of all sessions"
