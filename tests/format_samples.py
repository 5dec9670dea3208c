"""The sample logs of every format: one folder a format, named for it."""

import io
import json
import random
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from analysis.formats import jsontext, read_logs
from analysis.model.session import Log, Session, Turn
from tests.builders import ROOT

FOLDER = ROOT / "tests" / "data" / "formats"
FORMAT_SAMPLES = {
    path: path.parent.name if path.parent.parent == FOLDER else path.relative_to(FOLDER).parts[0]
    for path in sorted(FOLDER.rglob("*"))
    if path.is_file() and path.suffix != ".md"
}


def log_of_sample(*names: str) -> Log:
    """Sample files, ``format/file`` each, or the files of a folder, read together as the product reads a folder."""
    files: list[tuple[str, bytes]] = []
    for name in names:
        path = FOLDER / name
        files += files_of(path) if path.is_dir() else [(name.partition("/")[2], path.read_bytes())]
    return log_of_files(files)


def files_of(folder: Path) -> list[tuple[str, bytes]]:
    """The files of a folder by their places in it."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in found]


def beside(path: Path) -> list[tuple[str, bytes]]:
    """The files that belong to a sample of a format that spans several: its folder, or those that lie as it does."""
    inner = path.relative_to(FOLDER).parts
    if len(inner) > 2:
        return files_of(FOLDER / inner[0] / inner[1])
    return [(one.name, one.read_bytes()) for one in sorted(path.parent.iterdir()) if one.is_file()]


def packed(members: Mapping[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive of these members."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return held.getvalue()


def log_of_files(files: list[tuple[str, bytes]]) -> Log:
    """Files with their names, read together."""
    sessions: list[Session] = []
    problems = []
    for _name, log in read_logs(files, "s"):
        assert isinstance(log, Log), log
        sessions += log.sessions
        problems += log.problems
    return Log(tuple(sessions), tuple(problems))


def turns(log: Log) -> Iterator[Turn]:
    """All turns of a log."""
    return (turn for session in log.sessions for turn in session.turns)


def counts(log: Log) -> list[tuple[int | None, int | None]]:
    """Prompt and cached tokens of every turn."""
    return [(turn.usage.prompt_tokens, turn.usage.cached_tokens) for turn in turns(log)]


def sample(name: str) -> Path:
    """The path of a sample, ``format/file``."""
    return FOLDER / name


def record(value: object) -> jsontext.Fields:
    """A record of a log, its fields undecoded."""
    return jsontext.fields(json.dumps(value).encode())


ODD: tuple[object, ...] = (None, True, 0, -1, 1e400, "", "x", [], {}, [None], {"a": 1}, "{", "[", {"role": 1}, 2**70)


def mutated(value: object, chance: random.Random) -> object:
    """A value of JSON with some of its parts left out or replaced by odd ones."""
    if chance.random() < 0.06:
        return chance.choice(ODD)
    if isinstance(value, dict):
        return {key: mutated(item, chance) for key, item in value.items() if chance.random() > 0.03}
    if isinstance(value, list):
        return [mutated(item, chance) for item in value if chance.random() > 0.03]
    return value
