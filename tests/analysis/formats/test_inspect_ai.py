"""Inspect: real logs of both kinds, and one made after its sources (event/_model.py, event/_pool.py)."""

import json

import pytest

from analysis.formats import inspect_ai
from analysis.formats.base import FormatError
from analysis.formats.inspect_ai import counted
from analysis.model.session import Json, Usage
from tests.format_samples import counts, log_of_sample, packed, sample, turns

NOTHING = Usage()


@pytest.mark.parametrize(
    ("name", "sessions", "expected"),
    [
        ("browser.json", 1, [(1124, 0), (1568, 1024), (2732, 1536), (3896, 2688), (5915, 3840)]),
        (
            "ctf.json",
            2,
            [
                *((1018, 0), (3744, 0), (3995, 3739)),
                *((1018, 0), (3748, 0), (4089, 3743), (4212, 4084), (4479, 4210)),
                *((6044, 4475), (8522, 6040), (8636, 8518)),
            ],
        ),
        ("popularity.eval", 10, [(tokens, None) for tokens in (64, 58, 70, 67, 63, 58, 61, 55, 61, 63)]),
        ("message_pool.eval", 1, [(None, None)] * 6),
    ],
)
def test_real_logs(name: str, sessions: int, expected: list[tuple[int | None, int | None]]) -> None:
    """Prompt tokens of the log of May 2025 have the cached ones in them, those of Anthropic stand apart."""
    log = log_of_sample(f"inspect/{name}")
    assert len(log.sessions) == sessions and counts(log) == expected and not log.problems
    assert not any("attachment://" in repr(turn.request) for turn in turns(log))


def test_the_raw_request_is_what_was_sent() -> None:
    """Inspect holds a message of the tool and one of the user; they went to Anthropic as one."""
    (*_others, last) = turns(log_of_sample("inspect/ctf.json"))
    assert last.request.model == "claude-3-5-sonnet-20241022" and len(last.request.tools) == 3
    assert [message["role"] for message in last.request.messages][-3:] == ["assistant", "tool", "user"]
    assert last.ended_at is not None and last.started_at == pytest.approx(last.ended_at - 11.118971)


def test_pooled_messages_grow() -> None:
    log = log_of_sample("inspect/message_pool.eval")
    assert [len(turn.request.messages) for turn in turns(log)] == [1, 3, 5, 7, 9, 11]
    assert log.sessions[0].session_id == "5XJAqKPKGtzrXUZ3UhthJM"


def test_agents_have_lineages_and_what_was_not_answered_is_no_turn() -> None:
    log = log_of_sample("inspect/agents.json")
    older, session = log.sessions
    assert session.session_id == "agents-1" and older.session_id == "b epoch 2 of agents.json"
    assert [turn.lineage for turn in session.turns] == [None, "searcher span-age", None]
    assert [turn.lineage for turn in older.turns] == [None, "search call_9"]
    assert [problem.message.partition(":")[0] for problem in log.problems] == [
        "answered from Inspect's own cache",
        "the call failed",
        "the call was not finished",
    ]


def test_a_raw_call_of_vllm_has_its_ids_and_its_salt() -> None:
    first, _sub, last = log_of_sample("inspect/agents.json").sessions[1].turns
    assert first.prompt_ids is not None and len(first.prompt_ids) == first.usage.prompt_tokens == 40
    assert (last.usage, last.server_version) == (Usage(80, 3, 48, "reported"), "vllm-0.32.1")
    assert first.request.template_kwargs == {"enable_thinking": False}
    assert first.request.salt == last.request.salt and first.request.salt not in (None, "tenant-secret")
    assert last.request.messages[-1] == {"role": "tool", "tool_call_id": "call_1", "content": "Error: no answer"}
    assert first.ended_at is not None and first.started_at == first.ended_at - 1, "it waited for a connection"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({"input_tokens": 100, "output_tokens": 5, "total_tokens": 105, "input_tokens_cache_read": 64}, (100, 64)),
        ({"input_tokens": 36, "output_tokens": 5, "total_tokens": 105, "input_tokens_cache_read": 64}, (100, 64)),
        (
            {
                **{"input_tokens": 6, "output_tokens": 5, "total_tokens": 105},
                **{"input_tokens_cache_read": 64, "input_tokens_cache_write": 30},
            },
            (100, 64),
        ),
        ({"input_tokens": 100, "output_tokens": 5, "total_tokens": 105, "input_tokens_cache_read": 0}, (100, 0)),
        ({"input_tokens": 100, "output_tokens": 5, "total_tokens": 105}, (100, None)),
        (None, (None, None)),
    ],
    ids=["included", "apart", "apart with written", "zero", "left out", "nothing"],
)
def test_the_total_tells_whether_cached_tokens_are_counted(said: Json, expected: tuple[int | None, int | None]) -> None:
    found = counted(said, NOTHING)
    assert (found.prompt_tokens, found.cached_tokens) == expected


def test_a_server_that_does_not_report_is_told_by_the_raw_response() -> None:
    said: Json = {"input_tokens": 100, "output_tokens": 5, "total_tokens": 105}
    assert counted(said, Usage(100, 5, None, "disabled")).cached_basis == "disabled"
    assert counted(said, NOTHING).cached_basis == "omitted"


def test_a_sample_alone_is_read() -> None:
    (whole,) = json.loads(sample("inspect/browser.json").read_bytes())["samples"]
    data = json.dumps(whole).encode()
    assert inspect_ai.sniff(data) and len(inspect_ai.read(data, "f", "f").sessions[0].turns) == 5


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"eval": {}, "plan": {}}', r"^f: no sample with a call to a model in it\. Whymiss reads Inspect .*\.$"),
        (packed({"header.json": b"{}"}), r"^f: no sample with a call to a model in it"),
        (
            packed({"samples/1_epoch_1.json": b"["}),
            r"First problem: samples/1_epoch_1\.json is no sample that can be read",
        ),
        (packed({"samples/1_epoch_1.json": b"{}"})[:60], r"First problem: the archive is cut off"),
    ],
    ids=["a header", "an archive of a header", "a broken sample", "cut off at once"],
)
def test_without_a_call_it_is_refused(data: bytes, said: str) -> None:
    assert inspect_ai.sniff(data)
    with pytest.raises(FormatError, match=said):
        inspect_ai.read(data, "f", "f")


def test_an_archive_that_is_cut_off_says_so_and_gives_what_is_whole() -> None:
    data = sample("inspect/popularity.eval").read_bytes()
    log = inspect_ai.read(data[: len(data) // 2], "f", "f")
    assert len(log.sessions) == 5 and "the archive is cut off" in log.problems[0].message
