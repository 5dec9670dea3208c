"""The command line: exit codes, one clear line for every error, and the same figures as the dashboard."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path

import pytest

from analysis.formats import FORMATS
from analysis.model.settings import Settings
from analysis.report.contract import as_json
from analysis.store.repository import Repository
from app import analysing, cli
from tests.app.command_line import chat, error_of, run, write
from tests.builders import RECORDED, SAMPLE_MODEL, SAMPLES
from tests.recorded_words import SERVER, body, detokenize, render
from tests.replay_server import ReplayServer
from tests.sample_store import GIVEN, sample

CLOCK = next(path for path in SAMPLES if path.stem.startswith("03"))
CLEAN = next(path for path in SAMPLES if path.stem.startswith("01"))
BLOCK32 = next(path for path in RECORDED if path.stem == "clean-tool-loop-block32")


@pytest.fixture(autouse=True)
def no_database_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("WHYMISS_DB", str(tmp_path / "untouched" / "whymiss.duckdb"))


def test_analyze_says_the_verdict_and_every_turn() -> None:
    out = run("analyze", CLOCK, "--block-size", 16).stdout
    assert "86% computed again after a change" in out
    assert len([line for line in out.splitlines() if "in the system message" in line]) == 8, "verdict and 7 turns"


def test_json_on_stdout_is_the_contract_and_nothing_else() -> None:
    result = run("analyze", CLOCK, "--block-size", 16, "--json", "-")
    assert json.loads(result.stdout) == as_json(sample("03").records, GIVEN)
    assert result.stdout.count("\n") == 1


def test_json_to_a_file_beside_the_text(tmp_path: Path) -> None:
    result = run("analyze", CLOCK, "--block-size", 16, "--json", tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == as_json(sample("03").records, GIVEN)
    assert "86%" in result.stdout


def test_json_to_nowhere(tmp_path: Path) -> None:
    result = run("analyze", CLOCK, "--json", tmp_path / "no" / "folder" / "out.json", code=2)
    assert "out.json: No such file or directory" in result.stderr


def test_a_given_block_size_is_used() -> None:
    answer = json.loads(run("analyze", BLOCK32, "--block-size", 32, "--json", "-").stdout)
    assert answer["settings"] == asdict(Settings(32, "given"))
    turns = answer["sessions"][0]["turns"]
    assert [turn["reusable_tokens"] for turn in turns] == [turn["cached_tokens"] for turn in turns]
    assert all(turn["fidelity"] == "logged" for turn in turns)


def test_a_block_size_that_does_not_fit_is_a_warning_with_one_that_does(tmp_path: Path) -> None:
    result = run("analyze", BLOCK32, "--block-size", 48)
    assert "is no multiple of the block size 48 (given)" in result.stderr and "--block-size 32" in result.stderr


@pytest.mark.parametrize(
    ("log", "most", "code"), [(CLEAN, 0, 0), (CLOCK, 94, 1), (CLOCK, 95, 0)], ids=["clean", "too much", "allowed"]
)
def test_the_gate_trips_beyond_its_percentage(log: Path, most: float, code: int) -> None:
    result = run("analyze", log, "--max-lost", most, code=code)
    assert (
        "--max-lost: 94.88 % of the prompt tokens behind first turns were lost, more than 94 %." in result.stderr
    ) == (code == 1)


def test_a_gate_with_nothing_to_measure_is_an_error(tmp_path: Path) -> None:
    log = write(tmp_path / "one.jsonl", {"request": chat("a")})
    assert "no turn in these logs can be measured" in run("analyze", log, "--max-lost", 5, code=2).stderr


def test_logs_in_one_call_are_servers_of_their_own(tmp_path: Path) -> None:
    together = json.loads(run("analyze", CLOCK, CLEAN, "--json", "-").stdout)["sessions"]
    alone = [json.loads(run("analyze", log, "--json", "-").stdout)["sessions"] for log in (CLOCK, CLEAN)]
    assert together == [*alone[0], *alone[1]]


def test_the_same_server_shares_blocks(tmp_path: Path) -> None:
    logs = [
        write(tmp_path / f"{name}.jsonl", {"session_id": name, "request": chat("one two three " * 20)}) for name in "ab"
    ]
    for flags, shared in (([], False), (["--same-server"], True)):
        sessions = json.loads(run("analyze", *logs, *flags, "--json", "-").stdout)["sessions"]
        assert (sessions[1]["turns"][0]["reusable_tokens"] > 0) == shared


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory"),
        (b"", "log.jsonl: the file is empty. Point Whymiss at a log with at least one request."),
        (
            b"\x00\x01\x02" * 100,
            "log.jsonl: binary data, and no log that Whymiss reads. Read it as a format of your choice with --format",
        ),
        (
            b"just some words\n",
            "log.jsonl: text, and no log that Whymiss reads. Read it as a format of your choice with --format",
        ),
        (
            b'{"messages": "no list"}\n',
            "log.jsonl: text, and no log that Whymiss reads. Read it as a format of your choice with --format",
        ),
    ],
    ids=["missing", "empty", "binary", "text", "no request"],
)
def test_a_log_that_is_none_is_one_line(tmp_path: Path, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / "log.jsonl").write_bytes(content)
    assert message in error_of("analyze", tmp_path / "log.jsonl")


def test_one_good_and_one_bad_log_is_the_good_one_and_a_line_on_the_bad(tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_bytes(b"\x00")
    result = run("analyze", tmp_path / "bad.jsonl", CLOCK)
    assert "86% computed again" in result.stdout
    assert "bad.jsonl: binary data" in result.stderr and "Traceback" not in result.output
    answer = json.loads(run("analyze", tmp_path / "bad.jsonl", CLOCK, "--json", "-").stdout)
    (problem,) = answer["problems"]
    assert (problem["file"], problem["line"]) == ("bad.jsonl", None) and problem["message"].startswith("binary data")


def test_a_missing_log_among_good_ones_is_a_problem_and_no_end(tmp_path: Path) -> None:
    given = (CLEAN, tmp_path / "gone.jsonl", CLOCK)
    result = run("analyze", *given)
    assert "Clean: nothing" in result.stdout and "86% computed again" in result.stdout
    assert [line for line in result.stderr.splitlines() if "gone" in line] == [
        f"gone.jsonl: {tmp_path}/gone.jsonl: No such file or directory"
    ]
    answer = json.loads(run("analyze", *given, "--json", "-").stdout)
    assert [problem["file"] for problem in answer["problems"]] == ["gone.jsonl"]
    assert len(json.loads(run("analyze", *given, "--same-server", "--json", "-").stdout)["sessions"]) == 2


def test_a_file_name_that_is_no_text_is_no_obstacle(tmp_path: Path) -> None:
    log = tmp_path / "a\udcff.jsonl"
    log.write_bytes(CLEAN.read_bytes())
    assert r"a\xff.jsonl" in run("analyze", log).stdout
    assert json.loads(run("analyze", log, "--json", "-").stdout)["sessions"][0]["source"] == r"a\xff.jsonl"


def test_a_damaged_line_is_a_problem_with_its_line(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({"request": chat("a")}) + "\n{broken\n" + json.dumps({"request": chat("b")}) + "\n")
    result = run("analyze", log)
    assert "log.jsonl: line 2: not a JSON object: this line was left out." in result.stderr


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--normalise", "nfc"], "--normalise nfc: use one of vllm, none."),
        (["--model", "m", "--endpoint", "localhost:1"], "--model and --endpoint exclude each other"),
        (["--format", "nonesuch"], "no format is called 'nonesuch'; there are: openai-chat"),
        (["--model", __file__], "test_cli.py: a file, not a model. Give the folder that holds tokenizer.json."),
        (["--endpoint", "127.0.0.1:9"], "127.0.0.1:9"),
        (["--model", ""], "--model or --endpoint is empty: give a value, or leave the option out."),
        (["--endpoint", ""], "--model or --endpoint is empty: give a value, or leave the option out."),
    ],
)
def test_a_wrong_option_is_one_line(flags: Sequence[str], message: str) -> None:
    assert message in error_of("analyze", CLOCK, *flags)


@pytest.mark.parametrize("flags", [["--block-size", "0"], ["--max-lost", "101"], ["--nonesuch"]])
def test_a_wrong_usage_is_code_2(flags: Sequence[str]) -> None:
    assert flags[0] in run("analyze", CLOCK, *flags, code=2).stderr


def test_normalise_none_is_part_of_the_answer() -> None:
    answer = json.loads(run("analyze", CLOCK, "--normalise", "none", "--json", "-").stdout)
    assert answer["settings"]["normalise"] == "none"


def test_a_named_model_renders(tmp_path: Path) -> None:
    log = write(tmp_path / "log.jsonl", {"request": {**chat("hi"), "model": "served under another name"}})
    without = run("analyze", log, "--json", "-")
    assert json.loads(without.stdout)["sessions"][0]["turns"][0]["fidelity"] is None
    assert "no tokenizer for the model" in without.stderr
    named = run("analyze", log, "--model", SAMPLE_MODEL, "--json", "-")
    assert json.loads(named.stdout)["sessions"][0]["turns"][0]["fidelity"] == "approximate"
    assert "no tokenizer" not in named.stderr


def test_the_result_is_kept_in_a_database(tmp_path: Path) -> None:
    for _ in range(2):
        run("analyze", CLOCK, "--block-size", 16, "--db", tmp_path / "team.duckdb")
    repository = Repository.open(tmp_path / "team.duckdb")
    assert repository.version() == (1, 1)
    assert repository.session(1, with_runs=True) == sample("03").records[0]
    repository.close()
    assert not (tmp_path / "untouched").exists(), "the dashboard's own database is left alone"


@pytest.mark.parametrize("command", [["analyze", CLOCK, "--db"], ["serve", "--db"]])
def test_a_database_that_is_none_is_one_line(tmp_path: Path, command: Sequence[object]) -> None:
    assert f"{tmp_path}: a folder, not a database file. Use --db FILE." in error_of(*command, tmp_path)


def test_a_database_is_opened_before_the_logs_are_read(tmp_path: Path) -> None:
    assert "a folder, not a database file" in error_of("analyze", tmp_path / "gone.jsonl", "--db", tmp_path)


def test_the_version_is_that_of_the_package() -> None:
    assert run("--version").stdout == f"whymiss {metadata.version('whymiss')}\n"


@pytest.mark.parametrize("error", [RuntimeError("odd\n\x1b[31m"), KeyError("odd"), RecursionError("odd " * 999)])
def test_what_nobody_foresaw_is_one_line_and_no_gate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: Exception
) -> None:
    def fails(*_given: object) -> None:
        raise error

    monkeypatch.setattr(analysing, "read_source", fails)
    monkeypatch.setattr("sys.argv", ["whymiss", "analyze", str(CLOCK)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    shown = capsys.readouterr()
    assert ended.value.code == 2 and shown.out == ""
    (line,) = shown.err.splitlines()
    assert line.startswith(f"whymiss: {type(error).__name__}: ") and line.endswith(". Please report this.")
    assert line.isprintable() and len(line) < 400


@pytest.mark.parametrize(("arguments", "code"), [(["formats"], 0), (["analyze", CLOCK, "--max-lost", "5"], 1)])
def test_the_console_script_ends_as_its_command_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[object], code: int
) -> None:
    monkeypatch.setattr("sys.argv", ["whymiss", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    assert ended.value.code == code and "report this" not in capsys.readouterr().err


def test_serve_names_a_log_that_is_none(tmp_path: Path) -> None:
    assert "No such file" in error_of("serve", tmp_path / "none.jsonl", "--db", tmp_path / "a.duckdb")


def test_diff_of_two_bodies(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{name}.json", chat(f"what is on disk {name}?")) for name in "ab"]
    out = run("diff", *files, "--block-size", 4).stdout
    assert "a.json → b.json" in out and "the first 8 are equal" in out and "reusable: 8 tokens" in out
    assert "first differing token: 8 (block 2)" in out and "in message 1 (user), character 1" in out
    assert "old:     a?" in out and "new:     b?" in out


def test_diff_of_ids_needs_no_tokenizer(tmp_path: Path) -> None:
    files = [write(tmp_path / "a.json", [1, 2, 3, 4, 5]), write(tmp_path / "b.json", [1, 2, 3, 9, 9])]
    assert "first differing token: 3 (block 1)" in run("diff", *files, "--block-size", 2).stdout


def test_diff_of_three_is_two_comparisons(tmp_path: Path) -> None:
    files = [write(tmp_path / f"{name}.json", [1, 2, name]) for name in (3, 4, 5)]
    assert run("diff", *files).stdout.count("first differing token: 2") == 2


def test_there_and_back_is_two_pairs_with_what_each_can_reuse(tmp_path: Path) -> None:
    there, other = [1, 2, 3, 4, 5, 6], [1, 2, 9, 9, 9, 9]
    files = [write(tmp_path / f"{name}.json", ids) for name, ids in (("a", there), ("b", other), ("c", there))]
    out = run("diff", *files, "--block-size", 2).stdout
    assert [line.strip() for line in out.splitlines() if "reusable" in line] == ["reusable: 2 tokens"] * 2


def test_diff_through_a_live_server(tmp_path: Path) -> None:
    names = ("render_enable_thinking_false", "render_multiturn")
    bodies, renders = [], []
    for name in names:
        (tmp_path / f"{name}.json").write_bytes(body(name))
        (tmp_path / f"{name}.ids.json").write_bytes(render(name))
        bodies.append(tmp_path / f"{name}.json")
        renders.append(tmp_path / f"{name}.ids.json")
    with ReplayServer(SERVER, detokenize=detokenize) as server:
        live = run("diff", *bodies, "--endpoint", server.url, "--block-size", 4).stdout
    listed = run("diff", *renders, "--block-size", 4).stdout
    assert live.splitlines()[1:4] == listed.splitlines()[1:4]
    assert "first differing token: 26 (block 6)" in live and "in message 3 (assistant)" in live


def test_the_block_size_is_the_servers_unless_given() -> None:
    with ReplayServer(SERVER, detokenize=lambda ids: "".join(f"[{token}]" for token in ids)) as server:
        answer = json.loads(run("analyze", BLOCK32, "--endpoint", server.url, "--json", "-").stdout)
    assert answer["settings"]["block_size"] == 128 and answer["settings"]["block_size_basis"] == "server"


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ([b"[1, 2]"], "a comparison needs two requests; only one was given."),
        ([b"[1, 2]", b""], "1.json: empty."),
        ([b"[1, 2]", b"{broken"], "1.json: not complete JSON. Paste or give the whole body."),
        ([b'{"model": "m", "messages": []}'] * 2, "0.json: no tokenizer for the model 'm'."),
    ],
    ids=["one", "empty", "broken", "no tokenizer"],
)
def test_what_cannot_be_compared_is_one_line(tmp_path: Path, contents: Sequence[bytes], message: str) -> None:
    files = [tmp_path / f"{number}.json" for number in range(len(contents))]
    for file, content in zip(files, contents, strict=True):
        file.write_bytes(content)
    assert message in error_of("diff", *files)


def test_diff_names_a_missing_file(tmp_path: Path) -> None:
    assert error_of("diff", tmp_path / "a.json", tmp_path / "b.json") == f"{tmp_path}/a.json: No such file or directory"


def test_formats_are_all_named_with_their_limits() -> None:
    out = run("formats").stdout
    for known in FORMATS:
        assert f"{known.name}: {known.title}\n  looks for: {known.looks_for}\n" in out
        assert known.limitations and all(limit in out for limit in known.limitations)


@pytest.mark.parametrize("command", [[], ["serve"], ["analyze"], ["diff"], ["template"], ["formats"]])
def test_help_tells_what_a_command_does(command: Sequence[str]) -> None:
    assert "Usage:" in run(*command, "--help").stdout
