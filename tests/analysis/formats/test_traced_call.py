"""What follows from the tree of a trace: turns, lineages, and what is said of the rest."""

from dataclasses import replace

import pytest

from analysis.formats.base import Problems
from analysis.formats.totals import Counts
from analysis.formats.traced_call import Call, Span, completeness, entries
from analysis.model.session import JsonObject, Mark, Usage

ASKED: tuple[JsonObject, ...] = ({"role": "user", "content": "hi"},)
CALLING: JsonObject = {"role": "assistant", "tool_calls": [{"id": "c1"}]}
TOOL: JsonObject = {"type": "function", "function": {"name": "f"}}
CALL = Call("m", ASKED, usage=Usage(9, 1, 0, "reported"))
TWICE = "a call whose id another one in the log has: only the last of them counts."
SPAN = Span("a", None, 1, "s", CALL)


def read(*spans: Span) -> tuple[list[tuple[str, str | None]], list[str]]:
    problems = Problems("f")
    turns = [entry.turn for entry in entries(spans, problems, "do it.")]
    return [(turn.request_id, turn.lineage) for turn in turns], [one.message for one in problems.listed()]


@pytest.mark.parametrize(
    ("spans", "turns", "said"),
    [
        pytest.param([SPAN], [("a", None)], [], id="a call"),
        pytest.param([replace(SPAN, call=None)], [], [], id="another span"),
        pytest.param([SPAN, replace(SPAN, span_id="b", parent_id="a")], [("b", None)], [], id="told twice"),
        pytest.param([SPAN, SPAN], [("a", None)], [TWICE], id="exported twice"),
        pytest.param([replace(SPAN, call=None), SPAN], [("a", None)], [], id="no call before"),
        pytest.param(
            [replace(SPAN, failed=True, call=replace(CALL, usage=Usage()))],
            [],
            ["the call failed and counts as no turn."],
            id="failed",
        ),
        pytest.param([replace(SPAN, failed=True)], [("a", None)], [], id="failed after the answer"),
        pytest.param(
            [replace(SPAN, failed=True, call=replace(CALL, usage=Usage(9, 0, None, "omitted")))],
            [],
            ["the call failed and counts as no turn."],
            id="failed, and counted by the tool alone",
        ),
        pytest.param(
            [replace(SPAN, call=replace(CALL, messages=()))],
            [],
            ["a call without its messages counts as no turn: do it."],
            id="no prompt",
        ),
        pytest.param(
            [replace(SPAN, call=replace(CALL, usage=Usage()))],
            [("a", None)],
            ["a call carries no usage, so cached tokens are unknown here."],
            id="no usage",
        ),
        pytest.param(
            [SPAN, Span("b", "a", 2, "s", replace(CALL, usage=Usage(8, 1)))],
            [("a", None), ("b", "inner calls")],
            [
                "a call stands within another call that counts other tokens: both are turns. If one of them only wraps"
                " the other, switch off one of the two instrumentations."
            ],
            id="a call within a call",
        ),
    ],
)
def test_spans_become_turns(spans: list[Span], turns: list[tuple[str, str | None]], said: list[str]) -> None:
    assert read(*spans) == (turns, said)


def test_a_turn_has_what_the_call_said() -> None:
    call = replace(CALL, parameters={"extra_body": {"cache_salt": "x", "chat_template_kwargs": {"a": 1}}}, replica="r")
    (entry,) = entries([replace(SPAN, call=call, started_at=1.0, ended_at=2.0, first_token_at=1.5)], Problems("f"), "")
    turn = entry.turn
    assert (entry.key, turn.replica, turn.request.template_kwargs) == ("s", "r", {"a": 1})
    assert turn.request.salt not in (None, "x")
    assert (turn.started_at, turn.first_token_at, turn.ended_at) == (1.0, 1.5, 2.0)


def test_what_is_sent_again_is_one_object() -> None:
    again = Call("m", (dict(ASKED[0]), CALLING), usage=Usage(12, 1))
    first, second = entries([SPAN, Span("b", None, 2, "s", again)], Problems("f"), "")
    assert second.turn.request.messages[0] is first.turn.request.messages[0]


@pytest.mark.parametrize(
    ("call", "lacks"),
    [
        pytest.param(CALL, set(), id="whole"),
        pytest.param(replace(CALL, reply=CALLING), {"no_tools"}, id="a call of a tool, and no tools"),
        pytest.param(replace(CALL, reply=CALLING, tools=(TOOL,)), set(), id="with tools"),
        pytest.param(replace(CALL, messages=({"role": "tool"},)), {"no_tools"}, id="a result, and no tools"),
        pytest.param(replace(CALL, is_text=True), {"no_system", "no_tools"}, id="text"),
        pytest.param(replace(CALL, is_text=True, tools=(TOOL,)), {"no_system"}, id="text with tools beside it"),
        pytest.param(replace(CALL, lacks=frozenset({"truncated"})), {"truncated"}, id="what the log says"),
        pytest.param(replace(CALL, messages=({"role": "user", "content": "__REDACTED__"},)), {"redacted"}, id="hidden"),
        pytest.param(
            replace(CALL, messages=({"role": "user", "content": "<truncated due to size exceeding limit>"},)),
            {"truncated"},
            id="too large",
        ),
    ],
)
def test_what_a_call_lacks(call: Call, lacks: set[Mark]) -> None:
    assert completeness(call) == lacks


def test_whether_cached_tokens_are_within_a_prompt_is_settled_once_per_model() -> None:
    """The second call alone might be either; the first one of its model shows what it is."""
    spans = [
        replace(SPAN, span_id=name, call=replace(CALL, model=model, usage=counts.usage(), counts=counts))
        for name, model, counts in (
            ("a", "m", Counts(10, 5, 90)),
            ("b", "m", Counts(100, 5, 90)),
            ("c", "m", Counts(100, 5, 90, total=105)),
            ("d", "n", Counts(100, 5, 90)),
        )
    ]
    found = [entry.turn.usage.prompt_tokens for entry in entries(spans, Problems("f"), "")]
    assert found == [100, 190, 100, 100]
