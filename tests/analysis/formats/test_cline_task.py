"""The calls of a task: which counts belong to which reply, and what they count."""

import json
from typing import Any

import pytest

from analysis.formats.cline_task import INTERRUPTED, Conversation, entries
from analysis.model.session import Json

ASKED: dict[str, Json] = {"role": "user", "content": "a"}
SAID: dict[str, Json] = {"role": "assistant", "content": "b"}


def request(tokens: int, reads: int, writes: int = 0, **fields: Any) -> dict[str, Json]:
    counts = {"tokensIn": tokens, "cacheReads": reads, "cacheWrites": writes, "tokensOut": 1}
    return {"say": "api_req_started", "text": json.dumps(counts), **fields}


def counts(messages: list[dict[str, Json]], *shown: dict[str, Json]) -> list[tuple[int | None, int | None]]:
    found = [one.turn.usage for one in entries(Conversation("f", "k", messages, [*shown]))]
    return [(usage.prompt_tokens, usage.cached_tokens) for usage in found]


def beside(metrics: Json, **fields: Json) -> dict[str, Json]:
    return {**SAID, "metrics": metrics, **fields}


TASKS = {
    "counts that stand apart": ([request(4, 0, 90), request(6, 90, 10)], [(94, 0), (106, 90)]),
    "counts with the cached in them": ([request(94, 0, 0), request(106, 90, 16)], [(94, 0), (106, 90)]),
    "a call that failed": ([request(0, 0), request(94, 0), request(106, 90)], [(94, 0), (106, 90)]),
    "only the second is counted": (
        [request(106, 90, conversationHistoryIndex=1), {"say": "text", "text": "b"}],
        [(None, None), (106, 90)],
    ),
    "an index that is none": ([request(94, 80, conversationHistoryIndex=99)], [(None, None), (None, None)]),
}


@pytest.mark.parametrize(("shown", "expected"), TASKS.values(), ids=TASKS)
def test_counts_of_a_task(shown: list[dict[str, Json]], expected: list[tuple[int | None, int | None]]) -> None:
    assert counts([ASKED, SAID, ASKED, SAID], *shown) == expected


def test_counts_beside_a_reply_go_first() -> None:
    tokens: Json = {"tokens": {"prompt": 100, "completion": 2, "cached": 80}}
    (found,) = entries(Conversation("f", "k", [ASKED, beside(tokens)], [request(5, 1, ts=1760000001000)]))
    assert (found.turn.usage.prompt_tokens, found.turn.usage.cached_tokens, found.turn.usage.output_tokens) == (
        *(100, 80),
        2,
    )
    assert found.turn.started_at == 1760000001


@pytest.mark.parametrize(
    ("cut", "expected"),
    [([1, 2], 1), ([2, 2], 2), ([2, 1], 3), ([9, 12], 3), ([0], 3), ("x", 3), ([None, 1], 3)],
    ids=["two", "one", "backwards", "not yet there", "half", "a text", "no number"],
)
def test_messages_that_were_cut_out_are_not_in_the_request(cut: Json, expected: int) -> None:
    shown = [request(9, 0), request(9, 8), {"say": "text", "conversationHistoryDeletedRange": cut}]
    first, second = entries(Conversation("f", "k", [ASKED, SAID, ASKED, SAID], shown))
    assert (len(first.turn.request.messages), len(second.turn.request.messages)) == (1, expected)


def test_a_reply_that_was_stopped_is_none() -> None:
    stopped: dict[str, Json] = {"role": "assistant", "content": f"{INTERRUPTED} user]"}
    assert counts([ASKED, stopped, ASKED, SAID]) == [(None, None)]
    assert counts([SAID, SAID]) == [], "nobody asked"
