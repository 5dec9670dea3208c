"""Spans after OpenTelemetry's GenAI conventions, and their older forms (OpenLLMetry's numbered attributes, events)."""

import json

import pytest

from analysis.formats.attributes import tree
from analysis.formats.genai_spans import DETAILS, agent, call, is_call, tools
from analysis.model.session import Json, Usage

USER = {"role": "user", "content": "hi"}
SAID = {"role": "assistant", "content": "ho"}
PARTS = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "hi"}]}])
ANSWER = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "ho"}]}])
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ({"gen_ai.operation.name": "chat"}, True),
        ({"gen_ai.operation.name": "text_completion"}, True),
        ({"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 9}, False),
        ({"gen_ai.operation.name": "embeddings"}, False),
        ({"llm.request.type": "chat"}, True),
        ({"llm.request.type": "embedding"}, False),
        ({"gen_ai.operation.name": "execute_tool", "llm.request.type": "chat"}, False),
        ({"gen_ai.usage.input_tokens": 9}, False),
    ],
)
def test_only_chats_and_completions_are_calls(attributes: dict[str, Json], expected: bool) -> None:
    assert is_call(tree(attributes.items())) is expected


def test_an_agent_is_named() -> None:
    runs: dict[str, Json] = {"gen_ai.operation.name": "invoke_agent"}
    assert agent(tree({**runs, "gen_ai.agent.name": "planner"}.items()), "s") == "planner"
    assert agent(tree(runs.items()), "invoke_agent x") == "invoke_agent x"
    assert agent(tree({"gen_ai.operation.name": "chat", "gen_ai.agent.name": "planner"}.items()), "s") is None


@pytest.mark.parametrize(
    ("attributes", "events"),
    [
        pytest.param({"gen_ai.input.messages": PARTS, "gen_ai.output.messages": ANSWER}, [], id="attributes"),
        pytest.param(
            {}, [(DETAILS, {"gen_ai.input.messages": PARTS, "gen_ai.output.messages": ANSWER})], id="the event of now"
        ),
        pytest.param(
            {
                "gen_ai.prompt.0.role": "user",
                "gen_ai.prompt.0.content": "hi",
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.content": "ho",
            },
            [],
            id="numbered",
        ),
        pytest.param({"gen_ai.prompt": json.dumps([USER]), "gen_ai.completion": json.dumps([SAID])}, [], id="JSON"),
        pytest.param(
            {},
            [
                ("gen_ai.content.prompt", {"gen_ai.prompt": json.dumps([USER])}),
                ("gen_ai.content.completion", {"gen_ai.completion": json.dumps([SAID])}),
            ],
            id="JSON in events",
        ),
        pytest.param(
            {},
            [("gen_ai.user.message", {"content": "hi"}), ("gen_ai.choice", {"message": json.dumps(SAID)})],
            id="an event a message",
        ),
        pytest.param(
            {
                "events": json.dumps(
                    [{"event.name": "gen_ai.user.message", **USER}, {"event.name": "gen_ai.choice", "message": SAID}]
                )
            },
            [],
            id="events in an attribute",
        ),
    ],
)
def test_messages_are_found_where_any_version_puts_them(
    attributes: dict[str, Json], events: list[tuple[str, dict[str, Json]]]
) -> None:
    found = call(tree(attributes.items()), events)
    assert ([*found.messages], found.reply) == ([USER], SAID)


def test_instructions_stand_before_the_messages_once() -> None:
    attributes = {"gen_ai.input.messages": PARTS, "gen_ai.system_instructions": '[{"type": "text", "content": "s"}]'}
    assert [*call(tree(attributes.items())).messages] == [{"role": "system", "content": "s"}, USER]
    within = json.dumps([{"role": "system", "parts": [{"type": "text", "content": "own"}]}])
    (system,) = call(tree({**attributes, "gen_ai.input.messages": within}.items())).messages
    assert system["content"] == "own"
    assert call(tree({"gen_ai.system_instructions": "s"}.items())).messages == ()


@pytest.mark.parametrize(
    ("counts", "usage"),
    [
        ({"input_tokens": 100, "cache_read.input_tokens": 90}, Usage(100, 5, 90, "reported")),
        ({"input_tokens": 100, "cache_read_input_tokens": 0}, Usage(100, 5, 0, "reported")),
        ({"prompt_tokens": 100}, Usage(100, 5, None, "omitted")),
        ({"input_tokens": 100, "details.cache_read_tokens": 90}, Usage(100, 5, 90, "reported")),
        (
            {"input_tokens": 10, "cache_read_input_tokens": 90, "cache_creation_input_tokens": 4},
            Usage(104, 5, 90, "reported"),
        ),
        (
            {"input_tokens": 10, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 5000},
            Usage(5010, 5, 0, "reported"),
        ),
        ({"input_tokens": 100, "cache_read_input_tokens": 90, "total_tokens": 195}, Usage(190, 5, 90, "reported")),
        ({}, Usage(None, 5)),
    ],
)
def test_counts_by_any_of_their_names(counts: dict[str, Json], usage: Usage) -> None:
    attributes = {f"gen_ai.usage.{name}": number for name, number in counts.items()}
    assert call(tree({**attributes, "gen_ai.usage.output_tokens": 5}.items())).usage == usage


@pytest.mark.parametrize(
    "attributes",
    [
        {"gen_ai.tool.definitions": '[{"type": "function", "name": "f", "parameters": {"type": "object"}}]'},
        {"llm.request.functions.0.name": "f", "llm.request.functions.0.parameters": '{"type": "object"}'},
        {"model_request_parameters": {"function_tools": [{"name": "f", "parameters_json_schema": {"type": "object"}}]}},
        {"ai.prompt.tools": ['{"type": "function", "name": "f", "inputSchema": {"type": "object"}}']},
    ],
    ids=["now", "numbered", "Pydantic AI", "AI SDK"],
)
def test_tools_by_any_of_their_names(attributes: dict[str, Json]) -> None:
    assert [*tools(tree(attributes.items()))] == [TOOL]


def test_what_was_blacked_out_is_marked_and_the_server_is_named() -> None:
    attributes: dict[str, Json] = {
        "gen_ai.input.messages": '[{"role": "user", "parts": [{"type": "text"}]}]',
        "gen_ai.request.model": "lora",
        "gen_ai.response.model": "base",
        "gen_ai.response.id": "r1",
        "server.address": "h",
        "server.port": 8000,
        "gen_ai.openai.response.system_fingerprint": "vllm-0.32.0",
    }
    found = call(tree(attributes.items()))
    assert found.lacks == {"redacted"} and [*found.messages] == [{"role": "user", "content": None}]
    assert (found.model, found.request_id, found.replica, found.server_version) == (
        "lora",
        "r1",
        "h:8000",
        "vllm-0.32.0",
    )
