"""The sample sessions as the dashboard's first start analyses them: once per test run, whoever asks."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from analysis.model.record import SessionRecord
from analysis.model.settings import Settings
from analysis.pipeline.importing import Analysed, analyse_source, store
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import read_source
from analysis.store.repository import Repository
from app import places

GIVEN = Settings(16, "given")


@cache
def sample_renderers() -> Renderers:
    return Renderers(known=places.known_models())


@cache
def _analysed(path: Path) -> Analysed:
    return analyse_source(read_source(path), sample_renderers(), places.sample_settings(path))


def analysed_samples() -> Mapping[str, Analysed]:
    """Every sample log, analysed, by file name."""
    return {path.name: _analysed(path) for path in places.sample_logs()}


def sample(start: str) -> Analysed:
    """The one sample log whose name starts so."""
    (path,) = (path for path in places.sample_logs() if path.name.startswith(start))
    return _analysed(path)


def record_of(start: str) -> SessionRecord:
    """The first session of a sample log."""
    return sample(start).records[0]


def fill(database: Path | str, *starts: str) -> Repository:
    """A database with these sample logs in it; with none named, with all of them."""
    repository = Repository.open(database)
    for analysed in [sample(start) for start in starts] if starts else analysed_samples().values():
        store(analysed, sample_renderers(), repository)
    return repository
