"""Converting: every file that is a log becomes lines, and what is none is said."""

import io
import json
from pathlib import Path

import pytest

from analysis.formats.base import FormatError
from analysis.pipeline.converting import read_to_convert
from tests.builders import ROOT, SAMPLES, assistant, log_of, user

CLEAN, SHARED = SAMPLES[0], next(path for path in SAMPLES if path.stem.startswith("13"))


def test_files_one_after_the_other() -> None:
    converted = read_to_convert([CLEAN, SHARED])
    turns = [turn for path in (CLEAN, SHARED) for session in log_of(path).sessions for turn in session.turns]
    file = io.BytesIO()
    converted.write(file)
    assert converted.num_lines == len(turns) == file.getvalue().count(b"\n")
    assert converted.num_sessions == 6 and converted.problems == ()


def test_a_folder_is_all_its_logs(tmp_path: Path) -> None:
    for path in (CLEAN, SHARED):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    assert read_to_convert([tmp_path]).num_lines == read_to_convert([CLEAN, SHARED]).num_lines


def test_what_is_no_log_is_a_problem_beside_what_is(tmp_path: Path) -> None:
    (tmp_path / "x.log").write_bytes(b"hello")
    converted = read_to_convert([tmp_path / "x.log", CLEAN, tmp_path / "none.jsonl"])
    assert converted.num_sessions == 1
    said = {problem.file: problem.message for problem in converted.problems}
    assert said.keys() == {"x.log", "none.jsonl"} and said["none.jsonl"] == "No such file or directory"
    assert said["x.log"].startswith("text, and no log that Whymiss reads.")


def test_files_that_belong_together_are_read_together() -> None:
    """A batch is its requests in one file and its answers in another."""
    batch = ROOT / "tests" / "data" / "formats" / "openai-batch"
    apart = read_to_convert(sorted(batch.glob("*.jsonl")))
    assert apart.num_lines == read_to_convert([batch]).num_lines > 0
    assert any(turn.reply for log in apart.logs for session in log.sessions for turn in session.turns)


def test_two_runs_of_one_task_stay_two_sessions(tmp_path: Path) -> None:
    for folder, said in (("a", "b"), ("b", "x")):
        (tmp_path / folder).mkdir()
        run = {"task_id": 7, "messages": [user("a"), assistant(said), user("c"), assistant("d")]}
        (tmp_path / folder / "run.json").write_text(json.dumps(run))
    file = io.BytesIO()
    read_to_convert([tmp_path / "a", tmp_path / "b"]).write(file)
    assert [json.loads(line)["session_id"] for line in file.getvalue().splitlines()] == [
        *("7", "7"),
        *("7 (b/run.json)", "7 (b/run.json)"),
    ]


@pytest.mark.parametrize(
    ("name", "error"), [("x.log", FormatError), ("none.jsonl", FileNotFoundError)], ids=["no log", "no file"]
)
def test_without_any_log_it_is_an_error(tmp_path: Path, name: str, error: type[Exception]) -> None:
    (tmp_path / "x.log").write_bytes(b"hello")
    with pytest.raises(error):
        read_to_convert([tmp_path / name])


def test_problems_of_a_log_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(CLEAN.read_bytes() + b"{broken\n")
    (problem,) = read_to_convert([tmp_path / "a.jsonl"]).problems
    assert problem.message.startswith("not a JSON object") and problem.line == 14


def test_progress_tells_the_bytes() -> None:
    seen: list[tuple[str, int, int]] = []
    read_to_convert([CLEAN], progress=lambda stage, done, total: seen.append((stage, done, total)))
    assert seen[-1] == ("bytes read", CLEAN.stat().st_size, CLEAN.stat().st_size)
