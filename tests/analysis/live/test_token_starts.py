"""Where tokens begin: offsets that fit, offsets that do not, and pieces."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.live.token_starts import from_offsets, from_pieces
from tests.replay_server import exchange


def test_recorded_offsets_fit_the_recorded_text() -> None:
    rendered = json.loads(exchange("serve-block128", "render_token_offsets").reply.body)
    text = json.loads(exchange("serve-block128", "chat_return_token_ids").reply.body)["prompt_text"]
    starts = from_offsets(np.array(rendered["token_offsets"], np.int32), text)
    assert starts is not None
    pieces = [text[start:stop] for start, stop in zip(starts, [*starts[1:], len(text)], strict=True)]
    assert pieces[:6] == ["<|im_start|>", "system", "\n", "You", " are", " a"]
    assert from_pieces([piece.encode() for piece in pieces], text).tolist() == starts.tolist()


@pytest.mark.parametrize(
    ("offsets", "fits"),
    [
        ([[0, 1], [1, 3]], True),
        ([[0, 1], [1, 2], [1, 2], [2, 3]], True),  # one character in two tokens
        ([[0, 0], [0, 3]], True),
        ([[0, 1], [1, 2]], False),  # ends before the text
        ([[0, 2], [2, 4]], False),  # ends behind it: another text was tokenized
        ([[1, 3]], False),
        ([[0, 1], [2, 3]], False),  # a gap
        ([[0, 2], [1, 1], [0, 3]], False),
    ],
)
def test_offsets_must_cover_the_text(offsets: list[list[int]], fits: bool) -> None:
    starts = from_offsets(np.array(offsets, np.int32), "abc")
    assert (starts is not None) is fits
    assert starts is None or starts.tolist() == [start for start, _ in offsets]


@pytest.mark.parametrize(
    ("pieces", "text", "expected"),
    [
        ([b"a", b"\xc3", b"\xa9"], "aé", [0, 1, 1]),
        ([b"", b"a", b""], "a", [0, 0, 1]),
        ([], "", []),
        ([b"a", b"\xef\xbf\xbd", b"\xef\xbf\xbd", b" b", b"c"], "a😀 bc", [0, 1, 1, 2, 4]),
        ([b"\xef\xbf\xbd"], "", [0]),
        ([b"a", b" b", b"c"], "a bX c", [0, 1, 5]),
    ],
)
def test_pieces(pieces: list[bytes], text: str, expected: list[int]) -> None:
    assert from_pieces(pieces, text).tolist() == expected


@settings(max_examples=50)
@given(st.text(), st.lists(st.integers(0, 40)))
def test_pieces_that_add_up_are_exact(text: str, cuts: list[int]) -> None:
    encoded = text.encode()
    edges = sorted({0, len(encoded), *(cut for cut in cuts if cut < len(encoded))})
    character_of_byte = [index for index, char in enumerate(text) for _ in char.encode()]
    starts = from_pieces([encoded[start:stop] for start, stop in pairwise(edges)], text)
    assert starts.tolist() == [character_of_byte[edge] for edge in edges[:-1]]
