"""What a report says of its own redaction."""

from dataclasses import replace

from analysis.report.leaving import said_of_scope
from tests.sample_reports import leaving


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
