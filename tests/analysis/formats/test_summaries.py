"""Which session a text sums up: phrases in common, more messages, the first of equals."""

import pytest

from analysis.formats.summaries import Cousins, Told, shingles

LONG = "the sorter table was checked and the parcels for that postcode are fine"
OTHER = "why do trains run late on mondays when the signals are green all day"


def told(session_id: str, cousins: Cousins, *texts: str, num_messages: int = 3) -> Told:
    session = Told(session_id)
    session.goes_on(texts, num_messages, cousins)
    return session


@pytest.mark.parametrize(
    ("text", "num_messages", "found"),
    [
        pytest.param("So far: the sorter table was checked, and the parcels wait.", 1, "a", id="phrases in common"),
        pytest.param("Checked AND the parcels - for that postcode!", 1, "a", id="case and signs are ignored"),
        pytest.param("table was checked and the", 1, None, id="one phrase is chance"),
        pytest.param(f"{LONG} {OTHER}", 2, "b", id="most phrases"),
        pytest.param(LONG, 3, None, id="nothing collapsed"),
        pytest.param("short", 1, None, id="no phrase"),
    ],
)
def test_the_session_that_a_text_sums_up(text: str, num_messages: int, found: str | None) -> None:
    cousins = Cousins()
    told("a", cousins, LONG)
    told("b", cousins, OTHER)
    assert cousins.summed_up(text, num_messages) == found


def test_the_first_of_equals() -> None:
    cousins = Cousins()
    told("a", cousins, OTHER)
    told("b", cousins, LONG)
    told("c", cousins, LONG)
    assert cousins.summed_up(LONG, 1) == "b"


def test_what_was_said_under_another_system_text_counts_where_a_session_was_before() -> None:
    one, other = Cousins(), Cousins()
    session = told("a", one, OTHER)
    session.goes_on([LONG], 5, other)
    assert one.summed_up(LONG, 1) == other.summed_up(OTHER, 1) == "a"
    session.goes_on(["hello"], 1, other)
    assert one.summed_up(LONG, 1) is None, "it has collapsed itself"
    session.goes_on([], 2, other)
    assert one.summed_up(LONG, 1) == "a"


def test_a_phrase_counts_once_however_often_it_was_said() -> None:
    cousins = Cousins()
    session = told("a", cousins, "one two three four five")
    assert cousins.summed_up("one two three four five", 1) is None
    session.goes_on(["one two three four five"], 4, cousins)
    assert cousins.summed_up("one two three four five", 1) is None


def test_chats_of_one_message_are_never_looked_at() -> None:
    """Thousands of them under one system text cost a lookup nothing: no summary can stand for one of them."""
    cousins = Cousins()
    for number in range(100):
        told(f"{number}", cousins, LONG, num_messages=1)
    assert not cousins.grown and cousins.summed_up(LONG, 1) is None


def test_phrases_are_five_words() -> None:
    assert shingles("One, two three-four five SIX") == {"one two three four five", "two three four five six"}
    assert shingles("one two three four") == set()
