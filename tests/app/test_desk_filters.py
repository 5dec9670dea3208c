"""The filters of the list of sessions, as a person reads them."""

from app.desk_address import Asked
from app.desk_filters import said


def test_the_filters_and_the_search_stand_on_one_line() -> None:
    assert said(Asked()) == "" and said(Asked(order="cost")) == ""
    assert said(Asked(q="agent edited", client=("", "v1"), model=("m",))) == (
        "model: m · client: none, v1 · search: agent edited"
    )
