"""``whymiss report``: logs as one file that can be sent, with what they say taken out unless it is asked for."""

import secrets
from pathlib import Path
from typing import get_args

import typer

from analysis.report.quotes import Scope
from analysis.report.redaction import Hidden, Rules, redacted
from analysis.report.words import counted
from app import options
from app.analysing import analyse_logs
from app.option_groups import LogOptions, spread
from app.outputs import refuse_unwritable, spare_logs, write_text
from app.reporting import FORMS, KEPT, report_of_logs, written
from app.terminal import fail, say, say_problem


@spread()
def report(
    logs: options.Logs,
    *,
    output: options.ReportTo = Path("report.html"),
    redact: options.Redact = "everything",
    hide: options.Hide = None,
    keep: options.Keep = None,
    asked: LogOptions,
) -> None:
    """Write a report that can be sent.

    It is one HTML file, Markdown for an issue tracker, or JSON.

    What a log says is taken out: a text becomes a placeholder with its field, a label and a length, tokens become empty
    boxes. A single text can be released on the session page, where the preview shows what leaves.

    Examples: whymiss report proxy.jsonl -o case.html · whymiss report logs/ -o fleet.md --redact secrets --hide Ott
    """
    try:
        form, rules = _form(output, logs), _rules(redact, hide or [], keep or [])
        found = analyse_logs(logs, asked)
        problems = [*found.unread, *found.beside]
        made, hidden = redacted(
            report_of_logs(found.analysed, found.renderers, problems), rules, secrets.token_bytes(32)
        )
        if not made.overview:
            raise ValueError("there is no session in these logs.")
        _write(written(made, form), output)
    except (ValueError, OSError) as error:
        fail(error)
    for problem in problems:
        say_problem(problem)
    say(f"{output}: {counted(len(made.overview), 'session')}, {_told(rules, hidden)}.")


def _form(output: Path, logs: list[Path]) -> str:
    if str(output) == "-":
        return ".md"
    if output.suffix.lower() not in FORMS:
        raise ValueError(f"{output}: a report is written as {', '.join(FORMS)}; let the name end so.")
    spare_logs(output, logs)
    refuse_unwritable(output)
    return output.suffix.lower()


def _rules(scope: str, hide: list[str], keep: list[str]) -> Rules:
    if unknown := sorted(set(keep) - set(KEPT)):
        raise ValueError(f"--keep {unknown[0]}: use {' or '.join(KEPT)}.")
    if hide and scope != "secrets":
        raise ValueError("--hide belongs to --redact secrets: otherwise everything is hidden, or nothing.")
    if not all(name.strip() for name in hide):
        raise ValueError("--hide is empty: give the name to hide, or leave the option out.")
    for known in get_args(Scope):
        if scope == known:
            return Rules(known, tuple(hide), frozenset(keep))
    raise ValueError(f"--redact {scope}: use one of {', '.join(get_args(Scope))}.")


def _told(rules: Rules, hidden: tuple[Hidden, ...]) -> str:
    if rules.scope == "everything":
        return f"redacted: {counted(len(hidden), 'text')} hidden"
    return "with credentials and e-mail addresses hidden" if rules.scope == "secrets" else "not redacted"


def _write(content: str, output: Path) -> None:
    if str(output) == "-":
        typer.echo(content, nl=False)
    else:
        write_text(output, content)


def add_to(app: typer.Typer) -> None:
    """Make it a command of the command line."""
    app.command()(report)
