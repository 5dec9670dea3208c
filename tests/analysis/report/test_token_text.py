"""Untrusted text: what is invisible is shown, whatever the bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.report.token_text import as_bytes, shown, visible


@pytest.mark.parametrize(
    ("piece", "text"),
    [
        pytest.param(b" the", "·the", id="space"),
        pytest.param(b"\n", "↵", id="newline"),
        pytest.param(b"\t\r\n", "→␍↵", id="tab and CR LF"),
        pytest.param("é漢🙂".encode(), "é漢🙂", id="whole characters"),
        pytest.param("🙂".encode()[:2], r"\xf0\x9f", id="half a character"),
        pytest.param(b"a b" + "é".encode()[:1], r"a·b\xc3", id="text and half a character"),
        pytest.param(b"\xff\xfe", r"\xff\xfe", id="no UTF-8 at all"),
        pytest.param(b"\x1b[31m", r"\x1b[31m", id="terminal escape"),
        pytest.param(b"\x00\x7f", r"\x00\x7f", id="NUL and DEL"),
        pytest.param("\u200b\u200d\ufeff".encode(), r"\u200b\u200d\ufeff", id="zero width"),
        pytest.param("\u202e\u2066".encode(), r"\u202e\u2066", id="bidi"),
        pytest.param("\u00a0\u3000\u2028".encode(), r"\xa0\u3000\u2028", id="other spaces"),
        pytest.param("\U000e0041".encode(), r"\U000e0041", id="tag characters"),
        pytest.param("a\ufe0f\U000e0100".encode(), r"a\ufe0f\U000e0100", id="variation selectors"),
        pytest.param("\u3164\u2800\u034f".encode(), r"\u3164\u2800\u034f", id="blank letters and joiners"),
        pytest.param(b"", "", id="nothing"),
    ],
)
def test_what_a_token_shows(piece: bytes, text: str) -> None:
    assert shown(piece) == text


@given(st.binary(max_size=20))
def test_any_bytes_show_something_and_nothing_unprintable(piece: bytes) -> None:
    assert shown(piece).isprintable()
    assert bool(shown(piece)) == bool(piece)


def test_a_value_keeps_its_blanks_and_shows_what_is_hidden() -> None:
    assert visible("a b\n\x1b[2J\u202e\x00") == r"a b↵\x1b[2J\u202e\x00"


@given(
    st.binary(max_size=12).filter(
        lambda piece: b"\\" not in piece and not set("·↵→␍") & set(piece.decode("utf-8", "replace"))
    )
)
def test_the_bytes_of_a_token_are_known_from_what_is_shown(piece: bytes) -> None:
    """But for a few unseen characters below U+0100, which are shown as if they were bytes."""
    known = as_bytes(shown(piece))
    assert known == piece or any("\x80" <= char <= "\xad" for char in piece.decode("utf-8"))
