"""The template check in words and as JSON: one place for the command line and the dashboard.

Does not lay anything out.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from analysis.core.template_probes import in_the_way
from analysis.model.session import Problem
from analysis.model.template_check import Behaviour, ProbeResult, TemplateCheck, Verdict
from analysis.report.contract import problem_fields

SCHEMA = 1
BEHAVIOURS: dict[Behaviour, str] = {
    "tool-loop": "Tool loop",
    "reasoning-stripped": "Earlier reasoning",
    "empty-think-block": "Empty think blocks",
    "generation-prompt": "Generation prompt",
    "positional-marker": "Positional markers",
    "date": "Date",
    "tools-relocated": "Place of the tools",
    "late-system": "Late system message",
    "tool-ids": "Ids of tool calls",
    "arguments": "Arguments of tool calls",
    "trims": "Trims",
}
COUNTED: dict[Verdict, str] = {"not-applicable": "not applicable", "raises": "raises"}


def sentence(check: TemplateCheck) -> str:
    """The verdict in one sentence."""
    counts = Counter(probe.verdict for probe in check.probes)
    aside = [f"{counts[verdict]} {words}" for verdict, words in COUNTED.items() if counts[verdict]]
    rest = f" ({', '.join(aside)})" if aside else ""
    if check.verdict == "pure":
        return f"Pure: a growing conversation only grows, in {counts['pure']} of {len(check.probes)} probes{rest}."
    broken = [probe for probe in check.probes if probe.verdict == "not-pure"]
    if broken:
        told = "; ".join(f"{BEHAVIOURS[probe.behaviour].lower()} ({probe.finding})" for probe in broken)
        return f"Not pure: {told}.{_cures(broken)}"
    told = "; ".join(
        f"{BEHAVIOURS[probe.behaviour].lower()}: {probe.message or probe.finding}" for probe in in_the_way(check.probes)
    )
    return f"Cannot tell: an agent's conversation cannot be rendered ({told})."


def exit_code(checks: Sequence[TemplateCheck], problems: Sequence[Problem]) -> int:
    """0 all pure, 1 at least one is not, 2 something could not be told or read."""
    if any(check.verdict == "not-pure" for check in checks):
        return 1
    return 2 if problems or any(check.verdict == "cannot-tell" for check in checks) else 0


def knob_words(probe: ProbeResult) -> str:
    """The cure, with a warning where it also changes what the model is asked to do."""
    if probe.knob is None:
        return "no template argument cures it" if probe.verdict == "not-pure" else ""
    return f"{probe.knob} (also changes a first prompt)" if probe.knob_changes_prompt else probe.knob


def as_json(groups: Sequence[Sequence[TemplateCheck]], problems: Sequence[Problem]) -> dict[str, Any]:
    """The stable answer: ``group`` numbers, from 1, tell which templates behave alike."""
    return {
        "schema": SCHEMA,
        "templates": [_check(check, number) for number, group in enumerate(groups, 1) for check in group],
        "problems": [problem_fields(problem) for problem in problems],
    }


def _check(check: TemplateCheck, group: int) -> dict[str, Any]:
    return {
        "name": check.name,
        "source": check.source,
        "verdict": check.verdict,
        "group": group,
        "notes": list(check.notes),
        "probes": [_probe(probe) for probe in check.probes],
    }


def _probe(probe: ProbeResult) -> dict[str, Any]:
    found = probe.evidence
    return {
        "behaviour": probe.behaviour,
        "verdict": probe.verdict,
        "finding": probe.finding,
        "scene": probe.scene,
        "shape": probe.shape,
        "knob": probe.knob,
        "knob_arguments": probe.knob_arguments and dict(probe.knob_arguments),
        "knob_changes_prompt": probe.knob_changes_prompt,
        "message": probe.message,
        "evidence": found and {"position": found.position, "before": found.before, "old": found.old, "new": found.new},
    }


def _cures(broken: Sequence[ProbeResult]) -> str:
    cured = Counter(probe.knob for probe in broken if probe.knob)
    if not cured:
        return " No template argument cures it."
    told = ", ".join(f"{knob} cures {count} of {len(broken)}" for knob, count in cured.items())
    return f" {told}."
