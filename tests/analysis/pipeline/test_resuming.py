"""What an import takes over from one before it."""

from pathlib import Path
from typing import Any

import pytest

from analysis.model.settings import Settings
from analysis.pipeline import known_tokens
from analysis.pipeline.importing import import_source
from analysis.pipeline.sources import LogFile, Source
from analysis.pipeline.tokens import rendered_tokens
from analysis.store.repository import Repository
from tests.builders import SAMPLES, without_ids
from tests.sample_store import GIVEN, sample_renderers

LINES = without_ids(next(path for path in SAMPLES if path.stem.startswith("06"))).splitlines(keepends=True)


def first(number: int) -> Source:
    return Source("log.jsonl", (LogFile("log.jsonl", b"".join(LINES[:number])),))


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The turns that were rendered where an earlier import could have known them."""
    turns: list[int] = []

    def counted(*asked: Any) -> Any:
        turns.append(asked[1].number)
        return rendered_tokens(*asked)

    monkeypatch.setattr(known_tokens, "rendered_tokens", counted)
    return turns


def test_a_log_that_has_grown_adds_what_is_new(tmp_path: Path, rendered: list[int]) -> None:
    grown, fresh = Repository.open(tmp_path / "grown.duckdb"), Repository.open(tmp_path / "fresh.duckdb")
    import_source(first(5), sample_renderers(), GIVEN, grown)
    assert rendered == []
    import_source(first(len(LINES)), sample_renderers(), GIVEN, grown)
    assert rendered == [5, *range(6, len(LINES) + 1)], "the newest known turn to see that it comes out alike"
    import_source(first(len(LINES)), sample_renderers(), GIVEN, fresh)
    (key,), (other,) = (repository.sessions().session_key for repository in (grown, fresh))
    assert grown.session(int(key), with_runs=True) == fresh.session(int(other), with_runs=True)
    ids, expected = grown.full_ids(int(key)), fresh.full_ids(int(other))
    assert {turn: one.tolist() for turn, one in ids.items()} == {turn: one.tolist() for turn, one in expected.items()}
    for repository in (grown, fresh):
        assert len(repository.imports()) == 1
        repository.close()


@pytest.mark.parametrize(
    ("before", "settings"),
    [
        pytest.param(first(5), Settings(32, "given"), id="read in another way"),
        pytest.param(Source("log.jsonl", (LogFile("log.jsonl", LINES[1]),)), GIVEN, id="another beginning"),
        pytest.param(Source("other", first(5).files), GIVEN, id="another name"),
        pytest.param(Source("log.jsonl", (*first(5).files, *first(5).files)), GIVEN, id="several files"),
    ],
)
def test_another_import_is_not_taken_over(before: Source, settings: Settings, rendered: list[int]) -> None:
    repository = Repository.open(":memory:")
    import_source(before, sample_renderers(), settings, repository)
    import_source(first(len(LINES)), sample_renderers(), GIVEN, repository)
    assert rendered == []
    repository.close()
