"""The address of two sets: it says all that is asked for, and no odd one is an error."""

from datetime import date
from urllib.parse import parse_qs, urlencode

import pytest

from app.desk_address import Asked
from app.sets_address import MOST_KEYS, OfCase, Pair, Side, held_up, pair_in, params_of_pair, without

TUESDAY = date(2026, 11, 24)
EVERYTHING = Pair(
    Side(Asked(q="é & ?", model=("acme/a", "b, c"), label=("",), until=TUESDAY), keys=(3, 1), case=OfCase(7, "before")),
    Side(Asked(client=("agent/1.2",), cause=("key/lora",), since=TUESDAY), file="b.json (0a1b2c3d)"),
    by="client",
    zone="Europe/Berlin",
    apart=True,
)


def test_an_address_says_all_that_is_asked_for() -> None:
    query = urlencode(params_of_pair(EVERYTHING), doseq=True)
    assert pair_in(parse_qs(query, keep_blank_values=True)) == EVERYTHING
    assert params_of_pair(Pair()) == {} and pair_in({}) == Pair()


@pytest.mark.parametrize(
    ("params", "pair"),
    [
        pytest.param({"by": ["colour"], "zone": ["Mars/Base"], "apart": ["yes"]}, Pair(), id="no such way or zone"),
        pytest.param({"a.order": ["cost"], "a.compare": ["1,2"], "a.look": ["days"]}, Pair(), id="how a list looks"),
        pytest.param({"model": ["m"], "c.model": ["m"], "a": ["m"]}, Pair(), id="of no side"),
        pytest.param({"b.keys": ["1,x,1,-2"], "b.since": ["soon"]}, Pair(b=Side(keys=(1,))), id="keys that are none"),
        pytest.param({"a.case": ["3-after"]}, Pair(Side(case=OfCase(3, "after"))), id="a side of a case"),
        pytest.param({"a.case": ["3-neither"], "b.case": ["x-after"]}, Pair(), id="no case"),
        pytest.param({"a.file": []}, Pair(), id="no value"),
    ],
)
def test_what_cannot_be_meant_is_left_out(params: dict[str, list[str]], pair: Pair) -> None:
    assert pair_in(params) == pair


def test_an_address_is_cut_where_it_is_too_long() -> None:
    found = pair_in({"a.keys": [",".join(map(str, range(9999)))], "b.file": ["x" * 999]})
    assert len(found.a.keys) == MOST_KEYS and len(found.b.file) == 300


@pytest.mark.parametrize(
    ("asked", "pair"),
    [
        pytest.param(Asked(order="cost", zone="Asia/Tokyo", compare=(1, 2)), Pair(zone="Asia/Tokyo"), id="no filter"),
        pytest.param(
            Asked(client=("new",), label=("eu",), order="cost"),
            Pair(Side(Asked(client=("new",), label=("eu",))), Side(Asked(label=("eu",))), "client", apart=True),
            id="a client version against all others of the label",
        ),
        pytest.param(
            Asked(q="agent"), Pair(Side(Asked(q="agent")), Side(), "own", apart=True), id="a search against the rest"
        ),
        pytest.param(
            Asked(model=("m",), since=TUESDAY),
            Pair(
                Side(Asked(model=("m",), since=TUESDAY)),
                Side(Asked(model=("m",), until=date(2026, 11, 23))),
                "own",
                apart=True,
            ),
            id="days against the days before",
        ),
        pytest.param(
            Asked(until=TUESDAY),
            Pair(Side(Asked(until=TUESDAY)), Side(Asked(since=date(2026, 11, 25))), "own", apart=True),
            id="days against the days after",
        ),
    ],
)
def test_a_list_is_held_against_what_tells_it_apart(asked: Asked, pair: Pair) -> None:
    assert held_up(asked) == pair


def test_the_filter_that_tells_sets_apart_is_taken_out() -> None:
    asked = Asked(model=("m",), since=TUESDAY, until=TUESDAY)
    assert without(asked, "model") == Asked(since=TUESDAY, until=TUESDAY)
    assert without(asked, "day") == Asked(model=("m",)) and without(asked, "own") == asked
    assert Side(asked).is_narrowed and not Side().is_narrowed
