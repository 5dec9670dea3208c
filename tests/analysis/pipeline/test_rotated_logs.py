"""Several files of one server: a session that goes on in another file, a salt in all of them, a folder again."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.pipeline.importing import analyse_source, store
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import LogFile, Source, read_source
from analysis.store.repository import Repository
from tests.builders import RECORDED
from tests.sample_store import GIVEN

SALTED = next(path for path in RECORDED if path.stem == "cache-salt-rotated")
LOOP = next(path for path in RECORDED if path.stem == "clean-tool-loop")


@pytest.fixture
def repository() -> Iterator[Repository]:
    repository = Repository.open(":memory:")
    yield repository
    repository.close()


def source(*files: bytes, name: str = "log.jsonl") -> Source:
    return Source(name, tuple(LogFile(f"{name}{number or ''}", data) for number, data in enumerate(files)))


def keep(repository: Repository, source: Source) -> int:
    return store(analyse_source(source, Renderers(), GIVEN), Renderers(), repository)


def pieces(*files: bytes) -> list[tuple[str, str, list[str]]]:
    """The sessions of these files as one source: id, files and request ids."""
    records = analyse_source(source(*files), Renderers(), GIVEN).records
    return [(record.session_id, record.file, [turn.request_id for turn in record.turns]) for record in records]


def at(name: str, started: float | None = None, key: str | None = "s") -> bytes:
    """A request called ``name`` of the session ``key``, or of none."""
    said = {"session_id": key, "ts_start": started, "request_id": name}
    body = {"model": "m", "messages": [{"role": "user", "content": name if key is None else "hi"}]}
    return json.dumps({"request": body, **said}).encode() + b"\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        pytest.param(
            (at("r1", 10.0) + at("r2", 20.0), at("r3", 30.0)),
            [("s", "log.jsonl + log.jsonl1", ["r1", "r2", "r3"])],
            id="one after the other",
        ),
        pytest.param(
            (at("r3", 30.0), at("r1", 10.0) + at("r2", 20.0)),
            [("s", "log.jsonl + log.jsonl1", ["r1", "r2", "r3"])],
            id="the newest file first",
        ),
        pytest.param(
            (at("r1", 10.0) + at("r3", 30.0), at("r2", 20.0)),
            [("s", "log.jsonl + log.jsonl1", ["r1", "r2", "r3"])],
            id="two workers at once",
        ),
        pytest.param(
            (at("r1"), at("r2")), [("s", "log.jsonl + log.jsonl1", ["r1", "r2"])], id="no times: in the order of files"
        ),
        pytest.param(
            (at("r2", 20.0) + at("r3"), at("r1", 10.0)),
            [("s", "log.jsonl + log.jsonl1", ["r1", "r2", "r3"])],
            id="no time: that of the line before",
        ),
        pytest.param(
            (at("r1", 10.0) + at("o1", 11.0, "o"), at("r2", 20.0)),
            [("s", "log.jsonl + log.jsonl1", ["r1", "r2"]), ("o", "log.jsonl", ["o1"])],
            id="another key stays apart",
        ),
        pytest.param(
            (at("one", 10.0, None), at("two", 20.0, None)),
            [("inferred-0001", "log.jsonl", ["one"]), ("inferred-0001", "log.jsonl1", ["two"])],
            id="sessions without a key stay apart",
        ),
        pytest.param(
            (at("r1", 10.0, None), at("r2", 20.0, "0")),
            [("inferred-0001", "log.jsonl", ["r1"]), ("0", "log.jsonl1", ["r2"])],
            id="a key that is a number",
        ),
    ],
)
def test_a_session_in_several_files_of_a_server_is_one(
    files: tuple[bytes, ...], found: list[tuple[str, str, list[str]]]
) -> None:
    assert pieces(*files) == found


def test_a_log_that_was_rotated_says_what_the_whole_one_says() -> None:
    lines = LOOP.read_bytes().splitlines(keepends=True)
    (whole,) = analyse_source(source(b"".join(lines)), Renderers(), GIVEN).records
    (rotated,) = analyse_source(source(b"".join(lines[5:]), b"".join(lines[:5])), Renderers(), GIVEN).records
    told = [
        [(turn.turn, turn.request_id, turn.account, turn.divergence) for turn in it.turns] for it in (whole, rotated)
    ]
    assert told[0] == told[1] and len(told[0]) == len(lines)


def test_a_salt_is_the_same_one_in_every_file_of_a_server() -> None:
    """A log that was rotated between two turns under one salt: the second file reuses what the first one left."""
    lines = SALTED.read_bytes().splitlines(keepends=True)
    split = next(index for index in range(2, len(lines)) if _salt(lines[index]) == _salt(lines[index - 1]))
    whole = analyse_source(source(b"".join(lines)), Renderers(), GIVEN)
    rotated = analyse_source(source(b"".join(lines[:split]), b"".join(lines[split:])), Renderers(), GIVEN)
    found = [
        [(turn.salt, turn.reusable_tokens) for record in it.records for turn in record.turns] for it in (whole, rotated)
    ]
    assert found[0] == found[1] and any(reusable for _salt, reusable in found[1][split:])


def _salt(line: bytes) -> str:
    return str(json.loads(line)["request"]["cache_salt"])


def test_a_folder_imported_again_under_its_name_replaces(repository: Repository, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(at("r1", 10.0))
    (tmp_path / "b.jsonl").write_bytes(at("r2", 20.0))
    first = keep(repository, read_source(tmp_path))
    (session_key,) = repository.sessions().session_key
    (tmp_path / "b.jsonl").write_bytes(at("r2", 20.0) + at("r3", 30.0))
    second = keep(repository, read_source(tmp_path))
    assert second != first and repository.imports().import_key.tolist() == [second]
    assert repository.sessions().num_turns.tolist() == [3]
    assert repository.sessions().session_key.tolist() == [session_key], "a link to it stays good"
    keep(repository, source(at("r1"), at("r2"), name="another"))
    assert len(repository.imports()) == 2, "another name is another server"


def test_a_session_keeps_its_key_when_its_log_is_rotated_again(repository: Repository, tmp_path: Path) -> None:
    keys = []
    for number, name in enumerate(("a.jsonl", "b.jsonl", "c.jsonl"), 1):
        (tmp_path / name).write_bytes(at(f"r{number}", 10.0 * number) + at(f"{name} alone", 1.0, None))
        keep(repository, read_source(tmp_path))
        rows = repository.sessions()
        (key,) = rows[rows.session_id == "s"].session_key
        keys.append((key, *rows[rows.file == "a.jsonl"].session_key.tolist()[-1:]))
        assert len(rows) == number + 1 and len(repository.imports()) == 1
    assert len({key for key, *_ in keys}) == 1, "a link to it stays good"
    assert keys[1] == keys[2], "nor do those without a key take another's"
