"""The canonical log, its synonyms, and what happens to it in the wild."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from analysis.formats import openai_chat, wrapper
from analysis.formats.base import FormatError
from analysis.model.session import Log, Media, Turn, Usage
from tests.builders import RECORDED, ROOT, SAMPLES, lines_of, log_of, read_log

BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
MESSAGE = {"role": "assistant", "content": "yo"}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 0}}
ANSWER: dict[str, Any] = {"id": "r1", "model": "served", "choices": [{"message": MESSAGE}], "usage": USAGE}
SSE = "".join(
    f"data: {json.dumps(chunk)}\n\n"
    for chunk in (
        {"id": "r1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "yo"}}]},
        {"id": "r1", "choices": [], "usage": USAGE},
    )
)


def parse(*records: Any) -> Log:
    text = "\n".join(record if isinstance(record, str) else json.dumps(record) for record in records)
    return read_log(text.encode(), "f", "f")


def only(record: Any) -> Turn:
    ((turn,),) = (session.turns for session in parse(record).sessions)
    return turn


def problems(log: Log) -> list[tuple[int | None, str]]:
    return [(problem.line, problem.message) for problem in log.problems]


PAIRS = {
    **{f"request as {key}": {key: BODY, "response": ANSWER} for key in wrapper.REQUEST},
    **{f"response as {key}": {"request": BODY, key: ANSWER} for key in wrapper.RESPONSE},
    "bodies as text": {"request": json.dumps(BODY), "response": json.dumps(ANSWER)},
    "stream as response_sse": {"request": BODY, "response_sse": SSE},
    "stream as sse": {"request": BODY, "sse": SSE},
    "stream as lines": {"request": BODY, "response_sse": SSE.splitlines()},
    "stream as response": {"request": BODY, "response": SSE},
    "stream as chunks": {"request": BODY, "response": [json.loads(line[6:]) for line in SSE.splitlines() if line]},
    "stream beside a response without usage": {
        "request": BODY,
        "response": {"choices": ANSWER["choices"], "id": "r1"},
        "response_sse": SSE,
    },
    "stream beside a response whose usage is null": {
        "request": BODY,
        "response": {**ANSWER, "usage": None},
        "response_sse": SSE,
    },
    "stream beside a response with ids whose usage is null": {
        "request": BODY,
        "response": {**ANSWER, "choices": [{"message": MESSAGE, "token_ids": [1, 2]}], "usage": None},
        "response_sse": SSE,
    },
    "null before the synonym": {"request": None, "body": BODY, "response": None, "output": ANSWER},
    "bare": {**BODY, **ANSWER},
}


@pytest.mark.parametrize("record", PAIRS.values(), ids=PAIRS)
def test_synonyms(record: dict[str, Any]) -> None:
    turn = only(record)
    assert turn.request.messages == tuple(BODY["messages"])
    assert turn.reply == MESSAGE
    assert turn.usage == Usage(3, 2, 0, "reported")
    assert turn.request_id == "r1"


@pytest.mark.parametrize("key", wrapper.STARTED)
def test_start_times(key: str) -> None:
    assert only({"request": BODY, key: "2026-11-29T14:20:33Z"}).started_at == 1795962033.0


@pytest.mark.parametrize("key", wrapper.ENDED)
def test_end_times(key: str) -> None:
    assert only({"request": BODY, key: 1795962033000}).ended_at == 1795962033.0


@pytest.mark.parametrize(
    ("record", "key"),
    [
        *(pytest.param({"request": BODY, name: "s"}, "s", id=name) for name in wrapper.SESSION),
        pytest.param({"request": {**BODY, "session_id": "s"}}, "s", id="in the body"),
        pytest.param({"request": BODY, "request_headers": {"X-Session-ID": "s"}}, "s", id="as a header"),
        pytest.param({"request": BODY, "headers": {"x-session-id": "s"}}, "s", id="as a header in small letters"),
        pytest.param({"request": {**BODY, "vllm_xargs": {"session_id": "s"}}}, "s", id="as an extra argument"),
        pytest.param({"request": {**BODY, "metadata": {"session_id": "s"}}}, "s", id="in the metadata"),
        pytest.param({"request": BODY, "session_id": 17}, "17", id="a number"),
        pytest.param({"request": {**BODY, "session_id": "b"}, "session_id": "s"}, "s", id="the wrapper first"),
        pytest.param({"request": {**BODY, "session_id": "s"}, "trace_id": "t"}, "s", id="a trace last"),
        pytest.param({"request": BODY, "session_id": "", "headers": {"X-Session-ID": "s"}}, "s", id="empty is none"),
    ],
)
def test_session_keys(record: dict[str, Any], key: str) -> None:
    (session,) = parse(record).sessions
    assert (session.session_id, session.inferred) == (key, False)


@pytest.mark.parametrize("key", ["x_request_id", "user", "trace_id"])
def test_what_is_no_session_key(key: str) -> None:
    assert parse({"request": BODY, key: "s"}).sessions[0].inferred


def test_what_the_log_says_of_a_turn_is_kept() -> None:
    turn = only(
        {
            "request_id": "mine",
            "note": "n",
            "request": BODY,
            "response": ANSWER,
            "prompt_token_ids": [1, 2, 3],
            "output_token_ids": [4, 5],
        }
    )
    assert (turn.request_id, turn.note, turn.number, turn.line) == ("mine", "n", 1, 1)
    assert turn.prompt_ids is not None and turn.prompt_ids.tolist() == [1, 2, 3]
    assert turn.output_ids is not None and turn.output_ids.tolist() == [4, 5]


FEATURES = {"mm_hashes": {"image": ["9f"]}, "mm_placeholders": {"image": [{"offset": 1, "length": 2}]}}


def test_a_logged_render_places_its_images() -> None:
    turn = only({"request": BODY, "response": ANSWER, "prompt_token_ids": [5, 7, 7], "features": FEATURES})
    assert turn.media == (Media(1, 3, "9f"),)
    assert only({"request": BODY, "response": ANSWER, "features": FEATURES}).media is None, "no ids to place them in"


def test_features_that_do_not_fit_are_a_problem_and_the_turn_stays() -> None:
    log = parse({"request": BODY, "response": ANSWER, "prompt_token_ids": [5, 7], "features": FEATURES})
    assert problems(log) == [(1, "left out: features with a placeholder that is not in the prompt.")]
    assert log.sessions[0].turns[0].media is None


def test_without_an_id_a_turn_is_called_by_its_line() -> None:
    assert only({"request": BODY}).request_id == "line-1"


def test_the_served_model_stands_in_for_one_that_was_not_named() -> None:
    unnamed = {"messages": BODY["messages"]}
    assert only({"request": unnamed, "response": ANSWER}).request.model == "served"
    assert only({"request": BODY, "response": ANSWER}).request.model == "m"


ODD_MESSAGES = {
    "content parts": {"role": "user", "content": [{"type": "text", "text": "a"}]},
    "null content": {"role": "assistant", "content": None, "tool_calls": []},
    "a call without an id": {"role": "assistant", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]},
    "nothing at all": {},
}


@pytest.mark.parametrize("message", ODD_MESSAGES.values(), ids=ODD_MESSAGES)
def test_messages_are_kept_as_they_were_sent(message: dict[str, Any]) -> None:
    assert only({"request": {**BODY, "messages": [message]}}).request.messages == (message,)


def test_an_unknown_role_is_said_once_with_its_count() -> None:
    robot = {"request": {**BODY, "messages": [{"role": "robot", "content": "x"}]}, "response": ANSWER}
    ((line, message),) = problems(parse({"request": BODY, "response": ANSWER}, robot, robot, robot))
    assert line == 2
    assert "unknown role 'robot'" in message and "2 more" in message


ECHO = "no such cache_salt: tenant-secret-7f"


@pytest.mark.parametrize(
    ("failed", "status"),
    [
        pytest.param({"response": {"error": {"message": ECHO}}, "status": 400}, "400", id="error body"),
        pytest.param({"response": {"error": ECHO}}, "not logged", id="error without a status"),
        pytest.param({"response": {"detail": ECHO}, "status": 404}, "404", id="detail"),
        pytest.param({"status": 500}, "500", id="only a status"),
        pytest.param({"response_sse": f'data: {{"error": {{"message": "{ECHO}"}}}}\n'}, "not logged", id="in a stream"),
        pytest.param({"response": {"error": ECHO}, "status": ECHO}, "not logged", id="a status in words"),
        pytest.param({"status": "failure"}, "not logged", id="failure"),
        pytest.param({"status": "error", "error": {"message": ECHO}}, "not logged", id="error beside the request"),
        pytest.param({"error": ECHO}, "not logged", id="nothing but an error"),
    ],
)
def test_failed_calls_are_no_turns_and_only_their_status_is_told(failed: dict[str, Any], status: str) -> None:
    """The server's own words may hold a salt or a key of the request."""
    log = parse({"request": BODY, "response": ANSWER}, {"request": BODY, **failed})
    assert sum(len(session.turns) for session in log.sessions) == 1
    assert problems(log) == [(2, f"the call failed (status {status}) and counts as no turn.")]


def test_many_failed_calls_are_one_problem() -> None:
    failed = {"request": BODY, "response": {"error": "busy"}, "status": 503}
    ((line, message),) = problems(parse({"request": BODY, "response": ANSWER}, failed, failed, failed))
    assert line == 2 and message.endswith("(and 2 more such lines)")


def test_lines_left_out_are_counted_per_reason() -> None:
    event, odd = {"event": "start"}, {"request": {"model": "m", "messages": [1]}}
    found = problems(parse(event, {"request": BODY, "response": ANSWER}, event, odd, event, odd))
    assert [(line, message.partition(" (and ")[2]) for line, message in found] == [
        (1, "2 more such lines)"),
        (4, "1 more such line)"),
    ]
    assert all(message.startswith("left out: ") for _, message in found)


@pytest.mark.parametrize("key", ["prompt_token_ids", "output_token_ids"])
@pytest.mark.parametrize(
    "value", [[2**31], [1, 2**63], [10**30], [-1], [], [1.5], ["1"], [True], "1 2", {"a": 1}, [[1]]], ids=str
)
def test_ids_that_cannot_be_read_are_said_once_with_their_count(key: str, value: Any) -> None:
    odd = {"request": BODY, "response": ANSWER, key: value}
    log = parse(odd, odd)
    turns = [turn for session in log.sessions for turn in session.turns]
    assert [(turn.prompt_ids, turn.output_ids) for turn in turns] == [(None, None)] * 2
    assert problems(log) == [(1, f"{key} is no list of token ids and was left out. (and 1 more such line)")]


@pytest.mark.parametrize("key", ["prompt_token_ids", "output_token_ids"])
def test_ids_that_are_null_are_no_problem(key: str) -> None:
    assert problems(parse({"request": BODY, "response": ANSWER, key: None})) == []


def test_a_reply_with_an_error_behind_it_is_a_turn() -> None:
    turn = only({"request": BODY, "response": {**ANSWER, "error": {"message": "died"}}, "status": 500})
    assert turn.reply == MESSAGE


def test_mixed_models_and_kinds_in_one_file() -> None:
    other = {"model": "other", "prompt": "once"}
    log = parse({"request": BODY, "response": ANSWER}, {"request": other, "response": ANSWER})
    assert [(turn.request.kind, turn.request.model) for session in log.sessions for turn in session.turns] == [
        ("chat", "m"),
        ("completion", "other"),
    ]


PAIR = json.dumps({"request": BODY, "response": ANSWER})
FILES = {
    "a growing last line": (PAIR + "\n" + PAIR[:40], 1, "line is incomplete"),
    "a broken line": (PAIR + "\n" + PAIR[:40] + "\n" + PAIR + "\n", 2, "not a JSON object"),
    "a line that is no request": (PAIR + '\n{"event": "start"}\n', 1, "neither messages nor prompt"),
    "a byte order mark": ("\ufeff" + PAIR, 1, ""),
    "CRLF": (PAIR + "\r\n" + PAIR + "\r\n", 2, ""),
    "a lone surrogate": (PAIR.replace('"hi"', '"h\\ud800i"'), 1, ""),
    "NaN": (PAIR.replace('"id"', '"score": NaN, "id"'), 1, ""),
    "NaN as a count": (PAIR.replace('"prompt_tokens": 3', '"prompt_tokens": NaN'), 1, "no count of prompt tokens"),
    "a usage that is none": (json.dumps({"request": BODY, "response": {**ANSWER, "usage": "3"}}), 1, "no count of"),
    "no usage": (json.dumps({"request": BODY, "response": {**ANSWER, "usage": None}}), 1, "carries no usage"),
    "zeros at the beginning": ("\0" * 4096 + PAIR + "\n" + PAIR, 2, ""),
    "zeros in between": (PAIR + "\n" + "\0" * 64 + "\n" + PAIR, 2, ""),
    "a first line cut off": (PAIR[40:] + "\n" + PAIR + "\n", 1, "not a JSON object"),
    "a comment": ("# proxy\n" + PAIR + "\n", 1, "not a JSON object"),
    "a time larger than a float": (PAIR.replace('"request"', f'"ts_start": 1{"0" * 400}, "request"'), 1, ""),
    "one pretty-printed object": (json.dumps(json.loads(PAIR), indent=2), 1, ""),
    "an array": (f"[{PAIR}, {PAIR}]", 2, ""),
    "a pretty-printed array": (json.dumps([json.loads(PAIR)] * 2, indent=2), 2, ""),
}


@pytest.mark.parametrize(("text", "num_turns", "problem"), FILES.values(), ids=FILES)
def test_files_in_the_wild(text: str, num_turns: int, problem: str) -> None:
    log = read_log(text.encode("utf-8"), "f", "f")
    assert sum(len(session.turns) for session in log.sessions) == num_turns
    assert [problem in message for _, message in problems(log)] == [True] * bool(problem)


def test_bytes_that_are_not_utf8_are_replaced() -> None:
    (session,) = read_log(PAIR.encode().replace(b'"hi"', b'"\xff"'), "f", "f").sessions
    assert session.turns[0].request.messages[0]["content"] == "\ufffd"


NO_REQUESTS = [{"request": {"messages": "hi"}}, {"request": BODY, "status": 500}]


@pytest.mark.parametrize("record", NO_REQUESTS, ids=str)
def test_a_file_without_one_request_is_refused_with_the_first_reason(record: dict[str, Any]) -> None:
    with pytest.raises(
        FormatError, match=r"^f: no request in it that could be read\. Whymiss reads .* First problem: line 1: \w+"
    ):
        parse(record)


UNSENT: dict[str, Any] = {"messages": BODY["messages"]}


def test_messages_that_were_sent_to_no_model_are_another_tools_format() -> None:
    data = json.dumps({**UNSENT, "label": 1}).encode()
    with pytest.raises(FormatError, match=r"^f: it holds messages, but no request to a model: .* Whymiss reads OpenAI"):
        read_log(data, "f", "f", "openai-chat")
    (session,) = openai_chat.read_bodies(data, "f", "f").sessions
    assert session.turns[0].request.messages == tuple(UNSENT["messages"]), "bodies alone need none of it"


@pytest.mark.parametrize(
    "record",
    [
        pytest.param(BODY, id="a model"),
        pytest.param({"request": UNSENT, "response": {"choices": [{"message": MESSAGE}]}}, id="a response"),
        pytest.param({"request": UNSENT, "prompt_token_ids": [1, 2]}, id="ids"),
    ],
)
def test_one_request_that_was_sent_makes_a_log(record: dict[str, Any]) -> None:
    assert sum(len(session.turns) for session in parse(UNSENT, record).sessions) == 2


@pytest.mark.parametrize("path", [*SAMPLES, *RECORDED], ids=lambda path: path.stem)
def test_every_recorded_line_is_a_turn_and_nothing_is_odd(path: Path) -> None:
    log, recorded = log_of(path), lines_of(path)
    turns = {turn.line: turn for session in log.sessions for turn in session.turns}
    assert sorted(turns) == list(range(1, len(recorded) + 1))
    assert log.problems == ()
    for line, record in enumerate(recorded, 1):
        assert len(turns[line].request.messages) == len(record["request"].get("messages", []))
        assert turns[line].usage.prompt_tokens is not None


SECRET = "tenant-secret-7f"


def test_secrets_are_in_no_part_of_a_log() -> None:
    headers = {"Authorization": f"Bearer {SECRET}", "Cookie": SECRET, "X-Session-ID": "s"}
    log = parse(
        {"request": {**BODY, "cache_salt": SECRET}, "request_headers": headers, "response": ANSWER},
        {"request": {**BODY, "cache_salt": SECRET, "messages": 5}, "response": ANSWER},
        {"request": {**BODY, "cache_salt": SECRET}, "response": {"error": {"message": SECRET}}, "status": 400},
    )
    assert log.sessions[0].turns[0].request.salt
    assert SECRET not in repr(log) and SECRET.encode() not in pickle.dumps(log)


@pytest.mark.parametrize("name", ["07-salt-rotated", "cache-salt-rotated"])
def test_recorded_salts_stay_in_their_file(name: str) -> None:
    path = next(path for path in (*SAMPLES, *RECORDED) if path.stem == name)
    salts = [line["request"]["cache_salt"] for line in lines_of(path)]
    log = log_of(path)
    assert path.is_relative_to(ROOT) and len(set(salts)) > 1
    held = pickle.dumps(log)
    assert not any(salt in repr(log) or salt.encode() in held for salt in salts)
    fingerprints = [turn.request.salt for session in log.sessions for turn in session.turns]
    assert [fingerprints.index(it) for it in fingerprints] == [salts.index(salt) for salt in salts]
