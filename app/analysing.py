"""What every command does that analyses logs: renderer and settings from its options, and all logs read."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from analysis.formats.base import FormatError
from analysis.live.errors import EndpointError
from analysis.live.vllm import VllmServer
from analysis.model.session import Problem
from analysis.model.settings import DEFAULT_RETENTION, Normalisation, Settings
from analysis.pipeline.analyse import NO_SIDE_FILES
from analysis.pipeline.gaps import SideFiles
from analysis.pipeline.importing import Analysed, analyse_source, import_source, stored_key
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.side_files import Beside, as_served, read_beside
from analysis.pipeline.sources import Source, joined, read_source
from analysis.store.database import StoreError
from analysis.store.repository import Repository
from app import places, visitors
from app.already_here import already_here
from app.option_groups import LogOptions, RenderOptions
from app.terminal import progress, reason, resumable


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the logs of one command gave: ``unread`` is of logs that cannot be read, ``beside`` of the files beside."""

    analysed: list[Analysed]
    renderers: Renderers
    settings: Settings
    unread: list[Problem]
    beside: list[Problem]


def analyse_logs(logs: list[Path], asked: LogOptions, repository: Repository | None = None) -> Outcome:
    """Analyse logs as the options ask, and keep them in the repository where there is one.

    Raise ValueError or OSError where an option cannot be followed, or no log can be read.
    """
    renderers = renderers_of(asked)
    renderers.chosen = repository.renderers() if repository is not None else {}
    beside = read_beside(asked.metrics or [], asked.kv_events, asked.server_info)
    settings = settings_of(renderers, beside, asked)
    analysed, unread = analyse_all(logs, renderers, settings, asked.log_format, beside.side, repository)
    return Outcome(analysed, renderers, settings, unread, list(beside.problems))


def renderers_of(asked: RenderOptions) -> Renderers:
    """The renderers that the options name; raise ValueError or OSError where they name none."""
    if asked.normalise not in get_args(Normalisation):
        raise ValueError(f"--normalise {asked.normalise}: use one of {', '.join(get_args(Normalisation))}.")
    model, endpoint = asked.model, asked.endpoint
    if "" in (model, endpoint):
        raise ValueError("--model or --endpoint is empty: give a value, or leave the option out.")
    if model and endpoint:
        raise ValueError("--model and --endpoint exclude each other: one of them renders.")
    key, generates = places.api_key(), asked.allow_generation
    server = VllmServer(endpoint, api_key=key, allow_generation=generates) if endpoint else None
    renderers = Renderers(model, server, asked.normalise, places.known_models(), {}, visitors.key_for)  # type: ignore[arg-type]
    if model:
        renderers.renderer_for("")  # a model that cannot be loaded is a usage error, not a problem of every turn
    return renderers


def block_size_of(given: int | None) -> dict[str, Any]:
    """The fields of Settings that a given block size makes."""
    return {} if given is None else {"block_size": given, "block_size_basis": "given"}


def settings_of(renderers: Renderers, beside: Beside, asked: LogOptions) -> Settings:
    """What the options say of the server, else what the files beside the log or the live server say."""
    given = Settings(
        **block_size_of(asked.block_size),
        normalise=renderers.normalise,
        same_server=asked.same_server,
        num_blocks=asked.blocks,
        window=asked.window,
        retention=DEFAULT_RETENTION if asked.retention is None else asked.retention,
        spec_decode=asked.spec_decode,
        dcp=asked.dcp,
    )
    settings = served(renderers, beside.settings(given))
    # 0 is a value and the default, so only here is it known that it was given.
    return settings if asked.retention is None else replace(settings, retention=asked.retention)


def served(renderers: Renderers, given: Settings) -> Settings:
    """What was given, else what the live server says of its cache."""
    return given if renderers.server is None else as_served(given, renderers.server.describe())


def analyse_all(
    logs: list[Path],
    renderers: Renderers,
    settings: Settings,
    log_format: str | None = None,
    side: SideFiles = NO_SIDE_FILES,
    repository: Repository | None = None,
) -> tuple[list[Analysed], list[Problem]]:
    """Analyse every log that can be read; what cannot be is a problem, and is an error where nothing is left.

    Each is kept in the repository, where there is one, as soon as it is analysed.  Raise EndpointError or StoreError
    where the server or the store fails: that is no matter of one log.
    """
    sources, refused = _sources_of(logs)
    if settings.same_server and sources:
        sources = [joined(sources)]
    analysed: list[Analysed] = []
    repeated: list[Problem] = []
    for source in sources:
        try:
            if repository is None:
                analysed.append(analyse_source(source, renderers, settings, log_format, progress(), side))
            else:
                with resumable():
                    kept = import_source(source, renderers, settings, repository, log_format, progress(), side)
                analysed.append(kept)
                repeated += already_known(kept, renderers, repository)
        except (EndpointError, StoreError):
            raise
        except (FormatError, OSError) as error:  # a large log is read from the disk only now
            refused.append((source.name, error))
    if not analysed and refused:
        raise refused[0][1]
    unread = [Problem(name, None, reason(error).removeprefix(f"{name}: ")) for name, error in refused]
    return analysed, [*unread, *repeated]


def _sources_of(logs: list[Path]) -> tuple[list[Source], list[tuple[str, Exception]]]:
    """The logs that can be opened; those that cannot be by name, each with why."""
    sources: list[Source] = []
    refused: list[tuple[str, Exception]] = []
    for path in logs:
        try:
            sources.append(read_source(path))
        except (FormatError, OSError) as error:
            refused.append((path.name, error))
    return sources, refused


def already_known(kept: Analysed, renderers: Renderers, repository: Repository) -> list[Problem]:
    """That other logs in the database brought calls of one that was just kept, if they did."""
    key = stored_key(kept.source, renderers, kept.settings, repository)
    said = None if key is None else already_here(repository, key, len(kept.records))
    return [] if said is None else [Problem(kept.source.name, None, f"{said}.")]
