"""The template check as text for a terminal.  What templates print is untrusted: it is shown escaped."""

from collections.abc import Sequence

from analysis.model.template_check import ProbeResult, TemplateCheck
from analysis.report.template_words import knob_words, sentence
from app.printing import safe

HEADINGS = ("behaviour", "verdict", "finding", "cured by")
MARGIN = "  "


def group_text(group: Sequence[TemplateCheck]) -> str:
    """Templates that behave alike: their names, the verdict, a row per behaviour, and the evidence of the first."""
    first = group[0]
    names = ", ".join(safe(check.name) for check in group)
    alike = f"  ({len(group)} that behave alike)" if len(group) > 1 else ""
    rows = [HEADINGS, *(_row(probe) for probe in first.probes)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    table = [MARGIN + MARGIN.join(map(str.ljust, row, widths)).rstrip() for row in rows]
    notes = [f"{MARGIN}note: {safe(note)}" for note in first.notes]
    shown = [line for probe in first.probes for line in _evidence(probe)]
    return "\n".join(
        [f"{names}{alike}", safe(sentence(first)), *notes, "", *table, *([""] if shown else []), *shown, ""]
    )


def _row(probe: ProbeResult) -> tuple[str, ...]:
    return (probe.behaviour, probe.verdict, safe(probe.finding), safe(knob_words(probe)))


def _evidence(probe: ProbeResult) -> list[str]:
    """Both renders of what is not pure, and the template's own words."""
    lines = []
    found = probe.evidence
    if found is not None:
        lines += [
            f"{MARGIN}{probe.behaviour}, character {found.position:,}: {probe.scene} ({probe.shape})",
            f"{MARGIN}  before: …{safe(found.before)}",
            f"{MARGIN}  old:    {safe(found.old)}…",
            f"{MARGIN}  new:    {safe(found.new)}…",
        ]
    if probe.message is not None and probe.message != probe.finding:
        lines.append(f"{MARGIN}{probe.behaviour}: {safe(probe.message)}")
    return lines
