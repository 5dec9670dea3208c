"""Where things are."""

from pathlib import Path

import pytest

from app import places
from tests.builders import SAMPLES


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A home of its own, and none of the variables that change it."""
    for name in ("WHYMISS_DB", "WHYMISS_API_KEY", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("platform", "variables", "folder"),
    [
        ("linux", {}, ".local/share"),
        ("linux", {"XDG_DATA_HOME": "/data"}, "/data"),
        ("darwin", {}, "Library/Application Support"),
        ("win32", {}, "AppData/Local"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local"),
    ],
)
def test_the_database_lies_with_the_users_data(
    home: Path, monkeypatch: pytest.MonkeyPatch, platform: str, variables: dict[str, str], folder: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert places.data_folder() == home / folder / "whymiss"
    assert places.database() == home / folder / "whymiss" / "whymiss.duckdb"
    assert places.salt_key() == home / folder / "whymiss" / "salt.key"


def test_a_chosen_database_wins(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHYMISS_DB", "~/team.duckdb")
    assert places.database() == home / "team.duckdb"


def test_the_samples_are_there_with_their_model() -> None:
    assert tuple(places.sample_logs()) == SAMPLES and len(SAMPLES) > 10
    (folder,) = places.known_models().values()
    assert (folder / "tokenizer.json").is_file() and (folder / "chat_template.jinja").is_file()


def test_only_the_busy_server_had_a_small_pool() -> None:
    settings = {log.stem: places.sample_settings(log) for log in places.sample_logs()}
    assert {stem: one.num_blocks for stem, one in settings.items() if one.num_blocks} == {"busy-server": 400}
    assert {(one.block_size, one.block_size_basis) for one in settings.values()} == {(16, "given")}


@pytest.mark.parametrize(("value", "key"), [(None, None), ("", None), ("sk-secret", "sk-secret")])
def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch, value: str | None, key: str) -> None:
    if value is not None:
        monkeypatch.setenv("WHYMISS_API_KEY", value)
    assert places.api_key() == key
