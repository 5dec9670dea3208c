"""What a template does to a history that did not change; the renderer here is the sample model's or a small one."""

from typing import Any

import pytest

from analysis.causes.comparison import Suspect
from analysis.causes.template import knobs, message_index, with_knob
from analysis.model.finding import Cause
from analysis.model.session import Request, Session, Turn
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from analysis.render.template import TemplateRenderer
from tests.builders import assistant, user
from tests.visible_cases import causes_of

SYSTEM: dict[str, Any] = {"role": "system", "content": "Be brief, and answer with care."}


def last_causes(renderer: TemplateRenderer, *requests: list[dict[str, Any]], **kwargs: Any) -> tuple[Cause, ...]:
    """The causes of the last of some turns with the sample model."""
    turns = [
        Turn(number, number, f"r{number}", Request("chat", "m", tuple(messages), template_kwargs=kwargs))
        for number, messages in enumerate(requests, 1)
    ]
    (found,) = analyse([Session("s", "f", "f", "t", tuple(turns))], lambda _model: renderer, Settings())
    return found.turns[-1].causes


def codes(renderer: TemplateRenderer, *requests: list[dict[str, Any]], **kwargs: Any) -> list[tuple[str, str, str]]:
    """The same as codes, fields and fixes."""
    return [(one.code, one.segment or "", one.fix) for one in last_causes(renderer, *requests, **kwargs)]


CALL = assistant("", "first look", path="a")
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "r"}
THEN = [SYSTEM, user("a"), CALL, RESULT]
NOW = [*THEN, assistant("done", "enough"), user("b")]


def test_stripped_reasoning_names_the_knob_that_was_seen_to_cure_it(sample_renderer: TemplateRenderer) -> None:
    ((code, path, fix),) = codes(sample_renderer, THEN, NOW)
    assert (code, path) == ("template/reasoning-stripped", "messages[2].reasoning")
    assert fix == 'Send chat_template_kwargs: {"preserve_reasoning": true}.'
    assert codes(sample_renderer, THEN, NOW, preserve_reasoning=True) == []


@pytest.mark.parametrize(
    ("num_later", "words"),
    [
        pytest.param(0, "no longer printed:", id="none"),
        pytest.param(1, "no longer printed, and that of 1 later message:", id="one"),
        pytest.param(2, "no longer printed, and that of 2 later messages:", id="two"),
    ],
)
def test_later_reasoning_that_went_with_it_is_counted(
    sample_renderer: TemplateRenderer, num_later: int, words: str
) -> None:
    then = [
        *THEN,
        *(one for number in range(num_later) for one in (assistant("", f"again {number}", path="b"), RESULT)),
    ]
    (cause,) = last_causes(sample_renderer, then, [*then, assistant("done", "enough"), user("b")])
    assert words in cause.evidence


def test_the_client_that_dropped_it_is_named_first(sample_renderer: TemplateRenderer) -> None:
    silent = [one if one is not CALL else assistant("", path="a") for one in [*THEN, assistant("x", path="b"), RESULT]]
    found = codes(sample_renderer, THEN, silent)
    assert [code for code, _path, _fix in found] == ["client/reasoning-dropped"]


def test_a_template_that_strips_anyway_is_not_the_clients(sample_renderer: TemplateRenderer) -> None:
    """With the reasoning back in the request the template would still not print it."""
    dropped = [one if one is not CALL else assistant("", path="a") for one in NOW]
    ((code, path, _fix),) = codes(sample_renderer, THEN, dropped)
    assert (code, path) == ("template/reasoning-stripped", "messages[2].reasoning")


def test_the_start_of_a_reply_that_the_history_does_not_print(sample_renderer: TemplateRenderer) -> None:
    then, now = [SYSTEM, user("a")], [SYSTEM, user("a"), assistant("hello"), user("b")]
    ((code, path, _fix),) = codes(sample_renderer, then, now, enable_thinking=False)
    assert (code, path) == ("template/generation-prompt-asymmetry", "messages[2]")
    assert codes(sample_renderer, then, now) == []


def test_a_reply_that_is_left_out_is_no_fault_of_the_template(sample_renderer: TemplateRenderer) -> None:
    ((code, path, _fix),) = codes(sample_renderer, [SYSTEM, user("a")], [SYSTEM, user("a"), user("b")])
    assert (code, path) == ("client/history-edited", "messages[2]")


def test_a_late_system_message_that_is_printed_first() -> None:
    then = [SYSTEM, user("a")]
    now = [*then, assistant("b"), {"role": "system", "content": "Rules changed."}, user("c")]
    assert causes_of("system_hoisted", {"messages": then}, {"messages": now}) == [
        ("template/system-hoisted", "messages[3].content")
    ]
    plain = [SYSTEM, user("a"), assistant("b"), user("c")]
    assert causes_of("system_hoisted", {"messages": then}, {"messages": plain}) == []


def test_two_equal_user_messages_are_no_relocation() -> None:
    """Tools before the last user message, and the last two say the same."""
    tools = [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}]
    then, now = [SYSTEM, user("go")], [SYSTEM, user("go"), assistant("b"), user("go")]
    assert (
        causes_of("tools_before_last_user", {"messages": then, "tools": tools}, {"messages": now, "tools": tools}) == []
    )


@pytest.mark.parametrize(
    ("names", "kwargs", "tried"),
    [
        ({"preserve_thinking", "messages"}, {}, [{"preserve_thinking": True}]),
        ({"clear_thinking"}, {"clear_thinking": False}, []),
        ({"keep_past_thoughts"}, {}, [{"keep_past_thoughts": True}, {"keep_past_thoughts": False}]),
        ({"enable_thinking", "reasoning_effort", "tools"}, {}, []),
        (set(), {}, []),
    ],
)
def test_knobs(names: set[str], kwargs: Any, tried: list[Any]) -> None:
    assert knobs(frozenset(names), kwargs) == tried


def test_small_things() -> None:
    assert message_index("messages[12].content") == 12 and message_index("tools[1]") is None
    cured = with_knob(Suspect("template/x", "p", "e", "f"), {"clear_thinking": False})
    assert cured.fix == 'Send chat_template_kwargs: {"clear_thinking": false}.' and cured.knob == {
        "clear_thinking": False
    }
