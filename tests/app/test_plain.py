"""Untrusted text where Markdown is expected."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.plain import MOST_CHARS, WORD_JOINER, cut, plain


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words", "plain words"),
        ("**bold** _it_", r"\*\*bold\*\* \_it\_"),
        ("![x](file:///a.png)", r"\!\[x\]\(file\:\/\/\/a\.png\)"),
        ("HTTP://a", "HTTP\\:\u2060\\/\\/a"),
        ("https://a", "https\\:\u2060\\/\\/a"),
        ("www.a.b", "www\u2060\\.a\\.b"),
        ("me@a.b", "me\u2060\\@a\\.b"),
        ("<script>", r"\<script\>"),
        (":material/home: :red[x] $x^2$", r"\:material\/home\: \:red\[x\] \$x\^2\$"),
        ("# one\n\n- two", r"\# one \- two"),
        ("back\\slash", r"back\\slash"),
        ("ünïcode 漢", "ünïcode 漢"),
        ("", ""),
    ],
)
def test_plain(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(st.text())
def test_nothing_is_lost_and_no_mark_stands_unescaped(text: str) -> None:
    shown = plain(text)
    assert re.sub(r"\\(.)", r"\1", shown).replace(WORD_JOINER, "") == " ".join(text.split()).replace(WORD_JOINER, "")
    assert not re.search(r"[!-/:-@\[-`{-~]", re.sub(r"\\.", "", shown))


def test_a_text_that_no_browser_bears_is_cut() -> None:
    assert plain("x" * MOST_CHARS) == "x" * MOST_CHARS
    assert plain("x" * 1_000_000) == "x" * MOST_CHARS + "…"


def test_a_name_is_cut_at_its_end() -> None:
    assert (cut("abc", 3), cut("abcd", 3)) == ("abc", "abc…")
