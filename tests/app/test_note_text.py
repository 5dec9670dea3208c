"""What people write, on its way to the screen."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.note_text import as_line, as_markdown, day, excerpt, visible
from app.plain import WORD_JOINER


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("**bold** and [a link](https://a.b)", "**bold** and [a link](https://a.b)"),
        ("![x](http://a.b/c.png)", f"!{WORD_JOINER}[x](http://a.b/c.png)"),
        ("![x][1]\n\n[1]: http://a.b/c.png", f"!{WORD_JOINER}[x][1]\n\n[1]: http://a.b/c.png"),
        ("!![x](y)", f"!!{WORD_JOINER}[x](y)"),
        ("`a[0]!=b[1]` !", "`a[0]!=b[1]` !"),
        ("one\r\ntwo\n\tthree", "one\ntwo\n\tthree"),
        ("a\0b\x1b[31mc\x07", r"a\x00b\x1b[31mc\x07"),
        ("user\u202egnp.exe\u2066", r"user\u202egnp.exe\u2066"),
        ("hid\u200bden\u2060\ufeff", r"hid\u200bden\u2060\ufeff"),
        ("👩‍💻 漢 é ❤️", "👩‍💻 漢 é ❤️"),
        ("", ""),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert as_markdown(text) == shown


@given(st.text())
def test_no_image_and_nothing_unseen_is_left(text: str) -> None:
    shown = as_markdown(text)
    assert "![" not in shown
    assert not re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ann", "Ann"),
        ("<b>*Ann*</b>", r"\<b\>\*Ann\*\<\/b\>"),
        ("a\u202eb\0c", r"a\\u202eb\\x00c"),
        ("two\nlines", "two lines"),
    ],
)
def test_a_line(text: str, shown: str) -> None:
    assert as_line(text) == shown


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        (b"a  b\n\tc", "a  b↵→c"),
        ("ü".encode()[:1], "\ufffd"),
        (b"x" * 1_000_000, "x" * 120 + "…"),
        (b"\x1b[0m", r"\x1b[0m"),
    ],
)
def test_an_excerpt(piece: bytes, shown: str) -> None:
    assert excerpt(piece) == shown


def test_what_is_seen_stays() -> None:
    assert visible("a b\n\tc ~ é") == "a b\n\tc ~ é"


def test_a_time() -> None:
    assert day(1_750_000_000.9) == "2025-06-15 15:06 UTC"
