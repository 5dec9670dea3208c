"""JSON: the same report for a program; a sentence is one string."""

import json

from analysis.report.report_json import as_values
from tests.sample_reports import leaving


def test_figures_sentences_and_tokens() -> None:
    values = as_values(leaving("03"))
    assert json.loads(json.dumps(values)) == values
    assert (values["schema"], values["redaction"]) == (1, {"scope": "everything", "released": [], "kept": []})
    (session,) = values["sessions"]
    assert session["name"] == "session A" and session["verdict"].startswith("86% computed again")
    turn = session["turns"][1]
    assert turn["account"]["lost"] == 1610 and turn["change"]["place"] == "in the system message"
    reason = turn["reasons"][0]
    assert reason["evidence"] == (
        "a time differs: ‹messages[0].content · A · HH:MM:SS (+1 s)› now, ‹messages[0].content · B · HH:MM:SS› before"
    )
    assert reason["fix"].startswith("Pin the time")
    assert turn["notes"] == [] and turn["account"]["rounding"] == 12
    assert values["rounding"].startswith("In 7 turns up to 12 tokens")
    old, new = turn["change"]["columns"]
    assert (new["start"], new["differs"].count("1"), set(new["texts"]), set(new["ids"])) == (20, 1, {None}, {None})
    assert len(old["differs"]) == len(old["generated"]) == 80


def test_texts_and_ids_stand_where_they_leave() -> None:
    values = as_values(leaving("03", "nothing"))
    new = values["sessions"][0]["turns"][1]["change"]["columns"][1]
    assert "".join(new["texts"]).startswith("·halls.↵Current·time:") and all(one.isdecimal() for one in new["ids"])
