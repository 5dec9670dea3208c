"""Batch files, made after OpenAI's Batch API reference (request input and output objects)."""

import pytest

from analysis.formats import openai_batch, read_logs
from analysis.formats.base import FormatError
from tests.format_samples import counts, log_of_sample, sample, turns

INPUT, OUTPUT = "openai-batch/input.jsonl", "openai-batch/output.jsonl"


@pytest.mark.parametrize("names", [(INPUT, OUTPUT), (OUTPUT, INPUT)])
def test_both_files_are_joined_whatever_their_order(names: tuple[str, str]) -> None:
    log = log_of_sample(*names)
    (session,) = log.sessions
    assert (session.file, session.inferred) == ("input.jsonl", True)
    assert [turn.request_id for turn in session.turns] == ["r1", "r2"] and counts(log) == [(20, 0), (40, 16)]
    assert [(problem.file, problem.line) for problem in log.problems] == [("input.jsonl", 3)]


def test_requests_alone_are_read_and_said_to_be_unanswered() -> None:
    log = log_of_sample(INPUT)
    assert counts(log) == [(None, None)] * 3 and "no response with this custom_id" in log.problems[0].message
    assert all(turn.usage.cached_basis == "not-recorded" for turn in turns(log))


def test_responses_alone_say_what_is_missing() -> None:
    ((name, error),) = read_logs([("output.jsonl", sample(OUTPUT).read_bytes())], "s")
    assert name == "output.jsonl" and isinstance(error, FormatError)
    assert "Put the input file beside it" in str(error)


def test_both_in_one_file() -> None:
    whole = sample(INPUT).read_bytes() + sample(OUTPUT).read_bytes()
    assert counts(openai_batch.read(whole, "f", "s")) == [(20, 0), (40, 16)]


def test_what_is_no_request_is_left_out() -> None:
    with pytest.raises(FormatError, match=r"^f: no request in it"):
        openai_batch.read(b'{"custom_id": "a", "body": {}}\n{"body": {}}', "f", "s")
