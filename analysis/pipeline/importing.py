"""One import: log files into analysed sessions, and those into the store.

A file, or a folder read together, is the history of one server.  What was imported before in the same way changes
nothing; a file that has grown since replaces what it was.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from analysis.core.align import common_prefix
from analysis.core.incomplete import incomplete
from analysis.core.quoting import quoted
from analysis.formats.base import FormatError
from analysis.model.finding import SessionAnalysis
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.renderer import Renderer
from analysis.model.session import Problem, Session, TokenIds
from analysis.model.settings import Settings
from analysis.pipeline.analyse import NO_SIDE_FILES, analyse
from analysis.pipeline.gaps import SideFiles
from analysis.pipeline.peel import with_plans
from analysis.pipeline.reading import read_files
from analysis.pipeline.record import records
from analysis.pipeline.renderer_choice import unusable
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.repeats import once
from analysis.pipeline.resuming import begun, has_grown, known_before
from analysis.pipeline.rotated import continued
from analysis.pipeline.sources import Source
from analysis.pipeline.tokens import RendererFor, TokensOf, rendered_tokens
from analysis.pipeline.wrong_tokenizer import wrong_tokenizers
from analysis.store.imports import Import
from analysis.store.repository import Repository

Progress = Callable[[str, int, int], None]  # stage, done, in all


@dataclass(frozen=True, slots=True)
class Analysed:
    """What came of a source; ``problems`` are those of whole files, each record has its own.

    ``wrong_models`` had a renderer that does not make their ids, or that cannot be used: it says nothing about them.
    """

    source: Source
    settings: Settings
    records: tuple[SessionRecord, ...]
    problems: tuple[Problem, ...]
    wrong_models: frozenset[str] = frozenset()

    @property
    def all_problems(self) -> tuple[Problem, ...]:
        """Every problem once, those of files first."""
        stated = (*self.problems, *(problem for record in self.records for problem in record.problems))
        return tuple(dict.fromkeys(stated))


@dataclass(frozen=True, slots=True, eq=False)
class Explained:
    """A source that was read and explained.

    ``wrong`` has a problem for every model whose renderer is another's or cannot be used.
    """

    analyses: list[SessionAnalysis]
    renderer_for: RendererFor
    problems: list[Problem]
    wrong: Mapping[str, Problem]


def import_source(
    source: Source,
    renderers: Renderers,
    settings: Settings,
    repository: Repository,
    log_format: str | None = None,
    progress: Progress | None = None,
    side: SideFiles = NO_SIDE_FILES,
) -> Analysed:
    """Analyse a source and keep it: all of it or, where that is interrupted, nothing.

    The tokens of a large one are kept beside the database on the way, so that the same import goes on where it was; of
    a file that has grown, only what is new is rendered.
    Raises FormatError where no file of it is a log, StoreError where it cannot be stored.
    """
    how = _how(settings, renderers)
    kept = begun(source, how, renderers.stamp, repository)
    tokens_of = known_before(source, how, repository) if kept is None else kept.tokens_of
    try:
        analysed = analyse_source(source, renderers, settings, log_format, progress, side, tokens_of)
        store(analysed, renderers, repository)
    except BaseException:
        if kept is not None:
            kept.close()
        raise
    if kept is not None:
        kept.drop()
    return analysed


def analyse_source(
    source: Source,
    renderers: Renderers,
    settings: Settings,
    log_format: str | None = None,
    progress: Progress | None = None,
    side: SideFiles = NO_SIDE_FILES,
    tokens_of: TokensOf = rendered_tokens,
) -> Analysed:
    """Read and explain a source with what was said beside it.  Raises FormatError where no file of it is a log."""
    found = explained(source, renderers, settings, log_format, progress, side, tokens_of)
    planned = with_plans(found.analyses, found.renderer_for, _stage(progress, "fix plans made"))
    made = tuple(records(planned))
    stated = (*found.problems, *found.wrong.values(), *_missing_tokenizers(made, renderers))
    return Analysed(source, settings, made, stated, frozenset(found.wrong))


def explained(
    source: Source,
    renderers: Renderers,
    settings: Settings,
    log_format: str | None = None,
    progress: Progress | None = None,
    side: SideFiles = NO_SIDE_FILES,
    tokens_of: TokensOf = rendered_tokens,
) -> Explained:
    """Read a source and explain its turns, without their fix plans.  Raises FormatError where no file is a log."""
    sessions, problems = _sessions(source, log_format, progress)
    wrong = unusable(sessions, renderers)

    def renderer_for(model: str) -> Renderer | None:
        return None if model in wrong else renderers.renderer_for(model)

    wrong |= wrong_tokenizers(sessions, renderer_for)
    stage = _stage(progress, "turns analysed")
    analyses = analyse(sessions, renderer_for, settings, stage, side=side, tokens_of=tokens_of)
    return Explained(analyses, renderer_for, problems, wrong)


def store(analysed: Analysed, renderers: Renderers, repository: Repository) -> int:
    """Keep an analysis; return the key of its import.  Storing the same again changes nothing."""
    source = analysed.source
    how = _how(analysed.settings, renderers)
    known = repository.find(source.sha256, how)
    if known is not None:
        return known
    incoming = Import(
        file=source.name,
        sha256=source.sha256,
        num_bytes=source.num_bytes,
        settings=how,
        records=analysed.records,
        problems=analysed.problems,
        texts=_texts(analysed, renderers),
    )
    return repository.save(incoming, replacing=_replaced(source, repository))


def already_stored(source: Source, renderers: Renderers, settings: Settings, repository: Repository) -> bool:
    """Whether this very content was imported in this very way."""
    return stored_key(source, renderers, settings, repository) is not None


def stored_key(source: Source, renderers: Renderers, settings: Settings, repository: Repository) -> int | None:
    """The key of the import of this very content in this very way."""
    return repository.find(source.sha256, _how(settings, renderers))


def _sessions(source: Source, log_format: str | None, progress: Progress | None) -> tuple[list[Session], list[Problem]]:
    sessions: list[Session] = []
    problems: list[Problem] = list(source.problems)
    refused: list[FormatError] = []
    files = [(file.name, file.content) for file in source.files]
    for name, log in read_files(files, source.name, log_format, progress):
        if isinstance(log, FormatError):
            refused.append(log)
            problems.append(Problem(name, None, str(log).removeprefix(f"{name}: ")))
        else:
            sessions.extend(log.sessions)
            problems.extend(log.problems)
    if not sessions and refused:
        raise refused[0]
    found, repeated = once(sessions)
    return continued(found), [*problems, *repeated]


def _stage(progress: Progress | None, stage: str) -> Callable[[int, int], None] | None:
    return None if progress is None else lambda done, total: progress(stage, done, total)


def _how(settings: Settings, renderers: Renderers) -> str:
    """How a source was read, as text: an import is the same when its bytes and this are."""
    how = {**asdict(settings), "renderer": renderers.label}
    return json.dumps({**how, "chosen": renderers.choices} if renderers.choices else how, sort_keys=True)


def _replaced(source: Source, repository: Repository) -> list[int]:
    """Earlier imports of the same content read in another way, or of the beginning of the file that has grown."""
    keys = []
    for key, sha256, num_bytes in repository.sizes(source.name):
        grown = has_grown(source, sha256, num_bytes)
        refilled = len(source.files) > 1  # a folder, or logs read together, under the same name: what is in it now
        if grown or refilled or sha256 == source.sha256:
            keys.append(key)
    return keys


def _missing_tokenizers(made: Sequence[SessionRecord], renderers: Renderers) -> list[Problem]:
    """One line per model without a tokenizer: what cannot be said, and what to give."""
    by_model: dict[str, list[tuple[str, TurnRecord]]] = {}
    for record in made:
        for turn in record.turns:
            by_model.setdefault(turn.model, []).append((record.file, turn))
    problems = []
    for model, found in by_model.items():
        turns = [turn for _file, turn in found]
        said = incomplete(turns)
        if not said and not renderers.has(model):
            said = _no_tokenizer(model, is_unknown=any(turn.fidelity is None for turn in turns))
        if said:
            problems.append(Problem(found[0][0], None, said))
    return problems


def _no_tokenizer(model: str, is_unknown: bool) -> str:
    """What a model without a tokenizer costs, and how to name one."""
    lost = "its figures come from the ids in the log; tokens are not shown as text"
    if is_unknown:
        lost = "the log has no token ids, so its turns are compared by text, without token figures"
    if not model:
        return f"the log names no model: {lost}. Name its tokenizer under Add logs, or with --model."
    return (
        f"no tokenizer for the model {quoted(model)}: {lost}. Give its folder or hub id with --model or on the page"
        " Models of the dashboard, or a server with --endpoint."
    )


def _texts(analysed: Analysed, renderers: Renderers) -> dict[str, dict[int, bytes]]:
    """What the tokens of each model stand for, so that a stored session is read without its tokenizer."""
    used: dict[str, list[TokenIds]] = {}
    for record in analysed.records:
        last: dict[str, TokenIds] = {}
        for turn, full_ids in zip(record.turns, record.full_ids, strict=True):
            if full_ids is not None and renderers.has(turn.model) and turn.model not in analysed.wrong_models:
                known = common_prefix(last[turn.model], full_ids) if turn.model in last else 0
                last[turn.model] = full_ids
                used.setdefault(turn.model, []).append(np.unique(full_ids[known:]))
    texts: dict[str, dict[int, bytes]] = {}
    for model, arrays in used.items():
        renderer = renderers.renderer_for(model)
        assert renderer is not None
        token_ids = np.unique(np.concatenate(arrays)).tolist()
        texts[model] = dict(zip(token_ids, renderer.token_bytes(token_ids), strict=True))
    return texts
