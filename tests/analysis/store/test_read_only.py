"""A store that was opened to be read takes nothing, whoever asks: not only because no button is shown."""

from collections.abc import Callable
from pathlib import Path

import pytest

from analysis.model.annotation import Anchor, CaseText
from analysis.model.desk import MarkChange, View
from analysis.model.renderer import RendererChoice
from analysis.store.database import StoreError
from analysis.store.imports import Import
from analysis.store.repository import Repository
from tests.sample_store import fill

WRITES: dict[str, Callable[[Repository], object]] = {
    "import": lambda store: store.save(Import("a.jsonl", "0" * 64, 1, "{}", ())),
    "forget": lambda store: store.delete(1),
    "texts": lambda store: store.remember_texts("m", {1: b"one"}),
    "choose": lambda store: store.choose_renderer(RendererChoice("m", "endpoint", "http://evil:80")),
    "drop": lambda store: store.drop_renderer("m"),
    "refuse": lambda store: store.refuse("a.jsonl", "no log"),
    "forget refused": lambda store: store.forget_refused(),
    "mark": lambda store: store.desk.change_marks([1], MarkChange(assignee="me")),
    "rates": lambda store: store.desk.set_rates({}),
    "view": lambda store: store.desk.save_view(View("v", "q")),
    "drop view": lambda store: store.desk.drop_view("v"),
    "note": lambda store: store.annotations.add(1, Anchor("session"), "me", "text"),
    "change note": lambda store: store.annotations.change(1, 1, "me", None),
    "case": lambda store: store.cases.create("me", CaseText("t")),
    "change case": lambda store: store.cases.change(1, 1, "me", None),
    "take": lambda store: store.cases.take(1, 1),
    "drop from case": lambda store: store.cases.drop(1, 1),
    "move": lambda store: store.cases.move(1, 1),
    "unpin": lambda store: store.cases.unpin(1),
}


@pytest.fixture(scope="module")
def looked_into(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    file = tmp_path_factory.mktemp("read") / "w.duckdb"
    fill(file).close()
    return Repository.open(file, read_only=True)


@pytest.mark.parametrize("write", WRITES)
def test_nothing_is_written(looked_into: Repository, write: str) -> None:
    before = Path(looked_into.name).read_bytes()
    with pytest.raises(StoreError, match="opened to be read only, so nothing was stored"):
        WRITES[write](looked_into)
    assert Path(looked_into.name).read_bytes() == before


def test_every_other_public_name_only_reads() -> None:
    """A new method that writes belongs into the table above."""
    reading = {"all", "one", "marks", "rates", "views", "shares", "turns", "losses", "of_session", "without_session"}
    reading |= {"counts", "of_imports", "key", "timed"}
    stores = Repository.open(":memory:")
    offered = {name for one in (stores.desk, stores.annotations, stores.cases) for name in dir(one)}
    writing = {name for name in offered if not name.startswith("_")} - reading
    assert writing == {
        "change_marks", "set_rates", "save_view", "drop_view", "add", "change", "create", "take", "drop", "pin", "move",
        "unpin",
    }  # fmt: skip
