"""What a report says of itself: what was taken out of it, and what was let go."""

from analysis.report.document import Report, Shown

SCOPES = {
    "everything": (
        "Redacted: what the log says stands here as placeholders. One such as ‹messages[3].content · B · 212 tokens›"
        " names the field, a label and a length; equal texts have equal labels. Tokens are empty boxes."
    ),
    "secrets": (
        "Partly redacted: credentials, e-mail addresses and given names were looked for by their form and hidden. The"
        " rest of what the log says is in this file."
    ),
    "nothing": "Not redacted: this file holds text of the log, as it was sent to the server.",
}

NOTES = {
    "everything": "Notes that people wrote about it are hidden in the same way.",
    "secrets": "Notes that people wrote about it are in this file too, with the same hidden.",
    "nothing": "Notes that people wrote about it are in this file too, with their names.",
}


def said_of_scope(report: Report[Shown]) -> list[str]:
    """What was taken out, and which placeholders were released, a line each."""
    lines = [SCOPES[report.scope]]
    if any(part.written for part in report.sessions):
        lines.append(NOTES[report.scope])
    if report.released:
        lines.append(f"Released one by one, and so readable here: {', '.join(report.released)}.")
    if report.kept:
        lines.append(f"Kept as they are: names of {' and '.join(f'{kind}s' for kind in report.kept)}.")
    return lines
