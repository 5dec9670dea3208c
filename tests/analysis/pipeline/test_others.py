"""What a first turn is held against: as a plain search through all visits finds it."""

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from analysis.model.finding import TurnAnalysis
from analysis.pipeline.gaps import Visit
from analysis.pipeline.others import Others


def searched(visits: list[Visit], keys: list[str], place: int, most: int) -> list[TurnAnalysis]:
    before = [(visit, key) for visit, key in zip(visits, keys, strict=True)][:place]
    mine = visits[place].session
    latest = {one.session: one.found for one, key in before if key == keys[place] and one.session != mine}
    return list(latest.values())[-most:]


@given(st.lists(st.tuples(st.integers(0, 6), st.sampled_from("ab")), min_size=1, max_size=25), st.integers(1, 4))
def test_the_latest_turns_of_the_newest_sessions(asked: list[tuple[int, str]], most: int) -> None:
    served: Any = None
    visits = [
        Visit(session, f"{number}", served, cast(TurnAnalysis, number)) for number, (session, _) in enumerate(asked)
    ]
    keys = [key for _session, key in asked]
    others = Others(visits, keys)
    for place in range(len(visits)):
        assert others.before(place, most) == searched(visits, keys, place, most)
