"""The address of the Sessions page: it says all that is asked for, and no odd one is an error."""

from dataclasses import replace
from datetime import date
from urllib.parse import urlencode

import pytest

from app.desk_address import (
    LONGEST_QUERY,
    MOST_COMPARED,
    MOST_FIELDS,
    Asked,
    asked_by,
    asked_in,
    fits,
    params_of,
    query_of,
)
from app.sets_address import Pair, Side, params_of_pair

EVERYTHING = Asked(
    q="agent é & ?",
    model=("acme/a", "b, c"),
    label=("",),
    cause=("key/cache-salt",),
    client=("agent/1.2",),
    source=("proxy.jsonl",),
    fidelity=("exact", "unknown"),
    status=("new",),
    assignee=("ada",),
    since=date(2026, 11, 24),
    until=date(2026, 11, 25),
    order="cost",
    zone="Europe/Berlin",
    look="days",
    by="client",
    compare=(3, 1),
)


def test_an_address_says_all_that_is_asked_for() -> None:
    assert asked_by(query_of(EVERYTHING)) == EVERYTHING
    assert asked_in(params_of(EVERYTHING)) == EVERYTHING
    assert set(params_of(EVERYTHING)) == set(Asked.__slots__)


def test_filters_are_named_in_the_words_of_the_page() -> None:
    filters = EVERYTHING.filters
    assert filters["cause"] == "the cache salt changed" and filters["label"] == "none"
    assert filters["fidelity"] == "rendered, and as long as the server counted, unknown"
    assert Asked(cause=("made/up",)).filters == {"cause": "made/up"}


def test_what_is_as_it_is_at_first_is_not_in_the_address() -> None:
    assert params_of(Asked()) == {} and query_of(Asked()) == "" and asked_by("") == Asked()
    assert query_of(Asked(q="a b", compare=(1, 2))) == "q=a+b&compare=1%2C2"


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        pytest.param("order=rm+-rf&look=up&by=colour&zone=Mars/Base", Asked(), id="no such order, breakdown or zone"),
        pytest.param("since=yesterday&until=2026-13-01", Asked(), id="no such days"),
        pytest.param(
            "since=2026-11-25&until=2026-11-24",
            Asked(since=date(2026, 11, 24), until=date(2026, 11, 25)),
            id="days the wrong way round",
        ),
        pytest.param("model=a&model=a&model=b", Asked(model=("a", "b")), id="twice the same"),
        pytest.param("compare=1,x,2,1,²,-3", Asked(compare=(1, 2)), id="keys that are none"),
        pytest.param("session=3&utm=x", Asked(), id="names of others"),
        pytest.param("q=++x++", Asked(q="x"), id="blanks around a search"),
    ],
)
def test_what_cannot_be_meant_is_left_out(query: str, asked: Asked) -> None:
    assert asked_by(query) == asked


def test_an_address_is_cut_where_it_is_too_long() -> None:
    found = asked_by("q=" + "x" * 9999 + "&compare=" + ",".join(map(str, range(99))))
    assert len(found.q) == 300 and len(found.compare) == MOST_COMPARED


def test_two_sets_of_whatever_fits_are_within_what_streamlit_reads() -> None:
    names = tuple(f"{number:03}" for number in range(MOST_FIELDS))
    longest = Asked(source=("x" * (LONGEST_QUERY - len("source=")),))
    for most, more in (
        (Asked(source=names), Asked(q="x", source=names)),
        (longest, replace(longest, source=(*longest.source, "y"))),
    ):
        assert fits(most) and not fits(more)
        both = urlencode(params_of_pair(Pair(Side(most), Side(most), "own", "UTC", True)), doseq=True)
        assert both.count("&") < 1000 and len(both) <= 512 * 1024, "Streamlit 1.67 drops what is longer"


def test_filters_are_named_as_a_person_reads_them() -> None:
    assert Asked(q="x", order="cost").filters == {}
    assert Asked(label=("", "eu"), since=date(2026, 1, 2)).filters == {"label": "none, eu", "since": "2026-01-02"}
    assert Asked(since=date(2026, 11, 24), until=date(2026, 11, 24)).filters == {"day": "Tuesday 2026-11-24"}
