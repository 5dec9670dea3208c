"""Notes of people in a report: what leaves of them, and how it looks in every form."""

import json
import re
from typing import Any

import pytest

from analysis.model.annotation import Anchor, Annotation, Place, Placed, Version
from analysis.report.document import Report
from analysis.report.leaving import NOTES as NOTES_SAID
from analysis.report.leaving import said_of_scope
from analysis.report.quotes import Quote, Scope, Shown
from analysis.report.redaction import Rules, redacted
from analysis.report.written import notes, written_of
from app.reporting import report_of_session, written
from tests.sample_store import record_of

TEXT = "**Zeppelin** <script>alert(1)</script> ![x](http://x.example/a.png)\n- \u202e `two`"
KEY = bytes(32)


def placed(text: str | None, place: Place, key: int = 1) -> Placed:
    anchor = Anchor("span", "r7", 7, "messages[2].x_secret_name", 12, 16)
    versions = (Version(1, "Ann Lee", 1_750_000_000.0, "pelican"), Version(2, "Bob", 1_750_000_060.0, text))
    return Placed(Annotation(key, 1, anchor, versions), place)


NOTES = (placed("later", Place(9, moved=True), 2), placed(TEXT, Place(7, 16, 17)), placed(None, Place(7), 3))


def report() -> Report[Quote]:
    return report_of_session(record_of("03"), {}, lambda _model, _ids: {}, NOTES)


def leaving(scope: Scope, released: frozenset[str] = frozenset()) -> Report[Shown]:
    return redacted(report(), Rules(scope, released=released), KEY)[0]


def test_notes_stand_in_reading_order_without_those_that_are_deleted() -> None:
    first, second = written_of(NOTES, 16)
    assert (first.author, first.text) == (Quote("Ann Lee", "author", "name"), Quote(TEXT, "note"))
    assert (first.at, first.where, first.remark) == ("2025-06-15 15:06 UTC", "turn 7, token 16 (block 1)", "")
    assert (second.where, second.remark) == ("turn 9", "moved: what it is about is no longer there")


@pytest.mark.parametrize("form", [".html", ".md", ".json"])
def test_nothing_of_a_note_leaves_unless_it_is_let_go(form: str) -> None:
    hidden = written(leaving("everything"), form)
    for said in ("Zeppelin", "Ann", "Bob", "pelican", "x_secret_name"):
        assert said not in hidden, said
    (placeholder,) = (one.placeholder for one in redacted(report(), Rules(), KEY)[1] if one.text == TEXT)
    assert placeholder.startswith("‹note · ") and placeholder.endswith(f" · {len(TEXT)} characters›")
    assert (json.dumps(placeholder) if form == ".json" else placeholder) in hidden
    assert "author A" in hidden and re.search("turn 7(</a>)?, token 16", hidden)
    assert "Zeppelin" in written(leaving("everything", frozenset([placeholder])), form)


def test_a_page_shows_a_note_as_text() -> None:
    page = written(leaving("nothing"), ".html")
    assert "<script>alert" not in page and "\u202e" not in page and "<img" not in page
    assert "**Zeppelin** &lt;script&gt;alert(1)&lt;/script&gt; ![x](http://x.example/a.png)<br>- \\u202e `two`" in page
    assert "<h3>Notes</h3>" in page and notes(leaving("nothing").sessions[0]).count("<li") == 2


def test_markdown_quotes_a_note_and_formats_nothing_of_it() -> None:
    lines = written(leaving("nothing"), ".md").splitlines()
    at = lines.index("`Ann Lee` · 2025-06-15 15:06 UTC · turn 7, token 16 (block 1)")
    assert lines[at + 1 : at + 4] == [
        ">",
        "> `**Zeppelin** <script>alert(1)</script> ![x](http://x.example/a.png)`  ",
        r"> `` - \u202e `two` ``  ",
    ]


@pytest.mark.parametrize("scope", ["everything", "secrets", "nothing"])
def test_a_report_says_what_became_of_notes(scope: Scope) -> None:
    _scope, said = said_of_scope(leaving(scope))
    assert said == NOTES_SAID[scope]


def test_json_holds_a_note_in_fields() -> None:
    (session,) = json.loads(written(leaving("nothing"), ".json"))["sessions"]
    first: dict[str, Any] = session["written"][0]
    assert first == {
        "author": "Ann Lee",
        "at": "2025-06-15 15:06 UTC",
        "where": "turn 7, token 16 (block 1)",
        "remark": "",
        "text": TEXT,
    }


def test_a_report_without_notes_says_nothing_of_them() -> None:
    bare = redacted(report_of_session(record_of("03"), {}, lambda _model, _ids: {}), Rules("nothing"), KEY)[0]
    assert "Notes" not in written(bare, ".html") and "Notes" not in written(bare, ".md")
