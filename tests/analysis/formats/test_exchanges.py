"""A recorded exchange as a line: byte for byte, on one line, without the salt."""

import json
from dataclasses import replace
from typing import Any

import pytest

from analysis.formats.exchanges import fingerprint, line
from analysis.model.exchange import Exchange
from tests.builders import read_log

SALTED = fingerprint(bytes(32))
REQUEST = b'{"model": "m",  "messages": [{"role":"user","content":"\\u00e9 1e2"}]}'
ANSWER = b'{"choices":[{"message":{"role":"assistant","content":"hi"}}],"usage":{"prompt_tokens":3.0}}'
CUT = "the client left after 10 bytes of the answer"


def exchange(request: bytes = REQUEST, answer: bytes = ANSWER, **fields: Any) -> Exchange:
    base = Exchange("/v1/chat/completions", "http://up", request, answer, False, 200, 10.0, 10.5, 11.0)
    return replace(base, **fields)


def written(one: Exchange, keep: bool = False) -> dict[str, Any]:
    raw = line(one, None if keep else SALTED)
    assert raw.endswith(b"\n") and raw.count(b"\n") == 1
    found: dict[str, Any] = json.loads(raw)
    return found


def test_bodies_stand_in_the_line_as_they_were_sent() -> None:
    raw = line(exchange(), SALTED)
    assert b'"request":' + REQUEST in raw and b'"response":' + ANSWER in raw


def test_a_line_leaves_out_what_a_capture_of_another_tool_lacks() -> None:
    found = written(exchange(server=None, started_at=None, first_at=None, ended_at=None))
    assert sorted(found) == ["path", "request", "response", "status"]


def test_a_line_says_when_where_and_who() -> None:
    one = exchange(session_id="s", request_id="r", dp_rank="1", client="agent/1")
    assert {name: value for name, value in written(one).items() if name not in ("request", "response")} == {
        "session_id": "s",
        "request_id": "r",
        "ts_start": 10.0,
        "ts_first_token": 10.5,
        "ts_end": 11.0,
        "path": "/v1/chat/completions",
        "status": 200,
        "server": {"base": "http://up", "dp_rank": "1"},
        "client": "agent/1",
    }


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{\n  "model": "m",\r\n  "messages": []\n}', id="over several lines"),
        pytest.param(b"not JSON\n", id="no JSON"),
        pytest.param(b"[1]", id="no object"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_what_cannot_stand_in_a_line_is_a_text_that_holds_every_byte(body: bytes) -> None:
    found = written(exchange(request=body, answer=body))
    assert found["request"].encode() == body
    assert found.get("response", "").encode() == body


def test_a_stream_is_kept_as_it_came() -> None:
    stream = 'data: {"choices":[{"delta":{"content":"é\u2028"}}]}\n\ndata: [DONE]\n\n'
    found = written(exchange(answer=stream.encode(), streamed=True))
    assert found["response_sse"] == stream and "response" not in found


def test_what_was_cut_is_marked() -> None:
    found = written(exchange(cut=CUT))
    assert found["complete"] is False and found["note"] == CUT
    assert "complete" not in written(exchange()) and "note" not in written(exchange())


def test_a_salt_is_a_fingerprint_and_all_else_stays() -> None:
    body = b'{"model": "m", "cache_salt": "geheim-1", "messages": [{"role": "user",  "content": "x"}]}'
    raw = line(exchange(request=body), SALTED)
    assert b"geheim" not in raw
    assert b'"messages":[{"role": "user",  "content": "x"}]' in raw
    salt = json.loads(raw)["request"]["cache_salt"]
    assert salt.startswith("fingerprint-") and salt == SALTED("geheim-1") != SALTED("geheim-2")
    assert fingerprint(b"k" * 32)("geheim-1") != salt, "another key"


def test_a_salt_is_kept_where_that_is_asked() -> None:
    body = b'{"model": "m", "cache_salt": "geheim-1"}'
    assert b'"request":' + body in line(exchange(request=body), None)


@pytest.mark.parametrize("salt", ["null", '""', "7"], ids=["null", "empty", "a number"])
def test_what_is_no_salt_is_left_alone(salt: str) -> None:
    body = b'{"model":"m","cache_salt":%b}' % salt.encode()
    assert b'"request":' + body in line(exchange(request=body), SALTED)


def test_a_refusal_that_quotes_the_salt_does_not_give_it_away() -> None:
    body = b'{"cache_salt": "ge\\"heim", "messages": []}'
    refusal = rb'{"detail":"input: ge\"heim"}'
    raw = line(exchange(request=body, answer=refusal, status=400), SALTED)
    assert b"heim" not in raw
    assert json.loads(raw)["response"]["detail"] == "input: " + SALTED('ge"heim')


def test_a_broken_body_that_speaks_of_a_salt_is_not_kept() -> None:
    found = written(exchange(request=b'{"cache_salt": "geheim"'))
    assert "request" not in found and "cache salt" in found["note"]
    assert written(exchange(request=b'{"cache_salt": "geheim"'), keep=True)["request"] == '{"cache_salt": "geheim"'


def test_the_line_is_read_back() -> None:
    log = read_log(line(exchange(session_id="s", cut=CUT), SALTED), "f", "f")
    (session,) = log.sessions
    (turn,) = session.turns
    assert session.session_id == "s" and turn.note == CUT and turn.usage.prompt_tokens == 3
    assert turn.request.messages == ({"role": "user", "content": "é 1e2"},)


def test_a_request_over_several_lines_is_read_back() -> None:
    body = json.dumps(json.loads(REQUEST), indent=2).encode()
    (session,) = read_log(line(exchange(request=body, answer=ANSWER + b"\n"), SALTED), "f", "f").sessions
    assert session.turns[0].request.model == "m" and session.turns[0].reply is not None
