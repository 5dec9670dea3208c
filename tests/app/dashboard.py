"""The dashboard in Streamlit's own test runner: what a test asks of a page that is open."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from analysis.model.settings import Settings
from analysis.pipeline.importing import analyse_source, store
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source
from analysis.store.repository import Repository
from app import state
from app.plain import WORD_JOINER
from tests.sample_store import analysed_samples, record_of, sample, sample_renderers

Open = Callable[..., AppTest]  # a page's name, a database, and query parameters by name

SESSIONS = [record for analysed in analysed_samples().values() for record in analysed.records]
KINDS = ("title", "header", "subheader", "text", "markdown", "caption", "info", "success", "warning", "error")


def begun_at(shown: AppTest, page: str) -> AppTest:
    """The first run of the dashboard at a page; the list stands at the root, to which its own name only leads."""
    return (shown if page == "sessions" else shown.switch_page(f"../pages/{page}.py")).run()


def bring(*starts: str) -> None:
    """Store samples in the dashboard's database."""
    for start in starts:
        store(sample(start), sample_renderers(), state.repository())


def without_tokens(folder: Path) -> Path:
    """A database with one session of two turns, of which no tokens and no counts are known."""
    lines = [
        {"session_id": "s", "request": {"model": "m", "messages": [{"role": "user", "content": text}]}}
        for text in ("hi", "again")
    ]
    source = Source("a.jsonl", (LogFile("a.jsonl", "\n".join(map(json.dumps, lines)).encode()),))
    repository = Repository.open(folder / "unknown.duckdb")
    store(analyse_source(source, Renderers(), Settings()), Renderers(), repository)
    repository.close()
    return folder / "unknown.duckdb"


def tables_of_sessions(shown: AppTest) -> list[Any]:
    """The table of sessions, if it is shown: that of the causes stands above it."""
    return [frame for frame in shown.dataframe if "session_id" in frame.value]


def words(shown: AppTest) -> str:
    """All text on the page as a person reads it, without the escapes for Markdown."""
    written = "\n".join(str(one.value) for kind in KINDS for one in shown.get(kind))
    return written.replace("\\", "").replace(WORD_JOINER, "")


def no_exception(shown: AppTest) -> AppTest:
    """The page itself, where it has not failed."""
    assert not shown.exception, shown.exception
    return shown


def press(shown: AppTest, label: str) -> AppTest:
    """The page after a click on the button of this name."""
    return no_exception(next(button for button in shown.button if button.label == label).click().run())


def key_of(start: str) -> str:
    """The key of the first session of a sample log, in a database with all samples."""
    return str(SESSIONS.index(record_of(start)) + 1)


def cards(shown: AppTest) -> dict[str, str]:
    """The figures on the page by their labels."""
    return {metric.label: metric.value for metric in shown.metric}


def field(shown: AppTest, kind: str, label: str) -> Any:
    """The field of this label."""
    return next(one for one in shown.get(kind) if one.label == label)


def address(shown: AppTest) -> dict[str, str]:
    """The query of the page's address, where every name stands once."""
    return {name: value if isinstance(value, str) else value[-1] for name, value in dict(shown.query_params).items()}
