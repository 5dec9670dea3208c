"""The first start: the samples are analysed once, and again where that was interrupted."""

from pathlib import Path

import pytest

from app import first_start, places, state
from tests.app.dashboard import bring


def test_samples_fill_an_untouched_store_only(database: Path) -> None:
    assert first_start.needs_samples()
    bring("03")
    assert not first_start.needs_samples()
    first_start.fill_with_samples(lambda *step: pytest.fail("nothing is to be analysed"))
    assert len(state.repository().sessions()) == 1


def test_samples_come_back_into_a_store_that_was_emptied(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [path for path in places.sample_logs() if path.name[:2] == "12"]
    bring("03")
    monkeypatch.setattr(places, "sample_logs", lambda: logs)
    state.forget([1])
    first_start.fill_with_samples(lambda *step: None)
    assert not first_start.needs_samples() and len(state.repository().sessions()) == 1


def test_a_first_start_that_is_interrupted_begins_again(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    logs = [path for path in places.sample_logs() if path.name[:2] in ("03", "07", "12")]
    monkeypatch.setattr(places, "sample_logs", lambda: logs)

    def reloaded(stage: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt  # like what ends a run of a page: no Exception

    with pytest.raises(KeyboardInterrupt):
        first_start.fill_with_samples(reloaded)
    assert first_start.needs_samples()
    seen: list[tuple[str, int, int]] = []
    first_start.fill_with_samples(lambda *step: seen.append(step))
    assert seen == [("sample sessions analysed", done, 3) for done in (1, 2, 3)]
    assert len(state.repository().sessions()) == 3 and not first_start.needs_samples()
