"""The sample logs of every format with secrets in every field, analysed as the product does: once per test run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from analysis.formats import read_logs
from analysis.model.annotation import Anchor, Annotation, Place, Placed, Version
from analysis.model.record import SessionRecord
from analysis.model.renderer import Renderer
from analysis.model.session import Log, TokenIds
from analysis.model.settings import Settings
from analysis.pipeline.importing import Analysed, analyse_source
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source
from analysis.render.template import TemplateRenderer
from analysis.report.building import report_of
from analysis.report.document import Report
from analysis.report.quotes import Quote
from app.reporting import subject
from tests.builders import SAMPLE_MODEL, SAMPLES
from tests.format_samples import FOLDER, FORMAT_SAMPLES
from tests.generated_secrets import Secret, SecretMaker
from tests.planting import KEPT, Planter, planted, planted_name

SESSIONS = "sample sessions"  # beside the names of formats: rendered, as they lose their ids and counts
TOKENS = frozenset({"prompt_token_ids", "output_token_ids", "usage", "token_ids"})
MOST_BYTES = 150_000  # of a sample: the larger ones have nothing that others of their format have not
GIVEN = Settings(16, "given")


class SampleTokenizer(Renderers):
    """The sample model for whatever a log calls its model."""

    def has(self, model: str) -> bool:
        return True

    def renderer_for(self, model: str) -> Renderer | None:
        return sample_renderer()


@cache
def sample_renderer() -> Renderer:
    return TemplateRenderer.load(str(SAMPLE_MODEL), "vllm")


@dataclass(frozen=True, slots=True, eq=False)
class PlantedLogs:
    """The files of a format as they were and with secrets; ``keys`` stand in headers and fields for keys."""

    plain: Sequence[tuple[str, bytes]]
    files: Sequence[tuple[str, bytes]]
    secrets: Sequence[Secret]
    keys: Sequence[Secret]


@cache
def secret_logs(known: str) -> PlantedLogs:
    """The sample logs of a format, planted."""
    maker = SecretMaker(known)
    planter = Planter(lambda: maker.next().text, KEPT.get(known, set()), without=TOKENS if known == SESSIONS else set())
    plain = files_of_format(known)
    files = [(planted_name(name, planter), planted(data, planter)) for name, data in plain]
    by_text = {one.text: one for one in maker.made}
    return PlantedLogs(plain, files, maker.made, [by_text[key] for key in planter.keys])


def files_of_format(known: str) -> list[tuple[str, bytes]]:
    """All sample logs of a format, by their places in its folder."""
    if known == SESSIONS:
        return [(path.name, path.read_bytes()) for path in SAMPLES if path.name[:2] in ("06", "14")]
    paths = [path for path, name in FORMAT_SAMPLES.items() if name == known and path.stat().st_size < MOST_BYTES]
    return [_file(path) for path in paths]


def _file(path: Path) -> tuple[str, bytes]:
    return "/".join(path.relative_to(FOLDER).parts[1:]), path.read_bytes()


@cache
def analysed_secrets(known: str) -> Analysed:
    """What the product finds in the planted logs of a format, read together."""
    files = tuple(LogFile(name, data) for name, data in secret_logs(known).files)
    return analyse_source(Source("source", files), SampleTokenizer(), GIVEN)


@cache
def secret_report(known: str) -> tuple[Report[Quote], Sequence[Secret]]:
    """A report of the planted logs of a format, with notes that hold secrets, and all these secrets."""
    maker = SecretMaker(f"notes on {known}")
    found = analysed_secrets(known)
    return report_with_notes(found, lambda: maker.next().text), [*secret_logs(known).secrets, *maker.made]


def report_with_notes(found: Analysed, new: Callable[[], str]) -> Report[Quote]:
    """A report of an analysis in which people wrote texts of ``new`` about every session."""
    subjects = [subject(record, dict(_ids(record)), _notes(record, new)) for record in found.records]
    return report_of(subjects, texts_of, "0", found.problems)


def texts_of(_model: str, token_ids: Iterable[int]) -> Mapping[int, bytes]:
    """What tokens of the sample tokenizer stand for."""
    asked = list(token_ids)
    return dict(zip(asked, sample_renderer().token_bytes(asked), strict=True))


def num_turns(files: Sequence[tuple[str, bytes]]) -> int:
    """The turns that are read in files; every file of them is read."""
    logs = [log for _name, log in read_logs(files, "s")]
    return sum(len(session.turns) for log in logs if isinstance(log, Log) for session in log.sessions)


def _ids(record: SessionRecord) -> Iterable[tuple[int, TokenIds]]:
    pairs = zip(record.turns, record.full_ids, strict=True)
    return ((turn.turn, ids) for turn, ids in pairs if ids is not None)


def _notes(record: SessionRecord, new: Callable[[], str]) -> list[Placed]:
    """Notes about the session, about a turn and about a text of it; one of them was deleted, one is changed."""
    turn = record.turns[0]
    anchors = [Anchor("session"), Anchor("turn", turn.request_id, turn.turn, path=f"messages[0].{new()}")]
    places = [Place(None), Place(turn.turn, 3, 40, partly=True)]
    versions = (Version(1, new(), 1.0, new()), Version(2, new(), 2.0, f"# {new()}\n- [x]({new()}) **{new()}**"))
    return [
        Placed(Annotation(key, 1, anchor, versions[: key + 1]), place)
        for key, (anchor, place) in enumerate(zip(anchors, places, strict=True))
    ]
