"""The page of two sets: chosen, told, opened; and what it says where something is not known."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from analysis.model.baseline import Baseline, SetFigures, WasteFigures
from analysis.model.settings import Settings
from analysis.report.baseline import baseline_of
from analysis.report.baseline_file import written
from analysis.report.two_sets import causes_moved
from app.sets_state import Set
from app.sets_view import causes_table, figures_table, gaps, mismatched, signed
from tests.app.dashboard import Open, address, field, key_of, no_exception, press, words
from tests.builders import SAMPLES
from tests.many_sessions import fill_with_many
from tests.sample_store import record_of

CLEAN, STRIPPED = SAMPLES[0].name, SAMPLES[1].name
SILENT = next(path.name for path in SAMPLES if path.stem.startswith("12"))
SPLIT = {"a.until": "2026-11-28", "b.since": "2026-11-29"}  # since when a new client wastes more
LOGS = {"by": "source", "a.source": CLEAN, "b.source": STRIPPED}
REASONING = "template/reasoning-stripped"


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions on fourteen days of two clients; a third comes with the last three and wastes more."""
    database = tmp_path_factory.mktemp("many") / "many.duckdb"
    fill_with_many(database, 200, num_turns=5).close()
    return database


def figures(shown: AppTest) -> dict[str, list[str]]:
    """The rows of the table of figures: set A, set B and the difference."""
    (table,) = shown.table
    return {str(name): list(row) for name, row in zip(table.value.index, table.value.to_numpy(), strict=True)}


def tables_with(shown: AppTest, column: str) -> list[pd.DataFrame]:
    return [frame.value for frame in shown.dataframe if column in frame.value]


def set_of(baseline: Baseline) -> Set:
    return Set(baseline, [], None)


def test_a_link_is_the_comparison(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sets", samples, **LOGS))
    said = words(shown)
    assert "Too little to tell which set is worse: set A has 1 session and set B has 1 session" in said
    assert "The hit rate is 91.5% in set A and 89.7% in set B." in said
    assert (
        "the chat template strips earlier reasoning (template/reasoning-stripped), 45.6 wasted of every 1,000" in said
    )
    rows = figures(shown)
    assert rows["Turns"] == ["13", "18", "+5"]
    assert rows["Hit rate (reported)"] == ["91.5%", "89.7%", "-1.8 percentage points"]
    assert rows["Wasted"] == ["0.0% (0 tokens)", "4.6% (2,176 tokens)", "+4.6 percentage points"]
    (causes,) = tables_with(shown, "In set B")
    assert causes[["Cause", "In set B"]].to_numpy().tolist() == [[REASONING, "gained"]]
    assert field(shown, "multiselect", "Source").value == [CLEAN]
    assert address(shown) == LOGS


def test_sets_are_swapped(visit: Open, samples: Path) -> None:
    shown = press(no_exception(visit("sets", samples, **LOGS)), "Swap")
    assert "The hit rate is 89.7% in set A and 91.5% in set B." in words(shown)
    assert address(shown) == {"by": "source", "a.source": STRIPPED, "b.source": CLEAN}
    assert tables_with(shown, "In set B")[0]["In set B"].tolist() == ["gone"]


def test_what_tells_sets_apart_is_suggested_and_stays_in_the_address(visit: Open, many: Path) -> None:
    shown = press(no_exception(visit("sets", many, **{"b.model": "acme/large"})), "Split where most changed")
    assert address(shown) == SPLIT | {"b.model": "acme/large"}
    shown.get("button_group")[0].set_value("client")
    no_exception(shown.run())
    query = {"by": "client", "a.client": "agent/1.2.0", "b.client": "agent/1.3.0", "b.model": "acme/large"}
    assert address(shown) == query
    assert "Set B is worse" in words(shown) and "client/history-edited" in words(shown)
    field(shown, "multiselect", "Client version").set_value(["chat/7"])
    no_exception(shown.run())
    assert address(shown) == query | {"a.client": "chat/7"}


def test_a_day_is_moved(visit: Open, many: Path) -> None:
    shown = no_exception(visit("sets", many, **{"a.until": "2026-11-28", "b.since": "2026-11-29"}))
    day = field(shown, "date_input", "Set B begins on (day)")
    assert str(day.value) == "2026-11-29"
    no_exception(day.set_value(day.value.replace(day=28)).run())
    assert address(shown) == {"a.until": "2026-11-27", "b.since": "2026-11-28"}
    assert figures(shown)["Sessions"][2].startswith("-")
    no_exception(field(shown, "date_input", "Set B begins on (day)").set_value(None).run())
    assert address(shown) == {} and "Both sets are the same sessions" in words(shown), "and stays so"


def test_sessions_in_both_sets_are_told_and_can_be_left_out(visit: Open, many: Path) -> None:
    query = {"by": "own", "a.client": "agent/1.3.0"}
    shown = no_exception(visit("sets", many, **query))
    sessions = int(figures(shown)["Sessions"][0])
    assert f"{sessions} sessions stand in both sets." in words(shown)
    assert figures(shown)["Sessions"][1] == "200"
    no_exception(field(shown, "toggle", "Leave them out").set_value(True).run())
    assert figures(shown)["Sessions"][:2] == [str(sessions), str(200 - sessions)]
    assert address(shown) == query | {"apart": "1"}


def test_a_server_that_did_not_report_is_a_question_mark(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sets", samples, **LOGS | {"a.source": SILENT}))
    rows = figures(shown)
    assert rows["Hit rate (reported)"][0::2] == ["?", "?"] and rows["Missed: unchanged, computed again"][0] == "?"
    assert rows["Wasted"][0::2] == ["?", "?"] and rows["Lost: text before it changed"][0] == "0.0% (0 tokens)"
    said = words(shown)
    assert "It is unknown which set is worse: the server reported no cached_tokens in set A." in said
    assert "the reusable share is 82.7% in set A and 89.7% in set B." in said and "is worse: its" not in said
    assert "Set A: the server did not report cached_tokens" in said and "--enable-prompt-tokens-details" in said


def given(shown: AppTest, content: bytes, name: str = "base.json") -> AppTest:
    """The page after a baseline file was given for set A."""
    shown.get("file_uploader")[0].set_value((name, content, "application/json"))
    return no_exception(shown.run())


def test_a_baseline_file_stands_on_a_side(visit: Open, samples: Path) -> None:
    content = written(baseline_of([record_of("03"), record_of("02")], Settings(16, "given"))).encode()
    shown = given(no_exception(visit("sets", samples, **LOGS)), content)
    label = address(shown)["a.file"]
    assert f"Baseline file {label}" in words(shown) and "2 sessions, 26 turns" in words(shown)
    (moved,) = tables_with(shown, "Task") or [pd.DataFrame({"Task": []})]
    assert moved.empty, "the session of set B has the shares that it has in the file"
    assert "1 task in both sets (1 by session id): 1 of 2 sessions of set A and 1 of 1 session of set B." in words(
        shown
    )
    press(shown, "Use sessions instead")
    assert "a.file" not in address(shown) and "1 session, 13 turns" in words(shown)
    again = no_exception(visit("sets", samples, **LOGS | {"a.file": label}))
    assert f"This link names the baseline file {label}: give it again" in words(again) and not again.table


def test_a_bad_baseline_file_is_one_clear_line(visit: Open, samples: Path) -> None:
    shown = given(no_exception(visit("sets", samples, **LOGS)), b"{} ![x](http://y)", "<b>.json")
    (error,) = shown.error
    assert error.value.replace("\\", "").startswith("<b>.json: this is no JSON, and so no baseline.")
    assert "a.file" not in address(shown) and "Too little to tell" in words(shown), "the rest stays as it was"


@pytest.mark.parametrize(
    "query",
    [
        pytest.param({"a.model": "no/such"}, id="a set without sessions"),
        pytest.param({"a.keys": "99999"}, id="sessions that are gone"),
    ],
)
def test_an_empty_set_is_said(visit: Open, samples: Path, query: dict[str, str]) -> None:
    shown = no_exception(visit("sets", samples, **query))
    assert "A set without sessions cannot be compared: change its filters." in words(shown) and not shown.table


def test_a_list_and_a_case_lead_here(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("sessions", samples, source=STRIPPED))
    press(shown, "Hold against …")
    assert address(shown) == {"a.source": STRIPPED, "by": "source", "apart": "1"}
    assert figures(shown)["Sessions"][:2] == ["1", "23"]
    keys = no_exception(visit("sets", samples, **{"by": "own", "a.keys": key_of("01"), "b.keys": key_of("02")}))
    assert figures(keys)["Turns"] == ["13", "18", "+5"] and "1 session named in the address" in words(keys)


def test_differences_have_a_sign_and_nothing_has_none() -> None:
    assert [signed(value, 1) for value in (1234.56, -0.26, 0.04, -0.04)] == ["+1,234.6", "-0.3", "0.0", "0.0"]


def test_figures_that_a_file_does_not_have_are_question_marks() -> None:
    old = Baseline({}, SetFigures(3, 0, 0, 100, 50), {"s": SetFigures(3, 0, 0, 100, 50)}, {})
    rows = figures_table(set_of(old), set_of(old)).to_numpy().tolist()
    assert rows[:4] == [["1", "1", "0"], ["3", "3", "0"], ["?", "?", "?"], ["50.0%", "50.0%", "0.0 percentage points"]]
    assert rows[4:] == [["?", "?", "?"]] * 5
    assert gaps("A", old) == [
        "Set A was saved by an earlier Whymiss: what it wasted of how many tokens is not in the file."
    ]


@pytest.mark.parametrize(
    ("waste", "said"),
    [
        pytest.param(WasteFigures(100, 100, 0, 100, 0, 0, 0), [], id="all is known"),
        pytest.param(WasteFigures(200, 100, 0, 100, 0, 0, 0), ["the tokens of 50% of its prompts"], id="tokens"),
        pytest.param(WasteFigures(100, 100, 0, 0, 0, 0, 0), ["the server did not report"], id="reports"),
        pytest.param(WasteFigures(100, 100, 0, 75, 0, 0, 0), ["for 25% of the prompt tokens"], id="some reports"),
        pytest.param(WasteFigures(100, 0, 0, 0, 0, 0, 0), ["the tokens of 100% of its prompts"], id="nothing"),
    ],
)
def test_what_is_not_known_is_said(waste: WasteFigures, said: Sequence[str]) -> None:
    found = gaps("B", Baseline({}, SetFigures(1, 0, 0, 0, 0), {}, {}, waste))
    assert len(found) == len(said)
    assert all(one.startswith("Set B") and part in one for one, part in zip(found, said, strict=True))


def test_causes_as_a_table() -> None:
    before, after = (baseline_of([record_of(start)], Settings()) for start in ("02", "12"))
    frame = causes_table(causes_moved(before, after))
    (row,) = frame.to_dict("records")
    assert (row["Cause"], row["In set B"], row["Set A, tokens"], row["Set B, tokens"]) == (REASONING, "gone", 2176, 0)
    assert row["Difference"] == -row["Set A"] < -45


def test_turns_of_a_wrong_tokenizer_are_said() -> None:
    assert mismatched("A", pd.DataFrame({"mismatched_turns": [0, 0]})) == []
    (said,) = mismatched("A", pd.DataFrame({"mismatched_turns": [2, 1]}))
    assert said.startswith("Set A: 3 turns came out at another length")
