"""A change is made in every lineage by itself, and turns stay where they are."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from analysis.causes.fixes import Sent
from analysis.model.session import JsonObject, Session
from analysis.pipeline.lineages import each_lineage
from tests.builders import assistant, of_turns, request, turn, user


def made(*lineages: str | None) -> Session:
    turns = [
        replace(turn(user(f"{number}"), number=number, reply=assistant(f"r{number}")), lineage=lineage)
        for number, lineage in enumerate(lineages, 1)
    ]
    return of_turns(*turns)


def sent_of(session: Session) -> list[Sent]:
    return [Sent(one.request, float(one.number)) for one in session.turns]


@pytest.mark.parametrize(
    ("lineages", "seen"),
    [
        pytest.param((None, None), [((0, 1), ("r1", "r2"))], id="one"),
        pytest.param(
            (None, "title", None, "title", "agent"),
            [((0, 2), ("r1", "r3")), ((1, 3), ("r2", "r4")), ((4,), ("r5",))],
            id="several that take turns",
        ),
    ],
)
def test_every_lineage_is_seen_alone(lineages: tuple[str | None, ...], seen: list[object]) -> None:
    session, found = made(*lineages), []

    def change(mine: Sequence[Sent], replies: Sequence[JsonObject | None], places: Sequence[int]) -> None:
        assert [one.request for one in mine] == [session.turns[place].request for place in places]
        found.append((tuple(places), tuple(str((reply or {}).get("content")) for reply in replies)))

    assert each_lineage(session, sent_of(session), change) is None
    assert found == seen


def test_what_is_changed_stands_where_it_stood() -> None:
    session = made(None, "title", None)
    sent, other = sent_of(session), Sent(request(user("changed")), 9.0)
    changed = each_lineage(session, sent, lambda mine, *_: [other] * len(mine) if len(mine) > 1 else None)
    assert changed is not None
    assert [one is other for one in changed] == [True, False, True]
    assert changed[1] is sent[1]
