"""The sample sessions as the dashboard's first start analyses them: once per test run, whoever asks."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from analysis.model.record import SessionRecord
from analysis.model.session import JsonObject, Usage
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.pipeline.importing import Analysed, analyse_source, store
from analysis.pipeline.record import records
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import read_source
from analysis.store.repository import Repository
from app import places
from tests.builders import assistant, of_turns, turn, user

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


def text_record(model: str = "unknown/model") -> SessionRecord:
    """A session of a model without a tokenizer: a clock in the system message of every other turn, an edit at the end.

    Its client and lineage are named, its tools are not in the log, and the server reported nothing.
    """
    system = [{"role": "system", "content": f"You are careful. It is 10:2{minute}."} for minute in (1, 1, 2, 2)]
    history: list[JsonObject] = [user("hello"), assistant("hi"), user("and now?"), assistant("now"), user("then?")]
    asked = [history[:1], history[:3], history, [*history, assistant("x"), user("why?")]]
    turns = [
        replace(
            turn(system[index], *messages, model=model),
            client="agent/1.2.3",
            completeness=frozenset({"no_tools"}),
            usage=Usage(prompt_tokens=100 * (index + 1)),
        )
        for index, messages in enumerate(asked)
    ]
    (found,) = records(analyse([of_turns(*turns, session_id="by-text")], lambda _model: None, GIVEN))
    return found


def fill(database: Path | str, *starts: str) -> Repository:
    """A database with these sample logs in it; with none named, with all of them."""
    repository = Repository.open(database)
    for analysed in [sample(start) for start in starts] if starts else analysed_samples().values():
        store(analysed, sample_renderers(), repository)
    return repository


def fill_damaged(database: Path) -> bytes:
    """A database with a sample whose headers are whole and its blocks damaged; what is in the file."""
    fill(database, "11").close()
    damaged = bytearray(database.read_bytes())
    for start in range(12288 + 100_000, len(damaged), 262_144):  # within every block but for its checksum
        damaged[start : start + 1000] = bytes(byte ^ 0xFF for byte in damaged[start : start + 1000])
    database.write_bytes(damaged)
    return bytes(damaged)
