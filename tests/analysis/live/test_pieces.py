"""Token ids to bytes, against a byte-level tokenizer small enough to read."""

import pytest

from analysis.live.pieces import BYTE_OF, TokenPieces, spelled_bytes
from analysis.live.vllm import VllmServer
from tests.replay_server import NOT_FOUND, ReplayServer

MARKER = 256  # ids 0 to 255 are bytes
SPELLING = {byte: char for char, byte in BYTE_OF.items()}


def _decode(ids: list[int]) -> str:
    return b"".join(b"<|mark|>" if token == MARKER else bytes([token]) for token in ids).decode("utf-8", "replace")


def _encode(text: str) -> tuple[list[int], list[str]]:
    ids = list(text.encode())
    return ids, [SPELLING[token] for token in ids]


def _calls(server: ReplayServer, path: str) -> int:
    return server.paths().count(path)


def test_one_call_for_all_and_none_for_what_is_known() -> None:
    with ReplayServer(detokenize=_decode) as server:
        pieces = TokenPieces(VllmServer(server.url))
        pieces.suggest_marker(MARKER)
        assert pieces.bytes_of(list(b"hello world")) == [bytes([byte]) for byte in b"hello world"]
        assert _calls(server, "/detokenize") == 2  # the marker, and all others
        assert pieces.bytes_of([*b"hold", MARKER]) == [b"h", b"o", b"l", b"d", b"<|mark|>"]
        assert _calls(server, "/detokenize") == 2


def test_the_marker_is_found_among_the_ids() -> None:
    with ReplayServer(detokenize=_decode) as server:
        pieces = TokenPieces(VllmServer(server.url))
        assert pieces.bytes_of([MARKER, *b"abc"])[1:] == [b"a", b"b", b"c"]
        assert _calls(server, "/detokenize") == 2


def test_without_a_marker_every_id_is_asked_for_alone() -> None:
    with ReplayServer(detokenize=_decode) as server:
        pieces = TokenPieces(VllmServer(server.url))
        assert pieces.bytes_of(list(b"abcd")) == [b"a", b"b", b"c", b"d"]
        assert _calls(server, "/detokenize") == 4


def test_a_marker_that_does_not_hold_pieces_apart_is_not_believed() -> None:
    def gluing(ids: list[int]) -> str:
        return _decode(ids) if len(ids) == 1 else _decode(ids).replace("<|mark|>", "", 1)

    with ReplayServer(detokenize=gluing) as server:
        pieces = TokenPieces(VllmServer(server.url))
        pieces.suggest_marker(MARKER)
        assert pieces.bytes_of(list(b"abcd")) == [b"a", b"b", b"c", b"d"]


def test_half_characters_are_revealed_by_the_spelling() -> None:
    emoji = "a😀é".encode()
    with ReplayServer(detokenize=_decode, tokenize=_encode) as server:
        pieces = TokenPieces(VllmServer(server.url))
        pieces.suggest_marker(MARKER)
        assert pieces.bytes_of(list(emoji)) == [bytes([byte]) for byte in emoji]
        asked = len(server.seen)
        assert pieces.bytes_of(list(emoji[1:3])) == [bytes([byte]) for byte in emoji[1:3]]
        assert len(server.seen) == asked


@pytest.mark.parametrize("tokenizes", [False, True])
def test_half_characters_that_nothing_reveals(tokenizes: bool) -> None:
    canned = {} if tokenizes else {"/tokenize": NOT_FOUND}
    with ReplayServer(detokenize=_decode, tokenize=_encode, canned=canned) as server:
        pieces = TokenPieces(VllmServer(server.url))
        for _ in range(9):
            assert pieces.bytes_of([ord("a"), 0xF0, 0x9F]) == [b"a", b"\xef\xbf\xbd", b"\xef\xbf\xbd"]
    assert _calls(server, "/tokenize") == 3


def test_nothing_is_asked_for_nothing() -> None:
    assert TokenPieces(VllmServer("127.0.0.1:9")).bytes_of([]) == []


@pytest.mark.parametrize(
    ("string", "expected"),
    [("Ġthe", b" the"), ("<0xE2>", b"\xe2"), ("Ċ", b"\n"), ("ðŁĺĢ", "😀".encode()), ("▁the", b""), ("", b"")],
)
def test_spellings(string: str, expected: bytes) -> None:
    assert spelled_bytes(string) == expected


def test_the_alphabet_has_every_byte_once() -> None:
    assert sorted(BYTE_OF.values()) == list(range(256))
