"""The template check on a terminal."""

from analysis.model.template_check import ProbeResult, TemplateCheck, TextDifference
from app.template_text import group_text

STRIPPED = ProbeResult(
    "reasoning-stripped",
    "not-pure",
    "dropped",
    "a tool loop",
    "with a tool loop",
    TextDifference(1234, "user\n", "<think>\x1b[31m", "call"),
    "keep=true",
    {"keep": True},
)
RAISED = ProbeResult("late-system", "raises", "raises", message="TemplateError: \x1b no")
CHECK = TemplateCheck("one", "template", "not-pure", (STRIPPED, RAISED), ("Mind this.",))


def test_a_group_is_one_table() -> None:
    lines = group_text([CHECK, TemplateCheck("two\n", "template", "not-pure", CHECK.probes)]).splitlines()
    assert lines == [
        r"one, two\n  (2 that behave alike)",
        "Not pure: earlier reasoning (dropped). keep=true cures 1 of 1.",
        "  note: Mind this.",
        "",
        "  behaviour           verdict   finding  cured by",
        "  reasoning-stripped  not-pure  dropped  keep=true",
        "  late-system         raises    raises",
        "",
        "  reasoning-stripped, character 1,234: a tool loop (with a tool loop)",
        r"    before: …user\n",
        r"    old:    <think>\x1b[31m…",
        "    new:    call…",
        r"  late-system: TemplateError: \x1b no",
    ]


def test_one_alone_names_nobody_else() -> None:
    assert group_text([CHECK]).splitlines()[0] == "one"
