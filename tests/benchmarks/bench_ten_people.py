"""What ten people feel who do a triage at once with 5,000 sessions in the store, and what the server needs for it.

Run by hand: ``pytest -m benchmark -s tests/benchmarks/bench_ten_people.py``; it drives ten windows of a real Chromium.
``WHYMISS_WHOLE`` names a store that ``python -m tests.whole_sessions FILE`` has filled before.
"""

import os
import shutil
from pathlib import Path
from statistics import median

import pytest

from analysis.model.annotation import CaseText
from analysis.store.repository import Repository
from tests.browser.dashboard_window import serving
from tests.browser.triage import Task, all_at_once
from tests.whole_sessions import fill_with_whole

pytestmark = pytest.mark.benchmark

NUM_SESSIONS = 5_000
PEOPLE = 10
TICKS = os.sysconf("SC_CLK_TCK")


def test_ten_people(tmp_path: Path) -> None:
    database = tmp_path / "whole.duckdb"
    if given := os.environ.get("WHYMISS_WHOLE"):
        shutil.copyfile(given, database)
    else:
        fill_with_whole(database, NUM_SESSIONS).close()
    tasks = prepared(database)
    with serving(database) as address:
        (server,) = processes_with(str(database))
        begun = cpu_seconds(server)
        done = all_at_once(address, tasks)
        used, resident = cpu_seconds(server) - begun, memory(server)
    print()
    for place, (name, _seconds) in enumerate(done[0].seconds):
        felt = sorted(one.seconds[place][1] for one in done)
        print(f"  {name}: {median(felt):.1f} s in the middle, {felt[-1]:.1f} s at most")
    print(
        f"  the server: {used:.1f} s CPU for {PEOPLE} people, {resident['VmRSS']} resident, {resident['VmHWM']} at most"
    )
    assert [one.errors for one in done if one.errors] == []


def prepared(database: Path) -> list[Task]:
    """A case, and for each person a session with a divergence that nobody has marked, beside one for all of them."""
    repository = Repository.open(database)
    repository.cases.create("ann", CaseText("The bill doubled since Tuesday"))
    frame, marks = repository.sessions(), repository.desk.marks()
    repository.close()
    free = frame[(frame.num_divergences > 0) & ~frame.session_key.isin(marks)]
    keys = list(zip(free.session_id, map(int, free.session_key), strict=True))
    return [Task(f"Person {number}", keys[number + 1], keys[0]) for number in range(PEOPLE)]


def processes_with(argument: str) -> list[int]:
    found = [path for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [int(path.name) for path in found if argument.encode() in (path / "cmdline").read_bytes().split(b"\0")]


def cpu_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def memory(process: int) -> dict[str, str]:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return {name: " ".join(rest.split()) for name, _colon, rest in (line.partition(":") for line in lines)}
