"""Reports out of what was analysed or stored: what the command line and the session page share."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import metadata

from analysis.model.annotation import Placed
from analysis.model.record import SessionRecord
from analysis.model.session import Problem, TokenIds
from analysis.pipeline.importing import Analysed
from analysis.pipeline.record import figures
from analysis.pipeline.renderers import Renderers
from analysis.report.building import Subject, report_of
from analysis.report.document import Report
from analysis.report.markdown import as_markdown
from analysis.report.page import as_page
from analysis.report.quotes import Quote, Shown
from analysis.report.report_json import as_values
from analysis.report.token_columns import TextsOf

KEPT = ("model", "tool")  # kinds of names that may be let go as such


def written(report: Report[Shown], form: str) -> str:
    """A report as the text of a file; ``form`` is one of ``FORMS``."""
    return FORMS[form](report)


def report_of_logs(analysed: Iterable[Analysed], renderers: Renderers, problems: Iterable[Problem]) -> Report[Quote]:
    """A report of logs that were just analysed."""
    several = list(analysed)
    subjects = [subject(record, dict(_ids(record))) for one in several for record in one.records]
    wrong = frozenset(model for one in several for model in one.wrong_models)
    stated = [*problems, *(problem for one in several for problem in one.problems)]
    return report_of(subjects, _texts(renderers, wrong), metadata.version("whymiss"), stated)


def report_of_session(
    record: SessionRecord, full_ids: Mapping[int, TokenIds], texts: TextsOf, placed: Sequence[Placed] = ()
) -> Report[Quote]:
    """A report of one session that is stored, with what people wrote about it.

    The record has the runs of its blocks, or the report has no map.
    """
    return report_of([subject(record, full_ids, placed)], texts, metadata.version("whymiss"))


def subject(record: SessionRecord, full_ids: Mapping[int, TokenIds], placed: Sequence[Placed] = ()) -> Subject:
    """A session as a report wants it."""
    return Subject(record, figures(record), full_ids, placed)


def _ids(record: SessionRecord) -> Iterable[tuple[int, TokenIds]]:
    pairs = zip(record.turns, record.full_ids, strict=False)
    return ((turn.turn, ids) for turn, ids in pairs if ids is not None)


def _texts(renderers: Renderers, wrong: frozenset[str]) -> TextsOf:
    """What tokens stand for, where a tokenizer is at hand that made them."""

    def texts(model: str, token_ids: Iterable[int]) -> Mapping[int, bytes]:
        if model in wrong or not renderers.has(model):
            return {}
        renderer = renderers.renderer_for(model)
        asked = list(token_ids)
        return {} if renderer is None else dict(zip(asked, renderer.token_bytes(asked), strict=True))

    return texts


def _json(report: Report[Shown]) -> str:
    return json.dumps(as_values(report), indent=1) + "\n"


FORMS: dict[str, Callable[[Report[Shown]], str]] = {".html": as_page, ".md": as_markdown, ".json": _json}
