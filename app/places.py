"""Where things are on this machine: the database, and the sample sessions with their model."""

import os
import sys
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from analysis.model.settings import Settings

SAMPLE_MODEL = "sample/agent-8k"


def database() -> Path:
    """The database file: ``WHYMISS_DB``, else in the user's data folder."""
    if chosen := os.environ.get("WHYMISS_DB"):
        return Path(chosen).expanduser()
    return data_folder() / "whymiss.duckdb"


def salt_key() -> Path:
    """The file with the key of this user's fingerprints: a recording that goes on later must make the same ones."""
    return data_folder() / "salt.key"


def data_folder() -> Path:
    """The user's data folder."""
    home = Path.home()
    if sys.platform == "win32":
        folder = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    elif sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    else:
        folder = Path(os.environ.get("XDG_DATA_HOME", home / ".local" / "share"))
    return folder / "whymiss"


def sample_folder() -> Path:
    """The folder of the sample sessions."""
    return Path(str(files("sample_sessions")))


def sample_logs() -> list[Path]:
    """The sample sessions, each the history of a server of its own."""
    return sorted(sample_folder().glob("*.jsonl"))


@cache
def sample_fingerprints() -> frozenset[str]:
    """What tells the sample sessions from other logs, whatever their names: the SHA-256 of each."""
    return frozenset(sha256(log.read_bytes()).hexdigest() for log in sample_logs())


def sample_settings(log: Path) -> Settings:
    """How the server cached that a sample was recorded on; the busy one had a small pool."""
    return Settings(16, "given", num_blocks=400 if log.stem == "busy-server" else None)


def known_models() -> dict[str, Path]:
    """Served models whose tokenizer comes with Whymiss."""
    return {SAMPLE_MODEL: sample_folder() / "model"}


def api_key() -> str | None:
    """The key for a live server from the environment."""
    return os.environ.get("WHYMISS_API_KEY") or None
