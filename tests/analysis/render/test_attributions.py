"""What was attributed is not attributed again, as long as there is room."""

import pytest

from analysis.model.prompt import Attribution
from analysis.model.session import JsonObject, Request
from analysis.render.attributions import Attributions
from tests.builders import assistant, request, tokens, user

ONE, OTHER = request(user("hi")), request(user("hi"))
REPLY = assistant("yo")


def attribution(num_tokens: int) -> Attribution:
    ids = tokens(range(num_tokens))
    return Attribution("x" * num_tokens, ids, ids, (), "provenance")


def test_the_same_request_at_the_same_time_with_the_same_reply_is_made_once() -> None:
    kept = Attributions()
    asked: list[tuple[Request, float | None, JsonObject | None]] = [
        (ONE, None, None),
        (OTHER, None, None),
        (ONE, 1.0, None),
        (ONE, None, REPLY),
    ]
    made = [kept.of(*each, lambda: attribution(3)) for each in asked]
    assert len(set(map(id, made))) == len(asked), "equal requests may be of different turns"
    assert [kept.of(*each, lambda: attribution(5)) for each in asked] == made


def test_those_used_longest_ago_are_forgotten() -> None:
    kept = Attributions(kept_tokens=10)
    first = kept.of(ONE, 1.0, None, lambda: attribution(4))
    second = kept.of(ONE, 2.0, None, lambda: attribution(4))
    assert kept.of(ONE, 1.0, None, lambda: attribution(4)) is first
    kept.of(ONE, 3.0, None, lambda: attribution(4))
    assert kept.of(ONE, 1.0, None, lambda: attribution(4)) is first
    assert kept.of(ONE, 2.0, None, lambda: attribution(4)) is not second
    assert len(kept.of(ONE, 4.0, None, lambda: attribution(99)).token_ids) == 99, "too large to keep, and made"


def test_what_cannot_be_made_is_asked_for_again() -> None:
    kept = Attributions()

    def refuse() -> Attribution:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        kept.of(ONE, None, None, refuse)
    assert len(kept.of(ONE, None, None, lambda: attribution(2)).token_ids) == 2
