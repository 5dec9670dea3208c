"""Tokens as boxes: what is invisible is shown, what is markup is text, what differs is marked."""

import re
from collections.abc import Mapping, Sequence
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.report.palette import DARK, LIGHT
from app.token_view import KEY, Side, comparison_html, side
from tests.builders import tokens
from tests.sample_store import record_of

EVIL = b"<script>alert('x')</script>"


class Boxes(HTMLParser):
    """The token boxes of a comparison: their classes, titles and texts; every tag by name."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.boxes: list[tuple[set[str], str, str]] = []
        self.tags: list[str] = []
        self._open: tuple[set[str], str] | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = {name: value or "" for name, value in attrs}
        names = set(values.get("class", "").split())
        if "wm-t" in names:
            self._open = names, values["title"]

    def handle_data(self, text: str) -> None:
        if self._open is not None:
            self.boxes.append((*self._open, text))
            self._open = None


def a_side(ids: Sequence[int], start: int = 0, differs: Sequence[bool] | None = None, prompt: int = 1000) -> Side:
    return Side("Turn 2", "9 prompt tokens", start, ids, differs or [False] * len(ids), prompt)


def boxes(one: Side, texts: Mapping[int, bytes], size: int = 4, divergence: int | None = None) -> Boxes:
    return Boxes(comparison_html([one], texts, size, divergence, LIGHT))


def test_markup_in_a_token_is_text() -> None:
    page = comparison_html([a_side([1])], {1: EVIL}, 4, None, LIGHT)
    assert "<script" not in page and "&lt;script&gt;" in page
    assert Boxes(page).boxes[0][2] == EVIL.decode()


def test_markup_in_a_title_is_text() -> None:
    evil = EVIL.decode() + "\" onmouseover='x'"
    one = Side(evil, evil, 0, [1], [False], 9)
    page = comparison_html([one], {}, 4, None, LIGHT)
    assert "<script" not in page and "onmouseover='" not in page
    assert set(Boxes(page).tags) == {"style", "div", "section", "h4", "p", "span"}


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=6))
def test_no_token_can_add_a_tag(pieces: list[bytes]) -> None:
    found = boxes(a_side(list(range(len(pieces)))), dict(enumerate(pieces)))
    assert set(found.tags) <= {"style", "div", "section", "h4", "p", "span", "br"}


def test_every_token_says_its_position_and_id() -> None:
    found = boxes(a_side([11, 12], start=1905, prompt=2000), {11: b"a", 12: b"b"})
    assert [title for _names, title, _text in found.boxes] == ["token 1,905 · id 11", "token 1,906 · id 12"]


def test_an_unknown_token_stands_as_its_id() -> None:
    ((names, _title, text),) = boxes(a_side([11]), {}).boxes
    assert text == "#11" and "wm-id" in names


def test_the_marks_of_a_token() -> None:
    one = a_side([1, 2, 3, 4], start=8, differs=[False, True, True, False], prompt=11)
    found = boxes(one, {}, divergence=9)
    assert [names - {"wm-t", "wm-id"} for names, _title, _text in found.boxes] == [
        set(),
        {"wm-d", "wm-first"},
        {"wm-d"},
        {"wm-g"},
    ]
    assert found.boxes[3][1].startswith("generated token 11"), "the 12th token is the first of the reply"


def test_blocks_begin_where_the_server_s_do() -> None:
    page = comparison_html([a_side(range(10), start=3)], {}, 4, None, LIGHT)
    assert re.findall(r"class='wm-no'>([\d,]+)<", page) == ["0", "1", "2", "3"]
    assert page.count("<div") == page.count("</div>")


def test_a_line_ends_where_the_text_does() -> None:
    page = comparison_html([a_side([1, 2])], {1: b"end\n", 2: b"next"}, 4, None, LIGHT)
    assert "end↵</span><br><span" in page


def test_a_side_without_tokens_says_so() -> None:
    assert "no tokens here" in comparison_html([a_side([])], {}, 4, None, LIGHT)


def test_two_sides_stand_side_by_side_in_the_colours_of_the_theme() -> None:
    page = comparison_html([a_side([1]), a_side([2])], {}, 4, None, DARK)
    assert page.count("<section") == 2 and "wm-2" in page
    assert DARK.states["lost"] in page and LIGHT.states["lost"] not in page


@pytest.mark.parametrize(("columns", "explained"), [(1, 0), (2, 1)])
def test_marks_are_explained_under_two_columns(columns: int, explained: int) -> None:
    assert comparison_html([a_side([1])] * columns, {}, 4, None, LIGHT).count(KEY) == explained


def test_a_side_ends_where_its_turn_ends() -> None:
    turn = record_of("03").turns[0]
    ids = tokens(range(20))
    one = side(turn, ids, np.zeros(20, bool), 16, 64, "Turn 1")
    assert (one.start, list(one.token_ids), len(one.differs)) == (16, [16, 17, 18, 19], 4)
    assert one.subtitle == f"{turn.prompt_tokens:,} prompt tokens" and one.prompt_tokens == turn.prompt_tokens
