"""One exchange while it passes: when it is whole, and what is said where it is not."""

import pytest

from analysis.live.passing import Passing

EVENTS = "text/event-stream; charset=utf-8"


def passing(body: bytes = b"{}", recorded: bool = True) -> Passing:
    return Passing("/v1/chat/completions", [(b"x-session-id", b"s"), (b"user-agent", b"agent/1")], body, recorded)


def test_what_passed_is_kept_byte_for_byte() -> None:
    one = passing(b'{"a": 1}')
    one.begin(200, "application/json", "9")
    assert one.take(b'{"b"') + one.take(b": \xff}") + one.rest() == b'{"b": \xff}'
    exchange = one.exchange("http://up")
    assert (exchange.request, exchange.answer, exchange.status) == (b'{"a": 1}', b'{"b": \xff}', 200)
    assert (exchange.session_id, exchange.client, exchange.server) == ("s", "agent/1", "http://up")
    assert exchange.cut is None and not exchange.streamed
    assert exchange.first_at is not None and exchange.started_at <= exchange.first_at <= exchange.ended_at


def test_what_is_not_recorded_takes_no_memory() -> None:
    one = passing(recorded=False)
    one.begin(200, "application/json", None)
    assert one.take(b"x" * 1000) == b"x" * 1000 and one.pieces == []


@pytest.mark.parametrize(
    ("kind", "length", "answer", "cut"),
    [
        pytest.param("application/json", "4", b"true", None, id="all that was announced"),
        pytest.param("application/json", "5", b"true", "cut after 4 bytes of the answer", id="less than announced"),
        pytest.param("application/json", None, b"true", "cut after 4 bytes of the answer", id="nobody knows"),
        pytest.param(EVENTS, None, b"data: {}\n\ndata: [DONE]\n\n", None, id="a stream that said it is done"),
        pytest.param(EVENTS, None, b"data: {}\r\n\r\ndata:[DONE]\r\n\r\n", None, id="with other line ends"),
        pytest.param(EVENTS, None, b'event: message_stop\ndata: {"type":"message_stop"}\n\n', None, id="Messages"),
        pytest.param(EVENTS, None, b"event: response.completed\ndata: {}\n\n", None, id="Responses"),
        pytest.param(EVENTS, None, b"data: {}\n\n", "cut after 10 bytes of the answer", id="a stream that goes on"),
        pytest.param(EVENTS, None, b"data: [DONE]", "cut after 12 bytes of the answer", id="half of the last event"),
        pytest.param(
            EVENTS, None, b'data: "data: [DONE]"\n\n', "cut after 22 bytes of the answer", id="a text that says so"
        ),
        pytest.param(EVENTS, None, b"", "cut after 0 bytes of the answer", id="nothing"),
    ],
)
def test_an_answer_that_ended_early_may_be_whole(kind: str, length: str | None, answer: bytes, cut: str | None) -> None:
    one = passing()
    one.begin(200, kind, length)
    one.take(answer)
    one.cut = "cut"
    assert one.exchange("u").cut == cut


def test_an_answer_that_never_began() -> None:
    one = passing()
    one.cut = "the client left"
    exchange = one.exchange("u")
    assert exchange.cut == "the client left before the answer began"
    assert (exchange.status, exchange.first_at, exchange.answer) == (None, None, b"")


def test_a_refusal_does_not_quote_the_key() -> None:
    one = Passing("/v1/messages", [(b"x-api-key", b"sk-1")], b"{}", True)
    one.begin(401, "application/json", None)
    one.take(b'{"error":"bad key sk-1"}')
    assert one.exchange("u").answer == b'{"error":"bad key [withheld]"}'
