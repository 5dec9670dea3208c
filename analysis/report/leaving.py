"""What a report says of itself: what was taken out of it, and what was let go."""

from analysis.report.document import Report
from analysis.report.quotes import Placeholder, Shown

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
    "everything": "What people wrote about it is hidden in the same way, and so are their names.",
    "secrets": "What people wrote about it is in this file too, without their names and with the same hidden.",
    "nothing": "What people wrote about it is in this file too, with their names.",
}


def hidden_story(report: Report[Shown]) -> str:
    """That the story of the case does not leave, and where it can be released; empty where it leaves or is none."""
    story = report.case.narrative if report.case is not None else None
    if not isinstance(story, Placeholder):
        return ""
    return (
        f"The story that was written about this case is hidden in it: {story.text}. Whoever makes the report can"
        " release it: Share, What is taken out and the kind of file, Release single texts."
    )


def said_of_scope(report: Report[Shown]) -> list[str]:
    """What was taken out, and which placeholders were released, a line each."""
    lines = [SCOPES[report.scope]]
    if report.case is not None or any(part.written for part in report.sessions) or any(_labels(report)):
        lines.append(NOTES[report.scope])
    if story := hidden_story(report):
        lines.append(story)
    if report.released:
        lines.append(f"Released one by one, and so readable here: {', '.join(report.released)}.")
    if report.kept:
        lines.append(f"Kept as they are: names of {' and '.join(f'{kind}s' for kind in report.kept)}.")
    return lines


def _labels(report: Report[Shown]) -> list[Shown]:
    return [label for one in report.overview for label in one.labels]
