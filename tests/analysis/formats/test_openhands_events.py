"""Event streams of both generations, made after their sources: see the tests of their readers."""

import json

import pytest

from analysis.formats import openhands_events
from analysis.formats.base import FormatError
from analysis.model.session import Usage
from tests.format_samples import FOLDER, counts, files_of, log_of_files, log_of_sample, sample, turns

SDK, TRAJECTORY, ROWS = "openhands-events/sdk", "openhands-events/trajectory.json", "openhands-events/output.jsonl"


def test_a_folder_of_the_sdk_is_a_session_with_the_counts_of_its_state() -> None:
    log = log_of_sample(SDK)
    (session,) = log.sessions
    assert session.session_id == "s" and not log.problems
    assert [turn.usage for turn in session.turns] == [
        Usage(40, 3, None, "omitted"),
        Usage(64, 2, 32, "reported"),
        Usage(50, 5, 16, "reported"),
    ]
    assert [turn.request_id for turn in session.turns] == ["resp-1", "resp-2", "resp-3"]
    assert {turn.request.model for turn in session.turns} == {"hosted_vllm/qwen3"}
    assert all(turn.completeness == {"reconstructed", "no_tools"} for turn in session.turns)


def test_token_events_are_the_ids_of_their_prompt() -> None:
    first, second, last = turns(log_of_sample(SDK))
    assert first.prompt_ids is not None and len(first.prompt_ids) == first.usage.prompt_tokens == 40
    assert second.output_ids is not None and second.output_ids.tolist() == [10, 11] and last.prompt_ids is None


@pytest.mark.parametrize("name", [SDK, TRAJECTORY])
def test_a_condensation_is_in_the_requests_behind_it(name: str) -> None:
    first, second, third, *_others = turns(log_of_sample(name))
    roles = [[message["role"] for message in turn.request.messages] for turn in (first, second, third)]
    assert roles[0] == ["system", "user"] and roles[1] == [*roles[0], "assistant", "tool", "tool"]
    assert roles[2] == ["system", "user", "user", "assistant", "tool"]
    assert third.request.messages[2]["content"] == "The files were listed."


def test_a_response_that_is_repeated_in_every_event_is_one_call() -> None:
    log = log_of_sample(TRAJECTORY)
    (session,) = log.sessions
    assert session.session_id == "trajectory.json"
    assert counts(log) == [(100, 0), (160, 96), (120, 32), (None, None)]
    assert [turn.line for turn in session.turns] == [5, 9, 13, 15] and len(session.turns[0].request.tools) == 1
    assert all(turn.completeness == {"reconstructed"} and turn.request.model == "qwen3" for turn in session.turns)


def test_a_history_in_pairs_is_read() -> None:
    log = log_of_sample(ROWS)
    assert [session.session_id for session in log.sessions] == ["acme__acme-1"] and counts(log) == [(100, 0), (160, 96)]


def test_several_conversations_in_a_folder_are_apart() -> None:
    files = [(f"{name}/{place}", data) for name in "ab" for place, data in files_of(FOLDER / SDK)]
    log = log_of_files(files)
    assert [(session.session_id, len(session.turns)) for session in log.sessions] == [("a", 3), ("b", 3)]


def test_events_of_their_own_files_stand_in_the_order_of_their_numbers() -> None:
    """``10.json`` is behind ``9.json``, and the pages of a cache hold the same events again."""
    events = json.loads(sample(TRAJECTORY).read_bytes())
    alone = [(f"c/events/{one['id']}.json", json.dumps(one).encode()) for one in events]
    pages = [("c/event_cache/0-15.json", json.dumps(events).encode())]
    whole = log_of_sample(TRAJECTORY)
    for files in (sorted(alone), pages, sorted([*alone, *pages])):
        log = log_of_files(files)
        assert [session.session_id for session in log.sessions] == ["c"] and counts(log) == counts(whole)
        assert [turn.request.messages for turn in turns(log)] == [turn.request.messages for turn in turns(whole)]


def test_without_a_system_message_the_head_is_unknown() -> None:
    events = json.loads(sample(TRAJECTORY).read_bytes())[1:]
    first, *_others = turns(openhands_events.read(json.dumps(events).encode(), "f", "f"))
    assert first.completeness == {"reconstructed", "no_system", "no_tools"}


@pytest.mark.parametrize("place", ["base_state.json", "events/event-00000-00000000-0000-4000-8000-000000000000.json"])
def test_without_a_reply_it_is_refused(place: str) -> None:
    with pytest.raises(FormatError, match=r"^f: no reply of a model in these events"):
        openhands_events.read(sample(f"{SDK}/{place}").read_bytes(), "f", "f")
