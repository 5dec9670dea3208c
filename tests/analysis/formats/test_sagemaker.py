"""SageMaker data capture (made after docs.aws.amazon.com/sagemaker, model-monitor-data-capture)."""

import pytest

from analysis.formats import sagemaker
from analysis.formats.base import FormatError
from tests.format_samples import counts, log_of_sample, turns


def test_invocations_are_read_by_the_api_of_their_body() -> None:
    log = log_of_sample("sagemaker/capture.jsonl")
    assert [turn.request_id for turn in turns(log)] == ["event-1", "event-3", "event-6", "event-5"]
    assert counts(log) == [(40, 0), (58, 32), (None, None), (24, 16)]
    assert [session.log_format for session in log.sessions] == ["sagemaker", "sagemaker"]
    first, second, bare, _messages = turns(log)
    assert (first.started_at, second.request.messages[-1]["content"]) == (1796032801.0, "And 3+3?")
    assert (bare.reply, bare.note) == (None, "the capture holds no body of the answer")
    assert [one.message.partition(",")[0] for one in log.problems] == [
        "no chat",
        "the response carries no usage",
    ]


@pytest.mark.parametrize(
    "data", [b'{"captureData": {}}', b'{"captureData": {"endpointInput": {"data": "*", "encoding": "BASE64"}}}']
)
def test_without_a_request_it_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^f: no request to a model in it\. .* First problem: line 1: no chat"):
        sagemaker.read(data, "f", "s")
    assert sagemaker.sniff(data) and not sagemaker.sniff(b'{"a": 1}')
