"""The command line and the server: its pool and window, and what it said of itself beside the log."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.command_line import chat, error_of, run, write
from tests.builders import RECORDED, SAMPLES

EVICTED = next(path for path in RECORDED if path.stem == "evicted-200-blocks")
WINDOW = next(path for path in RECORDED if path.stem == "sliding-window-block32-retention0")
BUSY = next(path for path in SAMPLES if path.stem == "busy-server")
OF_WINDOW = ("--block-size", 32, "--window", 256, "--retention", 0)


def answer(*arguments: object) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(run("analyze", *arguments, "--json", "-").stdout)
    return said


def turns(said: dict[str, Any]) -> list[dict[str, Any]]:
    return [turn for session in said["sessions"] for turn in session["turns"]]


@pytest.mark.parametrize(
    ("log", "flags", "right", "of"),
    [
        pytest.param(EVICTED, ("--blocks", 200), 20, 20, id="a small pool"),
        pytest.param(BUSY, ("--blocks", 400), 24, 24, id="a busy server"),
        pytest.param(WINDOW, OF_WINDOW, 19, 19, id="a sliding window"),
        pytest.param(BUSY, (), 22, 24, id="a busy server without its pool"),
    ],
)
def test_what_is_predicted_is_what_was_reported(log: Path, flags: tuple[object, ...], right: int, of: int) -> None:
    found = turns(answer(log, *flags))
    assert sum(turn["reusable_tokens"] == turn["cached_tokens"] for turn in found) == right and len(found) == of


def test_a_pool_is_told_what_would_have_been_enough() -> None:
    out = run("analyze", BUSY, "--blocks", 400).stdout
    assert out.count("busy-server.jsonl: with 535 blocks no hit would have been lost.") == 1, "once, not per session"
    assert "capacity/eviction (likely)" in out
    assert "no hit would have been lost" not in run("analyze", BUSY).stdout


def test_what_was_given_is_part_of_the_answer() -> None:
    given = ("--blocks", 400, "--window", 64, "--retention", 32, "--spec-decode", "--dcp", 2)
    settings = answer(BUSY, *given)["settings"]
    assert (settings["num_blocks"], settings["window"], settings["retention"]) == (400, 64, 32)
    assert settings["spec_decode"] is True and settings["dcp"] == 2


def test_drafting_drops_a_block_of_every_hit() -> None:
    plain, drafting = turns(answer(BUSY)), turns(answer(BUSY, "--spec-decode"))
    pairs = [(one["reusable_tokens"], other["reusable_tokens"]) for one, other in zip(plain, drafting, strict=True)]
    assert any(without > 0 for without, _drafting in pairs)
    assert all(drafting == max(0, without - 16) for without, drafting in pairs)


def config(**labels: object) -> str:
    said = ",".join(f'{name}="{value}"' for name, value in labels.items())
    return f"vllm:cache_config_info{{{said}}} 1.0\n"


def scrape(path: Path, hits: int) -> Path:
    path.write_text(config(block_size=16, num_gpu_blocks=200) + f'vllm:prefix_cache_hits_total{{engine="0"}} {hits}\n')
    return path


def test_one_scrape_says_how_the_server_caches(tmp_path: Path) -> None:
    said = answer(EVICTED, "--metrics", scrape(tmp_path / "metrics.txt", 7))
    assert said["settings"]["num_blocks"] == 200 and said["settings"]["block_size_basis"] == "server"
    assert said["evidence"][0]["hits_counted"] is None, "one scrape has no rise"


@pytest.mark.parametrize(("rise", "verdict"), [(12_640, "they agree"), (20_000, "traffic outside this log")])
def test_two_scrapes_are_held_against_the_log(tmp_path: Path, rise: int, verdict: str) -> None:
    before, after = scrape(tmp_path / "before.txt", 1_000), scrape(tmp_path / "after.txt", 1_000 + rise)
    out = run("analyze", EVICTED, "--metrics", before, "--metrics", after).stdout
    assert f"the server counted {rise:,} hit tokens, the log reports 12,640" in out and verdict in out


def test_three_scrapes_are_one_too_many(tmp_path: Path) -> None:
    files = [scrape(tmp_path / f"{number}.txt", number) for number in range(3)]
    flags = [flag for file in files for flag in ("--metrics", file)]
    assert error_of("analyze", EVICTED, *flags) == "--metrics takes one file, or two: before and after."


def server_info(path: Path) -> Path:
    cache = {"block_size": 32, "num_gpu_blocks": 77, "enable_prefix_caching": True, "sliding_window": 256}
    cache["prefix_cache_retention_interval"] = 128
    parallel = {"decode_context_parallel_size": 2}
    config = {"cache_config": cache, "parallel_config": parallel, "speculative_config": {"method": "eagle3"}}
    return write(path, {"vllm_config": config})


def test_the_servers_own_settings_are_taken(tmp_path: Path) -> None:
    settings = answer(WINDOW, "--server-info", server_info(tmp_path / "info.json"))["settings"]
    assert (settings["block_size"], settings["block_size_basis"], settings["num_blocks"]) == (32, "server", 77)
    assert (settings["window"], settings["dcp"], settings["spec_decode"]) == (256, 2, True)
    assert settings["prefix_caching"] is True and settings["retention"] == 128


def test_what_was_given_wins_over_what_the_server_said(tmp_path: Path) -> None:
    flags = ("--server-info", server_info(tmp_path / "info.json"), "--block-size", 16, "--blocks", 400)
    settings = answer(WINDOW, *flags, "--window", 64, "--retention", 0)["settings"]
    assert (settings["block_size"], settings["num_blocks"], settings["window"]) == (16, 400, 64)
    assert settings["retention"] == 0


def event(at: float, **fields: object) -> dict[str, object]:
    return {"batch": [at, [fields], 0]}


def test_events_decide_why_a_turn_was_missed(tmp_path: Path) -> None:
    text = "one two three " * 40
    prompts = (chat(text), chat(text, "yes", "more"))
    usage = {"completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 0}}
    reply = {"choices": [{"message": {"role": "assistant", "content": "yes"}}], "usage": usage}
    records = [
        {"session_id": "s", "ts_start": 10.0 * number, "ts_end": 10.0 * number + 1, "request": one, "response": reply}
        for number, one in enumerate(prompts, 1)
    ]
    log = write(tmp_path / "log.jsonl", *records)
    events = write(tmp_path / "events.jsonl", event(15.0, type="AllBlocksCleared"))
    before, after = (turns(answer(log, *flags))[1]["causes"] for flags in ((), ("--kv-events", events)))
    assert [cause["code"] for cause in after] == ["lifecycle/reset"] and after[0]["confidence"] == "certain"
    assert all(cause["confidence"] != "certain" for cause in before)


def test_a_damaged_event_is_a_problem(tmp_path: Path) -> None:
    events = write(tmp_path / "events.jsonl", event(15.0, type="AllBlocksCleared"), {"batch": "none"})
    assert "events.jsonl: line 2: no batch of events" in run("analyze", BUSY, "--kv-events", events).stderr


@pytest.mark.parametrize(
    ("option", "content", "message"),
    [
        pytest.param("--metrics", None, "No such file or directory", id="no metrics"),
        pytest.param("--kv-events", None, "No such file or directory", id="no events"),
        pytest.param("--kv-events", "{}\n", "file: no KV cache event in it.", id="no event"),
        pytest.param("--server-info", None, "No such file or directory", id="no server info"),
        pytest.param("--server-info", "{}", "file: not an answer of /server_info", id="another answer"),
        pytest.param("--server-info", "{broken", "file: ", id="no JSON"),
    ],
)
def test_a_file_beside_that_is_none_is_one_line(tmp_path: Path, option: str, content: str | None, message: str) -> None:
    if content is not None:
        (tmp_path / "file").write_text(content)
    assert message in error_of("analyze", BUSY, option, tmp_path / "file")


@pytest.mark.parametrize(
    "flags", [("--blocks", 1), ("--window", 0), ("--retention", -1), ("--dcp", 0)], ids=lambda flags: flags[0]
)
def test_a_number_out_of_range_is_a_usage_error(flags: tuple[str, int]) -> None:
    assert flags[0] in run("analyze", BUSY, *flags, code=2).stderr


SALTED = next(path for path in SAMPLES if path.stem == "07-salt-rotated")


@pytest.mark.parametrize(
    ("codes", "exit_code", "words"),
    [
        pytest.param(["key/cache-salt"], 1, "orchard-cli-3302 turn 5: key/cache-salt", id="it is there"),
        pytest.param(["capacity/eviction"], 0, "", id="another is not"),
        pytest.param(["capacity/eviction", "key/cache-salt"], 1, "turn 8: key/cache-salt", id="one of two"),
        pytest.param(["key/salt"], 2, "no such cause", id="a code that could never trip"),
    ],
)
def test_a_cause_can_fail_the_run(codes: list[str], exit_code: int, words: str) -> None:
    flags = [flag for code in codes for flag in ("--fail-on", code)]
    result = run("analyze", SALTED, *flags, code=exit_code)
    assert words in result.stderr
