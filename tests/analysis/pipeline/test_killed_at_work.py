"""A store that is killed again and again while people write and logs are imported: what was acknowledged is there."""

import os
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

from analysis.model.annotation import CaseText
from analysis.model.desk import Mark
from analysis.store.repository import Repository
from tests.analysis.pipeline.test_interrupted_import import LOGS, rows, run
from tests.at_work import SESSION
from tests.builders import ROOT, without_ids
from tests.sample_store import fill

MOST_SAID = 40  # lines until a kill

Said = dict[str, list[str]]


def lived(database: Path, life: int, logs: list[Path], kill_after: int | None) -> Said:
    """One life of the program, and what it acknowledged; it ends with a kill after so many lines, or after all logs."""
    command = [sys.executable, "-m", "tests.at_work", str(database), str(life), *map(str, logs)]
    said: Said = defaultdict(list)
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        for number, line in enumerate(program.stdout, 1):
            kind, text = line.split()
            said[kind].append(text)
            if number == kill_after or (kill_after is None and len(said["import"]) == len(logs)):
                os.kill(program.pid, signal.SIGKILL)
    return said


def stored(database: Path) -> Said:
    repository = Repository.open(database)
    case = repository.cases.one(1)
    assert case is not None
    found = {
        "note": [one.text for one in repository.annotations.of_session(SESSION)],
        "mark": list(repository.desk.marks().get(SESSION, Mark()).labels),
        "case": [one.text.narrative for one in case.versions[1:] if one.text],
    }
    repository.close()
    return found


@pytest.mark.parametrize(
    "kills", [pytest.param(2, id="twice"), pytest.param(12, id="a dozen times", marks=pytest.mark.load)]
)
def test_no_kill_loses_what_was_acknowledged(tmp_path: Path, kills: int) -> None:
    logs = [tmp_path / path.name for path in LOGS]
    for log, path in zip(logs, LOGS, strict=True):
        log.write_bytes(without_ids(path))
    database, random = tmp_path / "killed.duckdb", Random(kills)
    repository = fill(database, "01")
    repository.cases.create("ann", CaseText("case"))
    repository.close()
    acknowledged: Said = defaultdict(list)
    for life in range(kills + 1):
        said = lived(database, life, logs, random.randint(1, MOST_SAID) if life < kills else None)
        for kind, texts in said.items():
            acknowledged[kind] += texts
        for kind, texts in stored(database).items():
            assert set(texts) >= set(acknowledged[kind])
            assert len(texts) == len(set(texts)) <= len(acknowledged[kind]) + life + 1, "at most what was under way"
    run(tmp_path / "whole.duckdb", logs)
    found, expected = rows(database), rows(tmp_path / "whole.duckdb")
    for table in ("sessions", "imports", "requests", "request_tokens", "findings"):
        assert all(row in found[table] for row in expected[table]), "the import went on to its end"
    assert not list(tmp_path.glob("*.unfinished"))
