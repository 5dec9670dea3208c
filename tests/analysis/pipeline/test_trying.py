"""Changes tried on a log that is read again: those of the samples give what the server measured."""

import json
from functools import cache
from typing import Any

import pytest

from analysis.model.what_if import WhatIf
from analysis.pipeline.changes import CHANGES
from analysis.pipeline.sources import read_source
from analysis.pipeline.trying import Asked, Bench, bench, try_change, try_fixes
from analysis.render.errors import RenderError
from analysis.report.plan import summed
from app import places
from tests.builders import ROOT, SAMPLE_MODEL
from tests.sample_store import GIVEN, sample_renderers

FILES: dict[str, Any] = json.loads((ROOT / "tests" / "data" / "EXPECTED.json").read_text("utf-8"))["files"]
BY_NAME = {change.name: change for change in CHANGES}


@cache
def on(number: str) -> Bench:
    (path,) = (path for path in places.sample_logs() if path.name.startswith(number))
    return bench(read_source(path), sample_renderers(), GIVEN)


def reusable(found: WhatIf) -> int:
    assert found.reason is None, found.reason
    return summed(found.after).reusable


def measured(number: str, name: str) -> int:
    (file,) = (file for name, file in FILES.items() if name.startswith(number))
    return int(file["what_if"][name]["sum_reusable"])


@pytest.mark.parametrize(
    ("number", "codes", "name"),
    [
        ("06", ["volatile-head/client-timestamp"], "clock_frozen"),
        (
            "06",
            ["volatile-head/client-timestamp", "tools/order", "client/history-edited"],
            "clock_frozen+tools_fixed+results_unchanged",
        ),
        ("02", ["template/reasoning-stripped"], "preserve_reasoning"),
        ("11", ["template/reasoning-stripped", "tools/set-changed"], "preserve_reasoning+tools_fixed"),
        ("14", ["volatile-head/template-date"], "date_frozen"),
    ],
)
def test_fixes(number: str, codes: list[str], name: str) -> None:
    assert reusable(try_fixes(on(number), 0, codes)) == measured(number, name)


@pytest.mark.parametrize(
    ("number", "change", "name"),
    [
        ("03", "system", "clock_frozen"),
        ("05", "tools", "tools_fixed"),
        ("05", "all-tools", "tools_fixed"),
        ("07", "salt", "salt_fixed"),
        ("09", "outputs", "outputs_kept"),
        ("14", "clock", "date_frozen"),
    ],
)
def test_named_changes(number: str, change: str, name: str) -> None:
    assert reusable(try_change(on(number), 0, BY_NAME[change])) == measured(number, name)


def test_a_template_argument() -> None:
    found = try_change(on("02"), 0, BY_NAME["template-kwarg"], Asked(("preserve_reasoning", True)))
    assert reusable(found) == measured("02", "preserve_reasoning")


def test_a_sorted_list_of_tools_stays_in_its_order() -> None:
    found = try_change(on("05"), 0, BY_NAME["sort-tools"])
    assert reusable(found) > summed(found.before).reusable


def test_a_clock_in_the_newest_message_leaves_the_system_text_alone() -> None:
    found = try_change(on("03"), 0, BY_NAME["line-to-newest"])
    assert reusable(found) > 50 * summed(found.before).reusable


def test_another_template() -> None:
    own = (SAMPLE_MODEL / "chat_template.jinja").read_text("utf-8")
    found = try_change(on("02"), 0, BY_NAME["template"], Asked(template=own))
    assert (found.before, reusable(found)) == (found.before, summed(found.before).reusable)
    longer = try_change(on("02"), 0, BY_NAME["template"], Asked(template="Hello there, all of you.\n" + own))
    assert summed(longer.after).prompt > summed(longer.before).prompt


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("{% if %}", "template"),
        ("{{ messages[0].missing.deeper }}", "template"),
        ("{{ messages[0].content * 999999999 }}", "the chat template needs more than 1 GB of memory and was stopped"),
    ],
)
def test_a_template_that_does_not_work_has_a_reason(template: str, reason: str) -> None:
    found = try_change(on("02"), 0, BY_NAME["template"], Asked(template=template))
    assert found.after == () and reason in (found.reason or "")


@pytest.mark.parametrize("change", ["system", "tools", "all-tools", "outputs", "salt", "reasoning"])
def test_what_changes_nothing_says_so(change: str) -> None:
    assert "changes nothing" in (try_change(on("01"), 0, BY_NAME[change]).reason or "")


def test_a_cause_that_was_meant_cannot_be_undone() -> None:
    reason = try_fixes(on("08"), 0, ["client/compaction"]).reason
    assert reason == "client/compaction: no change to the requests undoes it"


def test_a_session_is_found_by_its_name_and_file() -> None:
    session = on("13").history[2].session
    assert on("13").index(session.session_id, session.file) == 2
    with pytest.raises(RenderError, match="no session 'nobody'"):
        on("13").index("nobody", session.file)
