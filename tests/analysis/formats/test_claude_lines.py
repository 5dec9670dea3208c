"""The lines of a session as a tree: ids, parents, strands, and what a compaction keeps."""

from collections.abc import Iterator

import pytest

from analysis.formats.base import Problems
from analysis.formats.claude_lines import Transcript, key
from analysis.model.session import Json, JsonObject

USER: JsonObject = {"type": "user", "message": {"role": "user", "content": "hi"}}


def transcript(*lines: JsonObject) -> tuple[Transcript, list[str]]:
    made, problems = Transcript("s"), Problems("f")
    for number, line in enumerate(lines, 1):
        made.add(line, "f", number, problems)
    return made, [problem.message for problem in problems.listed()]


def reply(uuid: str, parent: str | None, message_id: str | None = None, **said: Json) -> JsonObject:
    message: JsonObject = {"id": message_id, "model": "m", "content": [{"type": "text", "text": uuid}]}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, **said}


def user(uuid: str, parent: str | None = None, **said: Json) -> JsonObject:
    return {**USER, "uuid": uuid, "parentUuid": parent, **said}


@pytest.mark.parametrize(
    ("value", "expected"),
    [("a-1", "a-1"), ("[trimmed for fixture]", None), ("", None), (None, None), (7, "7"), ({}, None)],
)
def test_a_placeholder_is_no_key(value: Json, expected: str | None) -> None:
    assert key(value) == expected


@pytest.mark.parametrize(
    ("lines", "calls"),
    [
        pytest.param([reply("a", None, "m1"), reply("b", "a", "m1")], ["m1", "m1"], id="by message id"),
        pytest.param([reply("a", None), reply("b", "a")], ["a", "a"], id="without: by the reply before it"),
        pytest.param([reply("a", None), user("u", "a"), reply("b", "u")], ["a", None, "b"], id="not over a user"),
        pytest.param([reply("a", None, "m1"), reply("b", "a")], ["m1", "b"], id="an id and none are two"),
        pytest.param([reply("a", None, "[trimmed for fixture]")], ["a"], id="a placeholder is none"),
        pytest.param([reply("a", None, "m1", isApiErrorMessage=True)], [None], id="failed"),
        pytest.param([reply("a", None, "m1", forkedFrom={"sessionId": "t"})], [None], id="copied"),
        pytest.param(
            [{**user("a"), "type": "assistant", "message": {"model": "<synthetic>", "content": []}}],
            [None],
            id="written by the client",
        ),
        pytest.param([{"type": "progress", "uuid": "p"}], [None], id="no message"),
        pytest.param([reply("a", None, "m1"), reply("a", None, "m1")], ["m1"], id="written twice"),
    ],
)
def test_calls(lines: list[JsonObject], calls: list[str | None]) -> None:
    assert [node.call for node in transcript(*lines)[0].nodes.values()] == calls


def parents(*lines: JsonObject) -> Iterator[tuple[str | None, bool]]:
    return ((node.parent, node.cut) for node in transcript(*lines)[0].nodes.values())


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param([user("a"), user("b", "a")], [(None, False), ("a", False)], id="as it says"),
        pytest.param([user("a"), {**USER, "uuid": "b"}], [(None, False), ("a", False)], id="says nothing: the last"),
        pytest.param([user("a"), user("b", "x")], [(None, False), ("a", True)], id="lost: the last, and cut"),
        pytest.param([user("a", "x")], [(None, True)], id="lost, and none before it"),
        pytest.param(
            [user("a"), user("b", "a", isCompactSummary=True)], [(None, False), (None, False)], id="a summary begins"
        ),
        pytest.param(
            [user("a", isSidechain=True), user("b"), {**USER, "uuid": "c", "isSidechain": True}],
            [(None, False), (None, False), ("a", False)],
            id="says nothing: the last of its strand",
        ),
    ],
)
def test_parents(lines: list[JsonObject], expected: list[tuple[str | None, bool]]) -> None:
    assert list(parents(*lines)) == expected


def kept(anchor: str, **listed: Json) -> JsonObject:
    compaction: JsonObject = {
        "preservedSegment": {"headUuid": "b", "anchorUuid": anchor, "tailUuid": "c"},
        "preservedMessages": listed,
    }
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "x",
        "parentUuid": None,
        "compactMetadata": compaction,
    }


BEFORE = [user("a"), user("b", "a"), user("c", "b")]


@pytest.mark.parametrize(
    ("lines", "expected", "moved"),
    [
        pytest.param(
            [*BEFORE, kept("s"), user("s", "x", isCompactSummary=True), user("d", "s"), user("e", "c")],
            {"s": None, "d": "c", "e": "c"},
            ("b", "s"),
            id="behind the summary",
        ),
        pytest.param(
            [*BEFORE, kept("x"), user("s", "x", isCompactSummary=True), user("d", "s")],
            {"s": "c", "d": "s"},
            ("b", "x"),
            id="before the summary",
        ),
        pytest.param(
            [
                *BEFORE[:2],
                kept("s", anchorUuid="s", uuids=["b", "c"]),
                user("s", "x", isCompactSummary=True),
                user("c", "s"),
            ],
            {"s": None, "c": "b"},
            ("b", "s"),
            id="written behind the summary",
        ),
    ],
)
def test_what_a_compaction_keeps(
    lines: list[JsonObject], expected: dict[str, str | None], moved: tuple[str, str]
) -> None:
    made, problems = transcript(*lines)
    assert {name: made.nodes[name].parent for name in expected} == expected and not problems
    assert [(one.name, one.parent) for one in made.moved] == [moved]
    assert made.nodes["c"].place < made.moved[0].place


@pytest.mark.parametrize(
    ("lines", "strands"),
    [
        pytest.param([user("a"), user("b", "a", isSidechain=False)], [None, None], id="the session"),
        pytest.param([user("a", isSidechain=True, agentId="7")], ["agent 7"], id="an agent"),
        pytest.param(
            [user("a", isSidechain=True), user("b", isSidechain=True), user("c", "a", isSidechain=True)],
            ["side-chain-1", "side-chain-2", "side-chain-1"],
            id="without an id, by where they begin",
        ),
        pytest.param([user("a", agentId="7")], [None], id="an agent's id on a line of the session"),
    ],
)
def test_strands(lines: list[JsonObject], strands: list[str | None]) -> None:
    assert [node.strand for node in transcript(*lines)[0].nodes.values()] == strands


def test_what_stands_in_a_row_is_one_message() -> None:
    result: Json = [{"type": "tool_result", "tool_use_id": "t", "content": "r"}]
    made, _ = transcript(
        user("a"), user("b", "a", message={"content": result}), reply("c", "b", "m"), reply("d", "c", "m")
    )
    assert made.written([*made.nodes.values()]) == (
        {"role": "tool", "tool_call_id": "t", "content": "r"},
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}]},
    )
    assert made.nodes["b"].answers == {"t"} and made.files == "f"


@pytest.mark.parametrize(
    ("names", "expected"), [("a", "a"), ("aab", "a + b"), ("abc", "a + 2 more")], ids=["one", "two", "many"]
)
def test_files(names: str, expected: str) -> None:
    made = Transcript("s")
    for number, name in enumerate(names):
        made.add(user(str(number)), name, 1, Problems(name))
    assert made.files == expected


def test_problems_and_retractions() -> None:
    made, problems = transcript(
        user("a", "lost"), {**USER, "uuid": "[trimmed]"}, reply("b", "a", isApiErrorMessage=True), {"type": "mode"}
    )
    assert [message.partition(":")[0].partition(" and counts")[0] for message in problems] == [
        "the line that this one continues is not in the log",
        "a message without an id of its own",
        "the call failed",
    ]
    made, _ = transcript({"type": "system", "retractedMessageUuids": ["a", 7]}, reply("b", None, supersedesUuids=["c"]))
    assert made.retracted == {"a", "c"}
