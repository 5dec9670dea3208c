"""A line about one user before what sessions share."""

from typing import Any

import pytest

from analysis.causes.fixes import Sent
from analysis.causes.sharing import per_session
from tests.builders import ByteRenderer, request, user

COMMON = "You are the assistant of a small railway.\n" + "Answer every question about trains in short sentences.\n" * 6
ME = "You are talking to Ms Brennick.\n"


def sent(system: str | None, **fields: Any) -> tuple[Sent, Any]:
    messages = [*([{"role": "system", "content": system}] if system else []), user("When does it leave?")]
    asked = request(*messages, **fields)
    return Sent(asked, 0.0), ByteRenderer().prompt_ids(asked, 0.0)


@pytest.mark.parametrize(
    ("mine", "others", "found"),
    [
        pytest.param(ME + COMMON, [COMMON], True, id="a line before the others' text"),
        pytest.param(ME + COMMON, ["You are talking to Mr Vole.\n" + COMMON], True, id="everyone has a line"),
        pytest.param(COMMON, [COMMON], False, id="the same text"),
        pytest.param(COMMON + ME, [COMMON], False, id="behind it, where it belongs"),
        pytest.param("Another agent.\n" + COMMON[40:300] + "Other rules.\n", [COMMON], False, id="another agent"),
        pytest.param(ME + "Be brief.\n", ["Be brief.\n"], False, id="nothing to win"),
        pytest.param(ME + COMMON, [], False, id="nobody before"),
        pytest.param(None, [COMMON], False, id="no system message"),
    ],
)
def test_per_session(mine: str | None, others: list[str], found: bool) -> None:
    now, ids = sent(mine)
    said = per_session(now, ids, [sent(other) for other in others])
    assert (said is not None) is found
    if said is not None:
        assert said[0].path == "messages[0].content" and "Brennick" in said[0].evidence


def test_other_tools_are_another_agent() -> None:
    now, ids = sent(ME + COMMON)
    assert per_session(now, ids, [sent(COMMON, tools=({"function": {"name": "x"}},))]) is None
