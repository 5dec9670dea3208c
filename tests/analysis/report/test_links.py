"""Turns that sentences name lead to their places; numbers that are no turns, or no turns of this session, do not."""

import re

import pytest

from analysis.report.links import linked, linked_prose, linked_turns, token_link, turn_link
from analysis.report.quotes import Placeholder
from tests.sample_reports import part

EIGHT = part("03")  # turns 1 to 8


@pytest.mark.parametrize(
    ("words", "turns"),
    [
        ("mostly at turn 8 in the system message", [8]),
        ("Turn 2 was rendered to 5,299 tokens", [2]),
        ("turns 2–4, 7", [2, 4, 7]),
        ("turns 1, 2 and 5 more reused far less", [1, 2]),
        ("turns 3, 5 tokens", [3]),
        ("turns 2 and 3 reused far less", [2, 3]),
        ("Of 8 turns 3 are left out; 5 of 8 turns", []),
        ("turn 9 and turn 12 of another log", []),
        ("turn 1,239", []),
    ],
)
def test_what_is_a_turn(words: str, turns: list[int]) -> None:
    written = linked(EIGHT, words)
    assert [int(turn) for turn in re.findall(r'href="#s1t(\d+)"', written)] == turns
    assert re.sub(r"</?a[^>]*>", "", written) == words


def test_a_quote_is_never_a_link() -> None:
    assert linked_prose(EIGHT, ("in turn 2: ", Placeholder("turn 3"))) == (
        'in <a href="#s1t2">turn 2</a>: <span class="hid"><bdi>turn 3</bdi></span>'
    )


def test_a_token_leads_to_the_tokens_that_are_shown_else_to_the_turn() -> None:
    assert token_link(EIGHT, 2, 44) == '<a href="#s1t2k">token 44</a>'
    assert token_link(EIGHT, 1, 1_000) == '<a href="#s1t1">token 1,000</a>'
    assert token_link(EIGHT, 99, 5) == turn_link(EIGHT, 99, "token 5") == "token 5"
    assert linked_turns(EIGHT, (2, 99)) == '<a href="#s1t2">2</a>, 99'
