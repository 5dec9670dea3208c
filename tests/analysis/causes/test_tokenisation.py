"""The same text in other tokens, and a blank that is missing behind a turn."""

import pytest

from tests.builders import assistant, user
from tests.visible_cases import CASES, analysed, causes_of, own_renderer

THEN = {"messages": [user("a")], "generated": "hello world", "reply": assistant("hello world")}
NOW = {"messages": [user("a"), assistant("hello world"), user("b")]}


def test_drift_needs_other_ids() -> None:
    drifted = {**THEN, "generated_pieces": ["h", "e", "l", "l", "o", " world"]}
    assert causes_of("arguments_verbatim", drifted, NOW) == [("tokenisation/drift", "messages[1].content")]
    assert causes_of("arguments_verbatim", THEN, NOW) == [], "the ids are those of the text"


def test_drift_is_certain_where_the_ids_were_logged() -> None:
    case = {"turns": [{**THEN, "generated_pieces": ["h", "e", "l", "l", "o", " world"]}, NOW]}
    (cause,) = analysed(case, own_renderer("arguments_verbatim")).turns[1].causes
    assert (cause.confidence, cause.deliberate) == ("certain", False)


@pytest.mark.parametrize("missing", [True, False])
def test_a_missing_blank_behind_the_reply_is_told_by_the_ids(missing: bool) -> None:
    case = CASES["48-verl-missing-newline"]
    turns = [case["turns"][0], {**case["turns"][1], "missing_separator": missing}]
    found = analysed({"turns": turns}, own_renderer("arguments_verbatim")).turns[1]
    assert [cause.code for cause in found.causes] == (["tokenisation/turn-separator"] if missing else [])
    assert all(cause.tokens == 0 for cause in found.causes), "it costs nothing before the next turn"
