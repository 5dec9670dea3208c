"""``whymiss convert``: any log that is read, written as the canonical log."""

import sys
from pathlib import Path

import typer

from analysis.pipeline.converting import Converted, read_to_convert
from analysis.report.words import counted
from app import options
from app.outputs import refuse_unwritable, spare_logs, write_whole
from app.printing import safe_json
from app.terminal import fail, progress, say, say_problem


def convert(
    logs: options.Logs,
    output: options.Output,
    log_format: options.LogFormat = None,
    keep_secrets: options.KeepSecrets = False,
) -> None:
    """Write logs of any format as one canonical log.

    It has a JSON line per request, with sessions and ids as they were read. A cache salt is written as a fingerprint
    unless --keep-secrets: equal salts of one run stay equal. Several logs become one file, and so the history of one
    server; convert them one by one to keep servers apart.

    Examples: whymiss convert trace.json -o proxy.jsonl · whymiss convert a.jsonl b.jsonl -o -
    """
    try:
        spare_logs(output, logs)
        refuse_unwritable(output)
        converted = read_to_convert(logs, log_format, progress(), keep_secrets)
        _write(converted, output)
    except (ValueError, OSError) as error:
        fail(error)
    for problem in converted.problems:
        say_problem(problem)
    say(f"{output}: {counted(converted.num_lines, 'request')} in {counted(converted.num_sessions, 'session')}.")


def _write(converted: Converted, output: Path) -> None:
    if str(output) == "-":
        for line in converted.lines():
            sys.stdout.write(safe_json(line.decode("utf-8")))
        return
    write_whole(output, converted.write)


def add_to(app: typer.Typer) -> None:
    """Make it a command of the command line."""
    app.command()(convert)
