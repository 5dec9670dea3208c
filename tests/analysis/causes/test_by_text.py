"""Causes told by text: what a request changed, never more than likely, never with tokens."""

from typing import Any

import pytest

from analysis.causes import CHANGES
from analysis.causes.by_text import by_text, is_in_reply
from analysis.causes.request_text import compared, texts
from analysis.causes.unrendered import APPROXIMATE
from analysis.model.finding import Cause
from analysis.model.session import JsonObject
from tests.builders import assistant, user
from tests.visible_cases import CASES, analysed, beside

SYSTEM: dict[str, Any] = {"role": "system", "content": "Be brief. It is 10:21."}
LATER = {**SYSTEM, "content": "Be brief. It is 10:22."}
OLD = [SYSTEM, user("a"), assistant("", "why", path="a"), user("b")]
TOOLS = tuple({"type": "function", "function": {"name": name}} for name in "ab")

TOLD = {  # what the requests of known reports show; what a template or a server did shows in tokens only
    "02-opencode-date-midnight": "likely",
    "03-goose-timestamp-seconds": "likely",
    "07-git-status-in-system": "likely",
    "09-effort-line-at-head": "possible",
    "10-system-message-appears-later": "likely",
    "11-codex-mcp-tool-order": "likely",
    "12-ollama-tool-property-order": "possible",
    "14-final-turn-without-tools": "likely",
    "24-kimi-k2-id-rewrite": "possible",
    "29-reasoning-not-echoed": "possible",
    "30-interleaved-reasoning-merged": "possible",
    "35-pruned-tool-output": "likely",
    "36-image-evicted": "likely",
    "38-compaction": "likely",
    "39-regenerate-edit-branch": "likely",
    "40-whitespace-trim-by-parser": "likely",
}


def causes(
    old: list[JsonObject], new: list[JsonObject], reply: JsonObject | None = None, **both: Any
) -> tuple[Cause, ...]:
    comparison = beside(old, new, reply, **both)  # type: ignore[arg-type]
    sides = texts(comparison.then.request, reply, {}), texts(comparison.now.request, None, {})
    return by_text(comparison, compared(1, *sides).divergence, CHANGES)


def codes(found: tuple[Cause, ...]) -> list[tuple[str, str, bool]]:
    return [(one.code, one.confidence, one.hidden) for one in found]


@pytest.mark.parametrize("name", CASES)
def test_known_reports_by_text(name: str) -> None:
    found = analysed(CASES[name], None).turns[-1]
    assert found.full_ids is None and found.account is None and found.text is not None
    expected = {CASES[name]["expected"]["cause"]: TOLD[name]} if name in TOLD else {}
    told = {one.code: one.confidence for one in found.causes}
    assert expected.items() <= told.items() and (expected or not told)
    assert all(one.tokens is None and one.recovers is None for one in found.causes)
    assert "certain" not in told.values()


def test_changes_stand_in_the_order_of_most_prompts_and_say_what_they_rest_on() -> None:
    found = causes(OLD, [LATER, user("A!"), *OLD[2:], user("c")], tools=(TOOLS, TOOLS[::-1]))
    assert codes(found) == [
        ("volatile-head/client-timestamp", "likely", False),
        ("tools/order", "likely", True),
        ("client/history-edited", "likely", True),
    ]
    assert all(one.evidence.startswith(APPROXIMATE) for one in found)


def test_what_stands_before_the_difference_is_passed_over() -> None:
    spaced = [*OLD[:2], assistant("", "why", path="a"), user("b")]
    call = spaced[2]["tool_calls"][0]  # type: ignore[index]
    rewritten = {**spaced[2], "tool_calls": [{**call, "function": {"name": "look", "arguments": '{"path":"a"}'}}]}
    assert causes(OLD, [*OLD[:2], rewritten, user("b"), user("c")]) == ()
    found = causes(OLD, [*OLD[:2], rewritten, user("b!"), user("c")])
    assert [one.code for one in found] == ["client/history-edited"]


def test_an_option_of_the_template_is_said_without_a_difference() -> None:
    found = causes(OLD, [*OLD, user("c")], template_kwargs=({}, {"effort": "high"}))
    assert codes(found) == [("volatile-head/template-kwarg", "possible", False)]


def test_a_reply_that_was_left_out() -> None:
    (found,) = causes(OLD, [*OLD, user("c")], reply=assistant("yes"))
    assert (found.code, found.confidence, found.segment) == ("client/history-edited", "likely", "messages[4]")
    assert found.evidence == f"{APPROXIMATE}the text of the reply does not stand behind the messages it answered"
    (called,) = causes(OLD, [*OLD, user("c")], reply=assistant("", path="b"))
    assert called.evidence.endswith("the tool calls of the reply do not stand behind the messages it answered")


def test_a_difference_without_a_known_change_is_unexplained() -> None:
    (found,) = causes([user("a"), {"role": "tool", "content": "x"}], [user("a"), {"role": "critic", "content": "x"}])
    assert (found.code, found.confidence) == ("unexplained", "possible")
    assert "part in messages[1].content at character 0" in found.evidence


def test_nothing_changed_is_no_cause() -> None:
    assert causes(OLD, [*OLD, assistant("x"), user("c")], reply=assistant("x")) == ()


@pytest.mark.parametrize(
    ("sent_back", "in_reply", "told"),
    [
        pytest.param([assistant("yes!"), user("c")], True, [], id="in another form"),
        pytest.param([user("c")], False, ["client/history-edited"], id="left out"),
    ],
)
def test_a_reply_in_another_form_is_no_edited_history(
    sent_back: list[JsonObject], in_reply: bool, told: list[str]
) -> None:
    comparison = beside(OLD, [*OLD, *sent_back], assistant("yes"))
    found = compared(1, texts(comparison.then.request, assistant("yes"), {}), texts(comparison.now.request, None, {}))
    assert found.divergence is not None and is_in_reply(comparison, found.divergence) is in_reply
    assert [one.code for one in by_text(comparison, found.divergence, CHANGES)] == told
