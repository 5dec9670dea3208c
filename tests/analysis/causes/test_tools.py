"""Tools by name: each way in which they differ, and what a template does not print."""

from typing import Any

import pytest

from analysis.causes.tools import changes, name_of
from tests.builders import assistant, user
from tests.visible_cases import beside, causes_of, told


def tool(name: str, description: str = "Looks.", *fields: str) -> dict[str, Any]:
    properties = {field: {"type": "string"} for field in fields or ("a", "b")}
    parameters = {"type": "object", "properties": properties}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


A, B, C = tool("a"), tool("b"), tool("c")


@pytest.mark.parametrize(
    ("then", "now", "found"),
    [
        pytest.param((A, B), (A, B), [], id="the same"),
        pytest.param((A, B), (B, A), [("order", 0)], id="permuted"),
        pytest.param((A, C), (A, B, C), [("set-changed", 1)], id="added"),
        pytest.param((A, B, C), (A, C), [("set-changed", 1)], id="removed"),
        pytest.param((A, B), (), [("set-changed", 0)], id="all removed"),
        pytest.param((A, B), (A, tool("b", "Finds.")), [("description-changed", 1)], id="described anew"),
        pytest.param((A, B), (A, tool("b", "Looks.", "b", "a")), [("schema-key-order", 1)], id="keys permuted"),
        pytest.param((A, B, C), (B, A), [("order", 0), ("set-changed", 2)], id="permuted and removed"),
        pytest.param(
            (A, B), (tool("b", "Finds."), A), [("order", 0), ("description-changed", 0)], id="and described anew"
        ),
        pytest.param((A, {**B, "x": 1}), (A, B), [], id="a key that the server drops"),
    ],
)
def test_tools(then: tuple[Any, ...], now: tuple[Any, ...], found: list[tuple[str, int]]) -> None:
    said = told(changes(beside([user("q")], [user("q")], tools=(then, now))))
    assert said == [(f"tools/{code}", f"tools[{index}]") for code, index in found]


def test_a_time_in_a_description_is_a_time() -> None:
    tools = ((tool("a", "Looks. It is 10:21."),), (tool("a", "Looks. It is 10:22."),))
    (found,) = changes(beside([user("q")], [user("q")], tools=tools))
    assert (found.code, found.path) == ("volatile-head/client-timestamp", "tools[0]")


SYSTEM: dict[str, Any] = {"role": "system", "content": "Be brief."}


def turns(*tools: list[dict[str, Any]]) -> tuple[dict[str, Any], dict[str, Any]]:
    then, now = tools
    grown = [SYSTEM, user("q"), assistant("r"), user("s")]
    return {"messages": grown[:2], "tools": then}, {"messages": grown, "tools": now}


def test_keys_that_a_template_reads_by_name_are_no_cause() -> None:
    """Only the properties are printed one after the other: the order of the other keys does not show."""
    swapped = {"function": dict(reversed(A["function"].items())), "type": "function"}
    swapped["function"]["parameters"] = dict(reversed(A["function"]["parameters"].items()))
    assert causes_of("tools_as_xml", *turns([A, B], [swapped, B])) == []
    assert causes_of("ids_before_results", *turns([A, B], [swapped, B])) == [("tools/schema-key-order", "tools[0]")]


def test_several_ways_are_all_named_in_the_order_of_the_tokens() -> None:
    found = causes_of("ids_before_results", *turns([A, B, C], [A, C, tool("b", "Finds.")]))
    assert found == [("tools/order", "tools[1]"), ("tools/description-changed", "tools[2]")]


def test_a_tool_is_named_by_its_function() -> None:
    assert name_of(A) == "a" and name_of({"name": "x"}) == "x"
