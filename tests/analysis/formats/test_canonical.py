"""The canonical writer: whatever was read comes back the same from what was written."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.formats import SPANNING, read_logs
from analysis.formats.canonical import lines
from analysis.model.session import CachedBasis, Log, Media, Request, Session, Turn, Usage
from tests.analysis.formats.test_formats import FORMAT_OF
from tests.builders import RECORDED, SAMPLES, log_of, of_turns, read_log, tokens, user
from tests.format_samples import beside

SALTED = next(path for path in RECORDED if path.stem == "cache-salt-rotated")
REPLY = {"role": "assistant", "content": "yes"}


def again(*logs: Log) -> Log:
    """What the logs are after they were written and read."""
    return read_log(b"".join(lines(logs)), "canonical.jsonl", "canonical.jsonl")


def said(turn: Turn) -> dict[str, Any]:
    """Everything of a turn but the line it stood in and the fingerprint of its salt."""
    request = {name: plain(getattr(turn.request, name)) for name in Request.__slots__ if name not in ("salt", "embeds")}
    return {name: plain(getattr(turn, name)) for name in Turn.__slots__ if name not in ("line", "request")} | request


def plain(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else value


def salts(session: Session) -> list[int | None]:
    """Salts as numbers in the order they come: fingerprints differ from one reading to the next."""
    seen: list[str] = []
    for turn in session.turns:
        if turn.request.salt is not None and turn.request.salt not in seen:
            seen.append(turn.request.salt)
    return [None if turn.request.salt is None else seen.index(turn.request.salt) for turn in session.turns]


def assert_same(one: Log, other: Log) -> None:
    for left, right in zip(one.sessions, other.sessions, strict=True):
        assert (left.session_id, left.inferred) == (right.session_id, right.inferred)
        assert [said(turn) for turn in left.turns] == [said(turn) for turn in right.turns]
        assert salts(left) == salts(right)
        assert [turn.request.embeds is None for turn in left.turns] == [
            turn.request.embeds is None for turn in right.turns
        ]


@pytest.mark.slow
@pytest.mark.parametrize("path", FORMAT_OF, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_log_comes_back_the_same(path: Path) -> None:
    """What lies in several files is read together."""
    spans = FORMAT_OF[path] in {spanning.name for spanning in SPANNING}
    found = read_logs(beside(path) if spans else [(path.name, path.read_bytes())], path.name)
    logs = [log for _name, log in found if isinstance(log, Log)]
    assert logs
    for log in logs:
        assert_same(log, again(log))


def test_no_secret_of_the_source_is_in_it() -> None:
    source = SALTED.read_text("utf-8")
    secret = {json.loads(line)["request"].get("cache_salt") for line in source.splitlines()} - {None}
    written = b"".join(lines([log_of(SALTED)])).decode()
    assert secret and not [salt for salt in secret if salt in written]


def test_a_line_is_the_canonical_one() -> None:
    turn = Turn(
        number=1,
        line=7,
        request_id="r7",
        request=Request("chat", "m", (user("hi"),), template_kwargs={"enable_thinking": False}),
        reply=REPLY,
        usage=Usage(20, 3, 16, "reported"),
        prompt_ids=tokens(1, 2),
        started_at=10.5,
        ended_at=11.0,
        replica="node-2",
    )
    (line,) = lines([Log((of_turns(turn, session_id="s"),))])
    assert json.loads(line) == {
        "session_id": "s",
        "request_id": "r7",
        "ts_start": 10.5,
        "ts_end": 11.0,
        "path": "/v1/chat/completions",
        "status": 200,
        "server": {"replica": "node-2"},
        "request": {
            "model": "m",
            "messages": [{"role": "user", "content": "hi"}],
            "chat_template_kwargs": {"enable_thinking": False},
        },
        "response": {
            "choices": [{"index": 0, "message": REPLY}],
            "usage": {
                "prompt_tokens": 20,
                "completion_tokens": 3,
                "prompt_tokens_details": {"cached_tokens": 16},
            },
        },
        "cached_basis": "reported",
        "prompt_token_ids": [1, 2],
    }
    assert line.endswith(b"\n") and line.count(b"\n") == 1


@pytest.mark.parametrize("basis", ["omitted", "disabled", "not-recorded"])
@pytest.mark.parametrize("prompt_tokens", [None, 20])
def test_why_cached_tokens_are_unknown_is_kept(basis: CachedBasis, prompt_tokens: int | None) -> None:
    usage = Usage(prompt_tokens, None, None, basis)
    turn = Turn(1, 1, "r", Request("chat", "m", (user("hi"),)), REPLY, usage)
    assert again(Log((of_turns(turn),))).sessions[0].turns[0].usage == usage


@pytest.mark.parametrize(
    ("request_", "prompt_ids"),
    [
        pytest.param(Request("completion", "m", prompt="a text"), None, id="a text"),
        pytest.param(Request("completion", "m", prompt=tokens(5, 6)), None, id="token ids"),
        pytest.param(Request("completion", "m", prompt="a", add_special_tokens=False), None, id="no special tokens"),
        pytest.param(Request("completion", "m", prompt="a", skips_cache=True), None, id="logprobs of the prompt"),
        pytest.param(Request("completion", "m", embeds="9f"), None, id="embeddings"),
        pytest.param(
            Request("chat", "m", (user("a"),), chat_template="{{ x }}", add_generation_prompt=False),
            tokens(1),
            id="a template of its own",
        ),
        pytest.param(Request("chat", "m", (user("a"),), continue_final_message=True), None, id="a reply begun"),
        pytest.param(Request("chat", "", (user("a"),)), None, id="no model"),
    ],
)
def test_every_kind_of_request(request_: Request, prompt_ids: Any) -> None:
    log = Log((of_turns(Turn(1, 1, "r", request_, REPLY, prompt_ids=prompt_ids)),))
    assert_same(log, again(log))


def test_a_request_known_by_its_ids_alone_has_them_as_prompt() -> None:
    log = Log((of_turns(Turn(1, 1, "r", Request("completion", "m"), REPLY, prompt_ids=tokens(1, 2))),))
    (turn,) = again(log).sessions[0].turns
    assert plain(turn.request.prompt) == [1, 2] == plain(turn.prompt_ids)


@pytest.mark.parametrize("media", [(), (Media(1, 3, "9f"), Media(4, 6, "a0"))], ids=["none", "two"])
def test_images_stay_where_they_are(media: tuple[Media, ...]) -> None:
    turn = Turn(1, 1, "r", Request("chat", "m", (user("a"),)), REPLY, prompt_ids=tokens(range(8)), media=media)
    assert again(Log((of_turns(turn),))).sessions[0].turns[0].media == media


def test_what_the_log_says_of_a_turn_is_kept() -> None:
    marked = Turn(
        number=1,
        line=1,
        request_id="r",
        request=Request("chat", "m", (user("a"),)),
        reply=REPLY,
        completeness=frozenset({"no_tools", "reconstructed"}),
        lineage="agent-7",
        client="agent/1.2",
        first_token_at=10.25,
        started_at=10.0,
        note="a note",
    )
    log = Log((of_turns(marked, replace(marked, request_id="r2", lineage=None)),))
    assert_same(log, again(log))
    first = json.loads(next(lines([log])))
    assert (first["lineage"], first["client"], first["ts_first_token"]) == ("agent-7", "agent/1.2", 10.25)
    assert first["completeness"] == ["no_tools", "reconstructed"]


def test_a_call_without_a_reply_stays_a_turn() -> None:
    turn = Turn(1, 1, "r", Request("chat", "m", (user("a"),)), note="the client left")
    log = Log((of_turns(turn),))
    assert_same(log, again(log))
    assert "status" not in json.loads(next(lines([log]))), "nobody said how it ended"


def test_sessions_that_have_no_key_keep_apart_over_several_files() -> None:
    """Each file has its inferred-0001: written under one name they would become one session."""
    records = [{"request": {"model": "m", "messages": [user(text)]}} for text in ("one", "two")]
    logs = [read_log(json.dumps(record).encode(), f"{n}.jsonl", "f") for n, record in enumerate(records)]
    assert {session.session_id for log in logs for session in log.sessions} == {"inferred-0001"}
    found = again(*logs, *logs[1:])
    assert [session.session_id for session in found.sessions] == [
        "inferred-0001",
        "inferred-0001 of 1.jsonl",
        "inferred-0001 of 1.jsonl (3)",
    ]
    assert all(session.inferred for session in found.sessions)


times = st.none() | st.sampled_from([10.0, 11.0, 12.5, 13.0])


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from("ab"), times), min_size=1, max_size=8))
def test_turns_without_a_time_stay_where_they_were(rows: list[tuple[str, float | None]]) -> None:
    records = [
        {"session_id": key, "request_id": str(n), "ts_start": at, "request": {"model": "m", "messages": [user("a")]}}
        for n, (key, at) in enumerate(rows)
    ]
    log = read_log("\n".join(map(json.dumps, records)).encode(), "f", "f")
    assert_same(log, again(log))


def test_a_sample_is_written_without_growing() -> None:
    """What is left out (sampling parameters, empty fields) is more than what is added."""
    path = SAMPLES[0]
    assert len(b"".join(lines([log_of(path)]))) < path.stat().st_size
