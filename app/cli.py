"""The command line: the dashboard, and the same analysis without it.

Exit codes: 0 fine, 1 a gate tripped, 2 the input or the usage is wrong (always with one clear line).
"""

import sys
from contextlib import closing, nullcontext
from importlib import metadata
from itertools import pairwise
from pathlib import Path

import typer

from analysis.formats import FORMATS
from analysis.model.finding import UNEXPLAINED
from analysis.model.record import SessionRecord
from analysis.model.session import Problem
from analysis.model.settings import Settings
from analysis.pipeline.compare import compare
from analysis.pipeline.importing import already_stored, import_source
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, read_source
from analysis.report.contract import as_json
from analysis.report.gates import causes_among, lost_percent
from analysis.report.template_words import exit_code
from analysis.report.words import IN_WORDS, reconciled
from analysis.store.repository import Repository
from app import check_command, convert_command, options, places, record_command, report_command, store_command, visitors
from app.analysing import already_known, analyse_logs, block_size_of, renderers_of, served
from app.commands import Commands
from app.held import holding
from app.option_groups import LogOptions, RenderOptions, spread
from app.outputs import refuse_unwritable, spare_logs, write_text
from app.printing import comparison_text, json_text, safe, session_text
from app.template_command import check_all, write_checks
from app.terminal import fail, progress, resumable, say, say_problem

app = typer.Typer(
    cls=Commands,
    help="Find out why a vLLM prefix cache missed: turn by turn, block by block, token by token.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def dashboard(context: typer.Context, version: options.Version = False) -> None:
    """Without a command: the dashboard, on first start with the sample sessions in it."""
    if version:
        typer.echo(f"whymiss {metadata.version('whymiss')}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        serve()


@app.command()
def serve(
    logs: options.MoreLogs = None,
    db: options.Database = None,
    port: options.Port = None,
    host: options.Host = "127.0.0.1",
    read_only: options.ReadOnly = False,
    allow_endpoint: options.AllowEndpoint = None,
) -> None:
    """Start the dashboard.

    It listens on 127.0.0.1 unless --host says otherwise.

    Examples: whymiss serve · whymiss serve proxy.jsonl --db team.duckdb --port 8600
    · whymiss serve --db team.duckdb --host 0.0.0.0 --read-only
    """
    from app.serving import refuse_taken_port, run_dashboard  # streamlit takes a second to import

    file = places.database() if db is None else db.expanduser()  # the pages take the file by the same name
    shared = visitors.are_others(host)
    try:
        refuse_taken_port(port, host)
        if read_only and logs:
            raise ValueError("--read-only adds no logs: leave them out, or start without it.")
        visitors.settle(read_only, shared, allow_endpoint or [])
        repository = Repository.open(file, read_only)
        _keep(logs or [], repository)
    except (ValueError, OSError) as error:
        fail(error)
    say(f"Whymiss {'reads' if read_only else 'keeps'} its sessions in {file} (--db chooses another).")
    if shared:
        more = "" if read_only else " and adds logs"
        say(f"Whoever reaches {host} sees every session{more}, unless a login is asked for: the README says how.")
    with holding(repository):
        run_dashboard(file, port, host)


def _keep(logs: list[Path], repository: Repository) -> None:
    """Analyse the logs that are not in the repository yet, and keep them there."""
    renderers = Renderers(known=places.known_models(), chosen=repository.renderers(), key_for=visitors.key_for)
    for source in map(read_source, logs):
        if not already_stored(source, renderers, Settings(), repository):
            with resumable():
                kept = import_source(source, renderers, Settings(), repository, progress=progress())
            for problem in already_known(kept, renderers, repository):
                say_problem(problem)


@app.command()
@spread()
def analyze(
    logs: options.Logs,
    *,
    asked: LogOptions,
    db: options.KeepIn = None,
    json_to: options.JsonFile = None,
    max_lost: options.MaxLost = None,
    fail_on: options.FailOn = None,
) -> None:
    """Explain logs: what was reused, what was not, and why.

    Of every turn: what it could reuse, what the server reused, and where its prompt diverges.

    Examples: whymiss analyze proxy.jsonl --model ./qwen3 · whymiss analyze a.jsonl b.jsonl --json - --block-size 32
    """
    try:
        _known_codes(fail_on or [])
        spare_logs(json_to, logs, "--json")
        refuse_unwritable(json_to)  # before the work, which takes longer
        with closing(Repository.open(db)) if db is not None else nullcontext() as repository:
            found = analyse_logs(logs, asked, repository)
    except (ValueError, OSError) as error:
        fail(error)
    records = [record for one in found.analysed for record in one.records]
    problems = [*found.unread, *found.beside, *(problem for one in found.analysed for problem in one.problems)]
    _write(records, found.settings, problems, json_to)
    if max_lost is not None:
        _gate(records, max_lost)
    if causes := causes_among(records, fail_on or []):
        say(f"--fail-on: {', '.join(causes)}")
        raise typer.Exit(1)


@app.command()
@spread()
def diff(files: options.Bodies, *, asked: RenderOptions) -> None:
    """Compare consecutive prompts: where they first differ.

    Says in which message field that is, and what stays reusable.

    Examples: whymiss diff turn6.json turn7.json --model ./qwen3 · whymiss diff a.json b.json --endpoint localhost:8000
    """
    try:
        renderers = renderers_of(asked)
        given = Settings(**block_size_of(asked.block_size), normalise=renderers.normalise)
        settings = served(renderers, given)
        record = compare([_log_file(path) for path in files], renderers.renderer_for, settings)
    except (ValueError, OSError) as error:
        fail(error)
    for problem in record.problems:
        say(f"{problem.file}: {problem.message}")
    for earlier, later in pairwise(record.turns):
        typer.echo(comparison_text(earlier, later, settings.block_size))


@app.command()
def template(
    targets: options.Templates, kwargs: options.TemplateKwargs = None, json_to: options.JsonFile = None
) -> None:
    """Check whether chat templates rewrite history.

    The prompt of a growing agent conversation should only grow.

    Exit codes: 0 pure, 1 not pure, 2 cannot tell.

    Examples: whymiss template ./qwen3 · whymiss template *.jinja --json - · whymiss template localhost:8000
    """
    try:
        refuse_unwritable(json_to)
        checks, problems = check_all(targets, kwargs)
        write_checks(checks, problems, json_to)
    except (ValueError, OSError) as error:
        fail(error)
    for problem in problems:
        say(f"{problem.file}: {problem.message}")
    raise typer.Exit(exit_code(checks, problems))


@app.command()
def formats() -> None:
    """List the log formats that are read, with their limits."""
    for known in FORMATS:
        typer.echo(f"{known.name}: {known.title}")
        typer.echo(f"  looks for: {known.looks_for}")
        for limit in known.limitations:
            typer.echo(f"  limit: {limit}")


check_command.add_to(app)
convert_command.add_to(app)
record_command.add_to(app)
report_command.add_to(app)
store_command.add_to(app)


def main() -> None:
    """The console script.  Whatever goes wrong unforeseen is one line and exit code 2: 1 belongs to the gates."""
    try:
        app()
    except MemoryError:
        sys.stderr.write("whymiss: the memory of this machine is too small for this log. Split it.\n")
        sys.exit(2)
    except Exception as error:  # the last stop: a traceback says nothing to whoever reads a CI log
        sys.stderr.write(f"whymiss: {type(error).__name__}: {safe(str(error))[:300]}. Please report this.\n")
        sys.exit(2)


def _write(records: list[SessionRecord], settings: Settings, problems: list[Problem], json_to: Path | None) -> None:
    answer = as_json(records, settings, problems)
    if json_to is not None and str(json_to) == "-":
        typer.echo(json_text(answer))
    else:
        for record in records:
            typer.echo(session_text(record))
        for line in dict.fromkeys(line for record in records for line in reconciled(record)):
            typer.echo(safe(line))
    if json_to is not None and str(json_to) != "-":
        try:
            write_text(json_to, json_text(answer) + "\n")
        except OSError as error:
            fail(error)
    for problem in answer["problems"]:
        say_problem(Problem(**problem))


def _known_codes(codes: list[str]) -> None:
    """A gate on a code that no turn can have would never trip."""
    unknown = sorted(set(codes) - {*IN_WORDS, UNEXPLAINED})
    if unknown:
        raise ValueError(f"--fail-on {unknown[0]}: no such cause; there are: {', '.join(sorted(IN_WORDS))}.")


def _gate(records: list[SessionRecord], max_lost: float) -> None:
    lost = lost_percent(records)
    if lost is None:
        fail(ValueError("--max-lost: no turn in these logs can be measured (no second turn with known tokens)."))
    if lost > max_lost:
        say(f"--max-lost: {lost:.2f} % of the prompt tokens behind first turns were lost, more than {max_lost:g} %.")
        raise typer.Exit(1)


def _log_file(path: Path) -> LogFile:
    return LogFile(path.name, path.read_bytes())


if __name__ == "__main__":
    main()
