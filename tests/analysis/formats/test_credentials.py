"""Keys in addresses and tools end where a log is read."""

import json

import pytest

from analysis.formats.credentials import as_replica, server_of, without_credentials
from analysis.model.session import JsonObject
from tests.builders import read_log
from tests.format_samples import turns


@pytest.mark.parametrize(
    ("address", "server"),
    [
        ("http://user:pw@gpu7:8000/v1?api-key=K#x", "http://gpu7:8000"),
        ("https://api.example/v1/chat", "https://api.example"),
        ("/v1/chat", None),
        ("http://[::1", None),
        ("http://gpu7:port", None),
        ("", None),
    ],
)
def test_the_server_of_an_address(address: str, server: str | None) -> None:
    assert server_of(address) == server


@pytest.mark.parametrize(
    ("name", "shown"), [(None, None), ("rank 3", "rank 3"), ("http://u:p@h:1/x?k=v", "http://h:1"), ("a://", None)]
)
def test_a_replica_is_named_without_credentials(name: str | None, shown: str | None) -> None:
    assert as_replica(name) == shown


FUNCTION: JsonObject = {"type": "function", "function": {"name": "f", "parameters": {"authorization": {}}}}
CUSTOM: JsonObject = {"name": "f", "input_schema": {"properties": {"headers": {}}}}


@pytest.mark.parametrize("tool", [FUNCTION, CUSTOM, {"type": "web_search"}], ids=["function", "custom", "built in"])
def test_other_tools_stay_the_same_object(tool: JsonObject) -> None:
    assert without_credentials(tool) is tool


MCP = {
    "type": "mcp",
    "server_label": "crm",
    "server_url": "https://u:SECRET-1@crm.example/sse?token=SECRET-2",
    "authorization": "SECRET-3",
    "headers": {"Authorization": "Bearer SECRET-4"},
}


def test_a_tool_that_the_server_calls_keeps_its_name_and_loses_its_keys() -> None:
    assert without_credentials(MCP) == {"type": "mcp", "server_label": "crm", "server_url": "https://crm.example"}


@pytest.mark.parametrize(
    "record",
    [
        pytest.param({"request": {"model": "m", "input": "hi", "instructions": "s", "tools": [MCP]}}, id="responses"),
        pytest.param(
            {"request": {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [MCP]}}, id="chat"
        ),
        pytest.param(
            {
                "call_type": "acompletion",
                "model": "m",
                "messages": [{"role": "user", "content": "hi"}],
                "model_parameters": {"tools": [MCP]},
                "api_base": "http://u:SECRET-5@gpu7:8000/v1?api-key=SECRET-6",
            },
            id="litellm",
        ),
        pytest.param(
            {
                "server": {"base": "http://u:SECRET-5@gpu7:8000"},
                "request": {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
            },
            id="the server of a pair",
        ),
    ],
)
def test_no_key_leaves_a_parser(record: JsonObject) -> None:
    log = read_log(json.dumps(record).encode(), "f", "f")
    assert [*turns(log)] and "SECRET" not in repr(log)
