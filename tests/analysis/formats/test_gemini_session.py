"""The messages of a session as a tree, after all that later records did to them."""

import pytest

from analysis.formats.gemini_session import Session
from analysis.model.session import Json, JsonObject


def message(own: str, kind: str = "user", content: Json = "x", **said: Json) -> JsonObject:
    return {"id": own, "type": kind, "content": content, **said}


def session(*records: JsonObject) -> Session:
    made = Session()
    for line, record in enumerate(records, 1):
        made.add(record, line)
    return made


A, B, C = (message(own) for own in "abc")


@pytest.mark.parametrize(
    ("records", "parents"),
    [
        pytest.param([A, B, C], {"a": None, "b": "a", "c": "b"}, id="in a row"),
        pytest.param([{"messages": [A, B]}], {"a": None, "b": "a"}, id="in one object"),
        pytest.param([A, B, A, C], {"a": None, "b": "a", "c": "b"}, id="an update is no message"),
        pytest.param([A, message("i", "info"), B], {"a": None, "b": "a"}, id="what is never sent"),
        pytest.param([A, B, {"$rewindTo": "b"}, C], {"a": None, "b": "a", "c": "a"}, id="rewound"),
        pytest.param([A, B, {"$rewindTo": "z"}, C], {"a": None, "b": "a", "c": None}, id="rewound to nowhere: all"),
        pytest.param([A, {"$set": {"lastUpdated": "t"}}, B], {"a": None, "b": "a"}, id="an update of the session"),
        pytest.param([A, {"$set": {"messages": [B]}}, C], {"a": None, "b": None, "c": "b"}, id="rewritten"),
        pytest.param([A, {"$set": {"messages": [A]}}, C], {"a": None, "a'": None, "c": "a'"}, id="rewritten alike"),
        pytest.param([A, B, {"$rewindTo": "b"}, B], {"a": None, "b": "a", "b'": "a"}, id="rewound and written again"),
    ],
)
def test_parents(records: list[JsonObject], parents: dict[str, str | None]) -> None:
    assert {name: node.parent for name, node in session(*records).nodes.items()} == parents


def test_an_update_is_what_counts_and_the_first_line_stays() -> None:
    made = session(message("g", "gemini", "a"), message("g", "gemini", "ab", tokens={"input": 1}))
    assert (made.messages["g"].line, made.messages["g"].said["content"]) == (1, "ab")
    assert made.nodes["g"].call == "g"


def test_what_is_known_of_the_session() -> None:
    made = session({"sessionId": "s", "projectHash": "h", "kind": "subagent"}, {"$set": {"kind": None}})
    assert (made.key, made.kind, made.strand) == ("s", "subagent", "agent s")
    assert session({"sessionId": "s", "kind": "main"}).strand is None


@pytest.mark.parametrize(
    ("stamps", "expected"),
    [
        ([None], None),
        (["2026-01-01T00:00:01Z"], 1767225601.0),
        (["2026-01-01T00:00:01Z", "2026-01-01T00:00:09Z"], 1767225609.0),
    ],
    ids=["no time", "written", "its tool returned"],
)
def test_times(stamps: list[str | None], expected: float | None) -> None:
    tools: Json = [{"timestamp": stamp} for stamp in stamps[1:]]
    assert session(message("g", "gemini", timestamp=stamps[0], toolCalls=tools)).messages["g"].at == expected


def written(*records: JsonObject) -> list[tuple[object, object]]:
    made = session(*records)
    return [(one["role"], one["content"]) for one in made.written([*made.nodes.values()])]


def result(own: str | None) -> Json:
    return [{"functionResponse": {"id": own, "response": {"output": f"of {own}"}}}]


@pytest.mark.parametrize(
    ("records", "expected"),
    [
        pytest.param([A], [("user", "x")], id="a user"),
        pytest.param([message("r", "user", result("t"))], [], id="results alone stand with their calls"),
        pytest.param(
            [message("g", "gemini", "a", tokens={"input": 1}), message("h", "gemini", "b", model="m")],
            [("assistant", "ab")],
            id="a reply in two pieces",
        ),
        pytest.param(
            [message("g", "gemini", "a", toolCalls=[{"id": "t", "result": result("t")}])],
            [("assistant", "a"), ("tool", "of t")],
            id="with what its tool returned",
        ),
        pytest.param(
            [message("g", "gemini", "a", toolCalls=[{"id": "t", "result": None}])],
            [("assistant", "a")],
            id="a tool that returned nothing",
        ),
        pytest.param(
            [message("g", "gemini", "a", toolCalls=[{"name": "ls", "result": result(None)}])],
            [("assistant", "a"), ("tool", "of None")],
            id="a tool without an id",
        ),
    ],
)
def test_written(records: list[JsonObject], expected: list[tuple[str, str]]) -> None:
    assert written(*records) == expected
