"""Markdown for an issue tracker: the same report, with turns and tokens by their numbers."""

import re

from analysis.report.markdown import as_markdown
from tests.sample_reports import leaving


def test_a_session_is_told_with_its_causes_plan_map_and_turns() -> None:
    said = as_markdown(leaving("03"))
    for line in (
        "# Prefix cache report: `session A`",
        "**86% computed again after a change, mostly at turn 8 in the system message: a time stands in the prompt.**",
        "    2 ◆" + 48 * "▒" + "···",
        "- Block size: 16 tokens (given)",
    ):
        assert line in said.splitlines()
    assert "`‹messages[0].content · A · HH:MM:SS (+1 s)›` now" in said
    assert (
        "leaves turn 1 at token 44 (block 2), in the system message: `‹messages[0].content · E · 1 token›` before"
        in said
    )
    assert 'Send chat\\_template\\_kwargs: \\{"preserve\\_reasoning": true\\}.' in said


def test_a_fleet_is_a_table() -> None:
    said = as_markdown(leaving("busy"))
    assert "| Session | Verdict | Turns | Prompt | Hit rate | Wasted |" in said
    assert len(re.findall(r"\n## \d\. `session ", said)) == 7 and "capacity/eviction" in said


def test_a_long_session_stays_readable() -> None:
    assert len(as_markdown(leaving("11"))) < 60_000, "an issue of GitHub takes 65,536 characters"
