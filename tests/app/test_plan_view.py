"""The fix plan on the session page, and the form that tries a change."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from analysis.model.finding import Account
from analysis.model.what_if import TurnFigures, WhatIf
from app import places
from app.plan_view import account_table, argument, choices, plan_table, turn_table
from tests.app.dashboard import Open, key_of, no_exception, press, words
from tests.sample_store import record_of

TRY = "Try it on the whole session"


def test_the_plan_stands_on_the_page(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("06")))
    said = words(shown)
    assert "With 3 fixes the predicted hit rate goes from 2.4% to 90.1%" in said
    heads = (
        "**1. A time stands in the prompt** · turns 2–9",
        "**2. The tools came in another order**",
        "**3. An earlier message was changed** · turn 6",
    )
    assert 0 < said.index(heads[0]) < said.index(heads[1]) < said.index(heads[2])
    assert "Sort the tools by name. In this session: the order of turn 3 was “run_sql”, “describe_table”" in said
    assert "reusable 384 → 11,984 tokens (hit rate 2.4% → 76.1%); computes 11,600 fewer." in said
    table = next(frame.value for frame in shown.dataframe if "Cause" in frame.value)
    assert table["Reusable after"].tolist() == [11_984, 13_168, 14_224]


def test_a_fix_that_lengthens_prompts_is_said_to(visit: Open, samples: Path) -> None:
    shown = visit("session", samples, session=key_of("02"))
    assert "reuses 7,840 more but the prompts grow: computes only 2,174 fewer." in words(shown)


def test_a_clean_session_has_no_plan(visit: Open, samples: Path) -> None:
    shown = no_exception(visit("session", samples, session=key_of("01")))
    assert [tab.label for tab in shown.tabs] == ["What if …", "Reusable against cached", "Token account", "All turns"]


def tried(shown: AppTest, label: str) -> AppTest:
    choice = next(box for box in shown.selectbox if box.label == "Change")
    return no_exception(choice.select(next(one for one in choice.options if one.startswith(label))).run())


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("Undo volatile-head/client-timestamp", "volatile-head/client-timestamp: reusable 384 → 11,984"),
        ("The whole fix plan", "tools/order + client/history-edited: reusable 384 → 14,224"),
        ("Send the system text of turn 1", "Send the system text of turn 1 in every turn: reusable 384 → 11,984"),
        ("Use the cache_salt of turn 1", "No figure: it changes nothing in this session."),
    ],
)
def test_a_change_is_tried_on_demand(visit: Open, samples: Path, label: str, said: str) -> None:
    shown = tried(visit("session", samples, session=key_of("06")), label)
    assert said not in words(shown)
    assert said in words(press(shown, TRY))


def test_the_account_before_and_after(visit: Open, samples: Path) -> None:
    shown = press(tried(visit("session", samples, session=key_of("06")), "The whole fix plan"), TRY)
    sums = next(frame.value for frame in shown.dataframe if "With the change" in frame.value)
    rows = {row.Tokens: (row["As sent"], row["With the change"]) for _index, row in sums.iterrows()}
    assert rows["Reusable (predicted)"] == (384, 14_224)
    assert rows["Prompt"][1] - rows["Reusable (predicted)"][1] == rows["Computed"][1]
    assert rows["Lost"][0] > rows["Lost"][1] == 0
    turns = next(frame.value for frame in shown.dataframe if "Reusable then" in frame.value)
    assert turns["Reusable then"].sum() == 14_224


def test_what_keys_keep_from_being_reused_is_missed_until_the_salt_stays(visit: Open, samples: Path) -> None:
    shown = press(tried(visit("session", samples, session=key_of("07")), "Undo key/cache-salt"), TRY)
    sums = next(frame.value for frame in shown.dataframe if "With the change" in frame.value)
    rows = {row.Tokens: (row["As sent"], row["With the change"]) for _index, row in sums.iterrows()}
    assert rows["Missed"] == (8_480, 0) and rows["Reusable (predicted)"] == (4_304, 12_784)
    for column in (0, 1):
        parts = ("Reusable (predicted)", "Missed", "Rounding", "Lost", "New")
        assert sum(rows[part][column] for part in parts) == rows["Prompt"][column]


def test_a_template_argument_is_asked_for(visit: Open, samples: Path) -> None:
    shown = tried(visit("session", samples, session=key_of("02")), "Set a template argument")
    button = next(button for button in shown.button if button.label == TRY)
    assert button.disabled
    field = next(field for field in shown.text_input if field.label.startswith("Template argument"))
    shown = press(no_exception(field.input("preserve_reasoning=true").run()), TRY)
    assert "Set a template argument in every request: reusable 42,832 → 50,672" in words(shown)


def test_a_log_that_is_not_at_hand_is_asked_for(visit: Open, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key = key_of("06")
    monkeypatch.setattr(places, "sample_logs", lambda: [])
    shown = no_exception(visit("session", samples, session=key))
    assert "Whymiss keeps no request bodies" in words(shown)
    assert TRY not in [button.label for button in shown.button]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("preserve_reasoning=true", ("preserve_reasoning", True)),
        ("effort = 3 ", ("effort", 3)),
        ("date_string=Sunday, 29 November 2026", ("date_string", "Sunday, 29 November 2026")),
        ('names=["a"]', ("names", ["a"])),
        ("", None),
        ("name", None),
        ("=true", None),
        ("name=", None),
    ],
)
def test_argument(text: str, found: Any) -> None:
    assert argument(text) == found
    assert json.loads(json.dumps(found)) == (list(found) if found else None)


def test_what_can_be_tried() -> None:
    first, second, third = record_of("06").plan
    labels = [one.label for one in choices((first, replace(second, after=None, reason="no"), third))]
    assert labels[:3] == ["Undo volatile-head/client-timestamp", "Undo client/history-edited", "The whole fix plan"]
    assert [one.label for one in choices((first,))][1] == "Set a template argument in every request"


def test_what_was_not_verified_is_unknown_in_the_table() -> None:
    table = plan_table([replace(record_of("02").plan[0], after=None, reason="no knob")])
    assert table["Reusable after"].isna().all() and table["Computed saved"].isna().all()
    assert table["Not verified because"].tolist() == ["no knob"]


def test_the_tables_of_what_was_tried() -> None:
    before = (TurnFigures(1, 100, 0, Account(0, 0, 4, 30, 66, None, 0)), TurnFigures(2, 50, 16, None))
    after = (TurnFigures(1, 100, 64, Account(None, None, 4, 0, 32, 64, 0)),)
    sums = account_table(WhatIf("it", before, after)).set_index("Tokens")
    assert sums.loc["Reusable (predicted)"].tolist() == [16, 64, 48]
    assert sums.loc["Lost"].tolist() == [30, 0, -30]
    assert sums.loc["Missed"].tolist() == [0, 0, 0]
    assert turn_table(WhatIf("it", before, after))["Reusable as sent"].tolist() == [0]
