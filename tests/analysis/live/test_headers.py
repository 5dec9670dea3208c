"""Headers on their way through: nothing that belongs to one connection, nothing kept that proves who somebody is."""

import pytest

from analysis.live.headers import CLIENT, SESSION, named, to_client, to_server, without_credentials

SENT = [
    (b"Host", b"recorder:8900"),
    (b"Content-Length", b"7"),
    (b"Connection", b"keep-alive, X-Hop"),
    (b"X-Hop", b"1"),
    (b"Authorization", b"Bearer sk-secret"),
    (b"Accept-Encoding", b"gzip, br"),
    (b"X-Session-ID", b"s1"),
]


def test_the_server_gets_what_is_meant_for_it() -> None:
    assert to_server(SENT, readable=False) == [
        (b"authorization", b"Bearer sk-secret"),
        (b"accept-encoding", b"gzip, br"),
        (b"x-session-id", b"s1"),
    ]


def test_an_answer_that_is_kept_must_not_be_compressed() -> None:
    passed = to_server(SENT, readable=True)
    assert [value for name, value in passed if name == b"accept-encoding"] == [b"identity"]


@pytest.mark.parametrize(("changed", "kept"), [(False, True), (True, False)])
def test_the_client_gets_the_length_where_it_is_still_true(changed: bool, kept: bool) -> None:
    answer = [(b"Content-Length", b"7"), (b"Transfer-Encoding", b"chunked"), (b"Date", b"today")]
    passed = to_client(answer, changed)
    assert ((b"content-length", b"7") in passed) == kept
    assert (b"date", b"today") in passed and b"transfer-encoding" not in dict(passed)


@pytest.mark.parametrize(
    ("headers", "session"),
    [
        pytest.param([(b"x-session-id", b"a"), (b"session_id", b"b")], "a", id="the first of the names"),
        pytest.param([(b"X-Claude-Code-Session-Id", b"c")], "c", id="Claude Code"),
        pytest.param([(b"session_id", b"d")], "d", id="Codex"),
        pytest.param([(b"x-session-id", b"")], None, id="an empty one"),
        pytest.param([(b"x-other", b"e")], None, id="none"),
        pytest.param([(b"x-session-id", b"f" * 9999)], "f" * 500, id="a very long one"),
    ],
)
def test_the_session_of_a_request(headers: list[tuple[bytes, bytes]], session: str | None) -> None:
    assert named(headers, SESSION) == session


def test_a_value_that_is_not_ascii_is_text_all_the_same() -> None:
    assert named([(b"user-agent", b"caf\xe9")], CLIENT) == "café"


def test_an_answer_that_quotes_a_credential_loses_it() -> None:
    headers = [(b"authorization", b"Bearer sk-secret"), (b"x-api-key", b"k-1"), (b"cookie", b"a=b"), (b"x-o", b"open")]
    answer = without_credentials(b"no sk-secret, no Bearer sk-secret, no k-1, no a=b, but open", headers)
    assert answer == b"no [withheld], no [withheld], no [withheld], no [withheld], but open"
    assert without_credentials(b"text", [(b"authorization", b"")]) == b"text"
