"""What a report says of its own redaction."""

from dataclasses import replace

import pytest

from analysis.report.leaving import hidden_story, said_of_scope
from analysis.report.markdown import as_markdown
from analysis.report.page import as_page
from analysis.report.quotes import Scope
from analysis.report.redaction import Rules, redacted
from tests.case_reports import case_report
from tests.sample_reports import KEY, leaving


def test_each_scope_is_said() -> None:
    assert said_of_scope(leaving("03"))[0].startswith("Redacted: ")
    assert said_of_scope(leaving("03", "secrets"))[0].startswith("Partly redacted: ")
    assert said_of_scope(leaving("03", "nothing")) == [
        "Not redacted: this file holds text of the log, as it was sent to the server."
    ]


def test_what_was_let_go_is_said() -> None:
    lines = said_of_scope(replace(leaving("03"), released=("tool A",), kept=("model", "tool")))
    assert lines[1:] == [
        "Released one by one, and so readable here: tool A.",
        "Kept as they are: names of models and tools.",
    ]


def test_a_hidden_story_is_said_with_the_way_to_release_it() -> None:
    made, hidden = redacted(case_report(), Rules("everything"), KEY)
    (story,) = [one.placeholder for one in hidden if one.placeholder.startswith("‹narrative")]
    said = hidden_story(made)
    assert said.startswith(f"The story that was written about this case is hidden in it: {story}. Whoever makes")
    assert said in said_of_scope(made) and "Release single texts" in as_page(made)
    assert "is hidden in it" in as_markdown(made)
    assert hidden_story(redacted(case_report(), Rules("everything", released=frozenset([story])), KEY)[0]) == ""


@pytest.mark.parametrize("scope", ["secrets", "nothing"])
def test_a_story_that_leaves_is_not_called_hidden(scope: Scope) -> None:
    assert hidden_story(redacted(case_report(), Rules(scope), KEY)[0]) == ""


def test_a_report_without_a_story_says_nothing_of_one() -> None:
    made = redacted(case_report(), Rules("everything"), KEY)[0]
    assert made.case is not None
    assert hidden_story(replace(made, case=replace(made.case, narrative=None))) == ""
    assert hidden_story(leaving("03")) == ""
