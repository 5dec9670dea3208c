"""``whymiss check``: a log against a baseline, for CI."""

from pathlib import Path

import typer

from analysis.model.baseline import Baseline, Comparison, Moved
from analysis.model.settings import Settings
from analysis.pipeline.importing import Analysed
from analysis.pipeline.sources import refuse_special
from analysis.report.baseline import baseline_of, held_against, regressions
from analysis.report.baseline_file import read, written
from analysis.report.figure_words import percent
from analysis.report.words import counted
from app import options
from app.analysing import Outcome, analyse_logs
from app.option_groups import LogOptions, spread
from app.outputs import refuse_unwritable, spare_logs, write_text
from app.printing import safe
from app.terminal import fail, say, say_problem

MAX_DROP = 1.0  # percentage points
MOST_SESSIONS = 10  # that are named


@spread(without=("allow_generation", "kv_events"))
def check(
    logs: options.Logs,
    *,
    baseline: options.Against = None,
    save: options.SaveBaseline = None,
    max_drop: options.MaxDrop = MAX_DROP,
    asked: LogOptions,
) -> None:
    """Hold logs against a baseline: does the cache still hit?

    Exit codes: 0 as good as before, 1 the hit rate or the reusable share fell by more than --max-drop, 2 cannot tell.

    Examples: whymiss check nightly.jsonl --save baseline.json · whymiss check pr.jsonl --baseline baseline.json
    """
    try:
        _refuse_baselines(baseline, save, logs)
        before = None if baseline is None else read(_text(baseline), baseline.name)
        found = analyse_logs(logs, asked)
        _refuse_unread(found)
        _refuse_damaged(found.analysed)
        after = _usable(found.analysed, found.settings)
        failed = [] if before is None else _compared(before, after, max_drop)
        if save is not None and not failed:
            write_text(save, written(after))
            sessions, turns = counted(len(after.sessions), "session"), counted(after.whole.num_turns, "turn")
            say(f"{save}: the baseline of {sessions}, {turns}.")
    except (ValueError, OSError) as error:
        fail(error)
    for reason in failed:
        say(f"--max-drop: {reason}")
    if failed:
        raise typer.Exit(1)
    if before is not None:
        say(f"as good as the baseline: no share fell by more than {max_drop:g} percentage points.")


def _refuse_baselines(baseline: Path | None, save: Path | None, logs: list[Path]) -> None:
    """Raise ValueError where no baseline is named, or one that is no file to read or to write."""
    if baseline is None and save is None:
        raise ValueError("name a baseline: --save FILE writes one of these logs, --baseline FILE compares with it.")
    if "-" in map(str, (save, baseline)):
        raise ValueError("-: a baseline is read from a file and written to one. Name it.")
    spare_logs(save, logs, "--save")
    refuse_unwritable(save)


def _refuse_unread(found: Outcome) -> None:
    """Say every problem; raise ValueError where a log, or a file of one, could not be read."""
    unread = [*found.unread, *(problem for one in found.analysed for problem in one.source.problems)]
    for problem in dict.fromkeys([*unread, *(problem for one in found.analysed for problem in one.all_problems)]):
        say_problem(problem)
    if unread:
        refused = ", ".join(problem.file for problem in unread)
        raise ValueError(f"not every log could be read ({refused}), so nothing is compared or saved.")


def _refuse_damaged(analysed: list[Analysed]) -> None:
    """Raise ValueError where lines of a log are lost: its shares are then those of another log."""
    damaged = [one for it in analysed for one in it.all_problems if one.kind == "damaged"]
    if damaged:
        where = ", ".join(f"{one.file} line {one.line}" for one in damaged)
        raise ValueError(f"lines are damaged ({where}), so nothing is compared or saved.")


def _usable(analysed: list[Analysed], settings: Settings) -> Baseline:
    found = baseline_of((record for one in analysed for record in one.records), settings)
    if found.whole.hit_rate is None and found.whole.reusable_share is None:
        raise ValueError(
            "nothing in these logs can be measured: no tokens and no cached_tokens are known."
            " Name the tokenizer with --model, or start the server with --enable-prompt-tokens-details."
        )
    return found


def _compared(before: Baseline, after: Baseline, max_drop: float) -> list[str]:
    """Print what moved; return why it is a regression, nothing where it is none."""
    found = held_against(before, after)
    for line in lines_of(found):
        typer.echo(safe(line))
    if not before.sessions.keys() & after.sessions.keys():
        say("no session of the baseline is in these logs: only the sums are compared.")
    return regressions(found, max_drop)


def lines_of(found: Comparison) -> list[str]:
    """A comparison as lines for a terminal."""
    lines = [_share(one) for one in found.measures]
    lines += [f"settings differ: {one}" for one in found.settings]
    lines += [f"{_fate(one)}: {one.name}, {one.before:,.0f} → {one.after:,.0f} tokens wasted" for one in found.causes]
    lines += [f"session {_share(one)}" for one in found.sessions[:MOST_SESSIONS]]
    more = len(found.sessions) - MOST_SESSIONS
    return [*lines, f"and {more:,} more sessions that moved"] if more > 0 else lines


def _fate(cause: Moved) -> str:
    if not cause.before:
        return "cause gained"
    if not cause.after:
        return "cause gone"
    return "cause grown" if (cause.change or 0) > 0 else "cause shrunk"


def _share(one: Moved) -> str:
    before, after = ("unknown" if value is None else percent(value) for value in (one.before, one.after))
    change = "" if one.change is None else f" ({one.change:+.1f} points)"
    return f"{one.name}: {before} → {after}{change}"


def _text(path: Path) -> str:
    refuse_special(path)
    return path.read_text("utf-8-sig", "replace")


def add_to(app: typer.Typer) -> None:
    """Make it a command of the command line."""
    app.command()(check)
