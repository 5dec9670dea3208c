"""``whymiss check`` as CI runs it: pass, regression, and what cannot be told."""

import gzip
import json
from pathlib import Path

import pytest

from analysis.model.baseline import Comparison, Moved
from app.check_command import MOST_SESSIONS, lines_of
from tests.app.command_line import chat, error_of, run, write
from tests.builders import ROOT, SAMPLES

CLEAN, STRIPPED = SAMPLES[0], SAMPLES[1]
SLIDING = ROOT / "tests" / "data" / "recorded" / "sliding-window-block32-retention0.jsonl"


@pytest.fixture
def baseline(tmp_path: Path) -> Path:
    file = tmp_path / "baseline.json"
    assert "baseline.json: the baseline of 1 session, 13 turns." in run("check", CLEAN, "--save", file).stderr
    return file


def test_the_same_log_passes(baseline: Path) -> None:
    result = run("check", CLEAN, "--baseline", baseline)
    assert result.stdout.splitlines() == [
        "hit rate: 91.5% → 91.5% (+0.0 points)",
        "reusable share: 91.5% → 91.5% (+0.0 points)",
    ]
    assert "as good as the baseline: no share fell by more than 1 percentage points." in result.stderr


def test_a_regression_is_exit_code_1_with_the_reason_and_the_cause(baseline: Path) -> None:
    result = run("check", STRIPPED, "--baseline", baseline, code=1)
    assert "--max-drop: the hit rate fell by 1.76 percentage points, from 91.47% to 89.71%; 1 are allowed." in (
        result.stderr
    )
    assert "cause gained: template/reasoning-stripped, 0 → 2,176 tokens wasted" in result.stdout


def test_how_much_may_be_lost_is_said(baseline: Path) -> None:
    run("check", STRIPPED, "--baseline", baseline, "--max-drop", 2)


def test_a_baseline_is_carried_on_only_by_a_log_that_passes(baseline: Path, tmp_path: Path) -> None:
    run("check", STRIPPED, "--baseline", baseline, "--save", tmp_path / "next.json", code=1)
    assert not (tmp_path / "next.json").exists()
    run("check", STRIPPED, "--baseline", baseline, "--save", tmp_path / "next.json", "--max-drop", 5)
    assert json.loads((tmp_path / "next.json").read_text())["causes"] == {"template/reasoning-stripped": 2176}


def test_what_cannot_be_told_is_exit_code_2_and_one_line(baseline: Path, tmp_path: Path) -> None:
    unknown = write(tmp_path / "unknown.jsonl", chat("hi"))
    assert "name a baseline" in error_of("check", CLEAN)
    assert "no.json: No such file or directory" in error_of("check", CLEAN, "--baseline", tmp_path / "no.json")
    assert "No such file" in error_of("check", tmp_path / "no.jsonl", "--baseline", baseline)
    assert "no baseline of Whymiss" in error_of("check", CLEAN, "--baseline", write(tmp_path / "x.json", {}))
    silent = run("check", unknown, "--baseline", baseline, "--model", "", code=2)
    assert "--model or --endpoint is empty" in silent.stderr


def test_a_log_that_cannot_be_read_is_no_pass_beside_one_that_can(baseline: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.jsonl").write_bytes(b"\0" * 99)
    result = run("check", CLEAN, tmp_path / "cut.jsonl", "--baseline", baseline, "--save", tmp_path / "b.json", code=2)
    assert "not every log could be read (cut.jsonl), so nothing is compared or saved." in result.stderr
    assert result.stdout == "" and not (tmp_path / "b.json").exists()


@pytest.mark.parametrize("damage", ['{"broken\n', "[1]\n"], ids=["cut", "no object"])
def test_a_log_with_damaged_lines_is_no_pass(baseline: Path, tmp_path: Path, damage: str) -> None:
    whole = CLEAN.read_text().splitlines(keepends=True)
    (tmp_path / CLEAN.name).write_text("".join([*whole[:1], damage, *whole[2:]]))
    result = run("check", tmp_path / CLEAN.name, "--baseline", baseline, "--max-drop", 50, code=2)
    assert f"lines are damaged ({CLEAN.name} line 2), so nothing is compared or saved." in result.stderr


def test_what_the_server_was_like_is_given_as_to_analyze(tmp_path: Path) -> None:
    for option in (["--window", 256, "--retention", 0], []):
        run("check", SLIDING, "--block-size", 32, *option, "--save", tmp_path / f"{len(option)}.json")
    sums = [json.loads((tmp_path / f"{number}.json").read_text())["whole"] for number in (4, 0)]
    assert sums[0]["reusable_tokens"] == sums[0]["cached_tokens"] == 17_472 < sums[1]["reusable_tokens"]


def test_other_sessions_are_compared_by_their_sums_and_that_is_said(baseline: Path) -> None:
    said = "no session of the baseline is in these logs: only the sums are compared."
    assert said in run("check", STRIPPED, "--baseline", baseline, "--max-drop", 5).stderr
    assert said not in run("check", CLEAN, "--baseline", baseline).stderr


def test_a_log_without_counts_is_no_pass(baseline: Path, tmp_path: Path) -> None:
    unreported = next(path for path in SAMPLES if path.stem.startswith("12"))
    result = run("check", unreported, "--baseline", baseline, code=2)
    assert "the hit rate cannot be compared: the baseline has it and this log does not." in result.stderr


def test_a_log_of_which_nothing_is_known_is_no_baseline(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", {"request": chat("hi", model="nobody/knows")})
    result = run("check", log, "--save", tmp_path / "b.json", code=2)
    assert "nothing in these logs can be measured" in result.stderr
    assert not (tmp_path / "b.json").exists()


def test_what_moved_is_said_line_by_line() -> None:
    sessions = tuple(Moved(f"s{index}", 50, 40) for index in range(MOST_SESSIONS + 2))
    causes = tuple(Moved(name, *tokens) for name, *tokens in (("a", 0, 1), ("b", 1, 2), ("c", 2, 1), ("d", 1000, 0)))
    lines = lines_of(Comparison((Moved("hit rate", None, 5),), causes, sessions, ("block_size: 16 → 32",)))
    assert lines[:7] == [
        "hit rate: unknown → 5.0%",
        "settings differ: block_size: 16 → 32",
        "cause gained: a, 0 → 1 tokens wasted",
        "cause grown: b, 1 → 2 tokens wasted",
        "cause shrunk: c, 2 → 1 tokens wasted",
        "cause gone: d, 1,000 → 0 tokens wasted",
        "session s0: 50.0% → 40.0% (-10.0 points)",
    ]
    assert lines[-2:] == ["session s9: 50.0% → 40.0% (-10.0 points)", "and 2 more sessions that moved"]


def test_an_archive_that_is_cut_off_is_told_as_one_and_not_held_against_a_baseline(tmp_path: Path) -> None:
    cut = tmp_path / "cut.jsonl.gz"
    cut.write_bytes(gzip.compress(SAMPLES[0].read_bytes(), 0)[:-5000])
    run("check", SAMPLES[0], "--save", tmp_path / "base.json")
    said = "cut.jsonl: the gzip archive is cut off: the lines before that place were read. Copy or pack it again."
    assert run("analyze", cut).stderr.splitlines().count(said) == 1
    result = run("check", cut, "--baseline", tmp_path / "base.json", code=2)
    assert said in result.stderr and "nothing is compared or saved" in result.stderr
    assert "incomplete" not in result.stderr
