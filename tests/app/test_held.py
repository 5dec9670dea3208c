"""The database that is held while the dashboard runs."""

from pathlib import Path

import pytest

from analysis.store.repository import Repository
from app.held import held, holding


def test_it_is_held_under_its_name_until_the_dashboard_ends(tmp_path: Path) -> None:
    repository = Repository.open(tmp_path / "a.duckdb")
    with pytest.raises(KeyboardInterrupt), holding(repository):
        assert held(str(tmp_path / "a.duckdb")) is repository and held("another") is None
        raise KeyboardInterrupt
    assert held(repository.name) is None
    assert repository.sessions().empty, "whoever still shows a page can read on"
    repository.close()
