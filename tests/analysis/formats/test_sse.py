"""Streams fold into the response that the same request gets unstreamed."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.formats import sse
from analysis.formats.bodies import response
from analysis.model.session import Json
from tests.builders import SAMPLES, lines_of

STREAMED = [path for path in SAMPLES if path.stem[:2] in ("04", "05", "13")]


def stream(*chunks: dict[str, Any]) -> str:
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"


def delta(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": fields}]}


@pytest.mark.parametrize("path", STREAMED, ids=lambda path: path.stem)
def test_recorded_streams(path: Path) -> None:
    streamed = [line for line in lines_of(path) if "response_sse" in line]
    assert streamed
    for line in streamed:
        folded: Any = sse.fold(line["response_sse"])
        whole = line["response"]
        assert folded is not None
        for key in ("id", "model", "created", "usage", "prompt_token_ids", "system_fingerprint"):
            assert folded.get(key) == whole[key], key
        (choice,), (expected,) = folded["choices"], whole["choices"]
        for key in ("finish_reason", "token_ids"):
            assert choice[key] == expected[key], key
        assert {key: value for key, value in choice["message"].items() if value is not None} == expected["message"]


def test_text_reasoning_and_calls_are_joined() -> None:
    folded = sse.fold(
        stream(
            delta(role="assistant", content=""),
            delta(reasoning="h"),
            delta(reasoning="m"),
            delta(content="a"),
            delta(content="b"),
            delta(tool_calls=[{"index": 0, "id": "c1", "type": "function", "function": {"name": "f"}}]),
            delta(tool_calls=[{"index": 0, "function": {"arguments": '{"a":'}}]),
            delta(tool_calls=[{"index": 0, "function": {"arguments": "1}"}}]),
            delta(tool_calls=[{"index": 1, "id": "c2", "function": {"name": "g", "arguments": "{}"}}]),
            {"choices": [], "usage": {"prompt_tokens": 3}},
        )
    )
    assert folded == {
        "usage": {"prompt_tokens": 3},
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "ab",
                    "reasoning": "hm",
                    "tool_calls": [
                        {"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}},
                        {"id": "c2", "type": "function", "function": {"name": "g", "arguments": "{}"}},
                    ],
                },
            }
        ],
    }


def test_completion_text_and_ids_are_joined() -> None:
    chunks = [{"choices": [{"index": 0, "text": text, "token_ids": [ord(text)]}]} for text in "ab"]
    assert sse.fold(stream(*chunks)) == {"choices": [{"index": 0, "text": "ab", "token_ids": [97, 98]}]}


def test_what_was_folded_before_is_extended_and_not_copied() -> None:
    """A copy a chunk makes a long answer with its ids take time that grows with its square."""
    target: dict[str, Json] = {}
    sse.append_text(target, "text", "a")
    sse._append_list(target, "ids", [1])
    held = (target["text"], target["ids"])
    for _ in range(3):
        sse.append_text(target, "text", "b")
        sse._append_list(target, "ids", [2, 3])
    assert target["text"] is held[0] and target["ids"] is held[1]
    sse.join_text(target)
    assert target == {"text": "abbb", "ids": [1, 2, 3, 2, 3, 2, 3]}


def test_chunks_stay_as_they_were() -> None:
    calls = [{"id": "c", "function": {"name": "f", "arguments": "{"}}]
    chunks = [
        {"choices": [{"message": {"content": "a", "tool_calls": calls}, "token_ids": [1]}]},
        {"choices": [{"delta": {"content": "b", "tool_calls": [{"index": 0, "function": {"arguments": "}"}}]}}]},
        {"choices": [{"token_ids": [2]}]},
    ]
    before = json.dumps(chunks)
    first, again = sse.fold_chunks(chunks), sse.fold_chunks(chunks)
    assert first == again and json.dumps(chunks) == before
    (choice,) = json.loads(json.dumps(first))["choices"]
    assert choice["token_ids"] == [1, 2] and choice["message"]["content"] == "ab"
    assert choice["message"]["tool_calls"] == [{"id": "c", "function": {"name": "f", "arguments": "{}"}}]


def test_choices_are_kept_apart() -> None:
    folded = sse.fold_chunks([{"choices": [{"index": index, "text": text}]} for index, text in [(1, "x"), (0, "y")]])
    assert folded == {"choices": [{"index": 0, "text": "y"}, {"index": 1, "text": "x"}]}


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        pytest.param("", None, id="empty"),
        pytest.param("data: [DONE]\n", None, id="only the end"),
        pytest.param("hello\n", None, id="no stream"),
        pytest.param('data: {"id": "x"\n', None, id="cut in a chunk"),
        pytest.param(': ping\n\nevent: x\ndata:{"id":"x"}\r\n', {"id": "x", "choices": []}, id="comments and events"),
        pytest.param(
            'data: {"id": "a\u2028b\x85"}\n', {"id": "a\u2028b\x85", "choices": []}, id="only CR and LF end a line"
        ),
        pytest.param('data: {"id": "x"}\rdata: {"n": 1}', {"id": "x", "n": 1, "choices": []}, id="CR ends a line"),
        pytest.param('data: 5\ndata: {"id": "x"}\n', {"id": "x", "choices": []}, id="what is no object is left out"),
    ],
)
def test_odd_streams(text: str, folded: dict[str, Any] | None) -> None:
    assert sse.fold(text) == folded


@pytest.mark.parametrize(
    "chunk",
    [
        {"choices": 5},
        {"choices": [5]},
        {"choices": [{"index": "a", "delta": 5}]},
        delta(tool_calls=5),
        delta(tool_calls=[{"index": -3, "function": 5}]),
        delta(tool_calls=[{"index": 9, "function": {"arguments": 5}}]),
        delta(tool_calls=[5, None, "x", {"function": None}]),
        delta(tool_calls=[{"index": 10**30}, {"index": True}]),
        {"choices": [{"message": 5}]},
        {"choices": [{"message": {"tool_calls": 5}, "delta": {"tool_calls": [{"index": 0}]}}]},
        {"choices": [{"message": {"tool_calls": [{"function": 5}]}, "delta": {"tool_calls": [{"index": 0}]}}]},
        {"choices": [{"message": {"content": 5}, "text": 5, "token_ids": 5}]},
    ],
    ids=str,
)
def test_damaged_chunks_do_not_stop_the_fold(chunk: dict[str, Any]) -> None:
    folded = sse.fold_chunks([chunk, delta(content="a")])
    assert folded["choices"]


def test_a_call_that_stands_in_the_message_is_continued() -> None:
    whole = {"choices": [{"message": {"tool_calls": [{"id": "c", "function": {"name": "f", "arguments": "{"}}]}}]}
    folded: Any = sse.fold_chunks([whole, delta(tool_calls=[{"index": 0, "function": {"arguments": "}"}}])])
    (call,) = folded["choices"][0]["message"]["tool_calls"]
    assert call == {"id": "c", "function": {"name": "f", "arguments": "{}"}}


TOP = ("choices", "usage", "error", "id")
PART = ("index", "delta", "message", "text", "token_ids")
MESSAGE = ("role", "content", "tool_calls", "function", "name", "arguments")
KEYS = st.sampled_from((*TOP, *PART, *MESSAGE))
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
VALUES: st.SearchStrategy[Json] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
PARTS = st.dictionaries(KEYS, VALUES, max_size=5)
CHUNKS = st.lists(st.fixed_dictionaries({"choices": st.lists(PARTS, max_size=2) | VALUES}), max_size=4)


@pytest.mark.slow
@given(chunks=CHUNKS)
def test_any_chunks_fold_and_the_fold_reads_as_a_response(chunks: list[dict[str, Json]]) -> None:
    choices: Any = sse.fold_chunks(chunks)["choices"]
    assert all(isinstance(choice, dict) for choice in choices)
    response(sse.fold_chunks(chunks))
    assert (sse.fold(stream(*chunks)) is None) == (not chunks)
