"""The imports below the list: forgetting all samples at once, and the whole database as a file."""

from pathlib import Path
from shutil import copyfile

import pytest
from streamlit.testing.v1 import AppTest

from analysis.store.repository import Repository
from app import visitors
from app.imports_view import copied, samples_among
from tests.app.dashboard import Open, no_exception, press
from tests.builders import SAMPLES
from tests.sample_store import analysed_samples, fill

FORGET_SAMPLES = f"Forget the {len(SAMPLES)} samples and their sessions"


def labels(shown: AppTest) -> list[str]:
    return [button.label for button in shown.button]


def test_all_samples_are_forgotten_at_once(visit: Open, samples: Path, tmp_path: Path) -> None:
    database = Path(copyfile(samples, tmp_path / "mine.duckdb"))
    shown = press(visit("sessions", database), FORGET_SAMPLES)
    assert not any(label.startswith("Forget the") for label in labels(shown))
    assert not shown.dataframe and "No session is stored" in shown.info[0].value


def test_samples_are_told_by_their_content() -> None:
    kept = fill(":memory:", "03", "07")
    ours = Repository.open(":memory:")
    assert samples_among(kept) == [1, 2] and samples_among(ours) == []
    kept.close()
    ours.close()


def test_a_copy_opens_as_a_database(samples: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(samples))
    (tmp_path / "copy.duckdb").write_bytes(copied())
    copy = Repository.open(tmp_path / "copy.duckdb")
    assert len(copy.imports()) == len(analysed_samples())
    copy.close()


def test_whoever_only_reads_gets_no_copy(visit: Open, samples: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(no_exception(visit("sessions", samples)).get("download_button")) == 1
    monkeypatch.setenv(visitors.READ_ONLY, "1")
    shown = no_exception(visit("sessions", samples))
    assert not shown.get("download_button") and not any(label.startswith("Forget") for label in labels(shown))
