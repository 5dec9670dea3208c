"""JSON as logs hold it, damaged or not."""

import json

import pytest

from analysis.formats import jsontext
from analysis.formats.base import Problems
from analysis.model.session import Json

ROW = b'{"a": 1}'


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        pytest.param(b'{"a": [1, null, "x"]}', {"a": [1, None, "x"]}, id="plain"),
        pytest.param(b"1180591620717411303424", 1180591620717411303424, id="all digits of an integer"),
        pytest.param(b"25.00", 25.0, id="a float stays a float"),
        pytest.param(b'"\\ud83d\\ude00"', "\U0001f600", id="surrogate pair"),
        pytest.param(b'"a\\ud800b"', "a?b", id="lone surrogate"),
        pytest.param(b'{"\\ud800": 1}', {"?": 1}, id="lone surrogate in a key"),
        pytest.param(b'"\xff"', "\ufffd", id="not UTF-8"),
        pytest.param(b"[NaN, Infinity, -Infinity, 1e400]", [None] * 4, id="no numbers"),
        pytest.param(b'{"a": 1, "a": 2}', {"a": 2}, id="the last of two equal keys"),
    ],
)
def test_decode(raw: bytes, value: Json) -> None:
    assert jsontext.decode(raw) == value


BROKEN = {"empty": b"", "half": b'{"a"', "python": b"{'a': 1}", "comma": b"[1,]", "deep": b"[" * 100_000}


@pytest.mark.parametrize("raw", BROKEN.values(), ids=BROKEN)
def test_what_is_no_json_raises_value_error(raw: bytes) -> None:
    for read in (jsontext.decode, jsontext.fields, jsontext.items):
        with pytest.raises(ValueError):
            read(raw)


def test_fields_and_items_keep_their_values_undecoded() -> None:
    assert {key: bytes(raw) for key, raw in jsontext.fields(b'{"a": {"b": 1.50}, "c": "x"}').items()} == {
        "a": b'{"b": 1.50}',
        "c": b'"x"',
    }
    assert [bytes(raw) for raw in jsontext.items(b'[1.50, {"a":1}]')] == [b"1.50", b'{"a":1}']


@pytest.mark.parametrize("raw", [b"[1]", b'"a"', b"1"], ids=bytes.decode)
def test_fields_of_no_object(raw: bytes) -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        jsontext.fields(raw)


def test_items_of_no_array() -> None:
    with pytest.raises(ValueError, match="not a JSON array"):
        jsontext.items(b'{"a": 1}')


@pytest.mark.parametrize(
    ("data", "kinds"),
    [
        pytest.param(ROW + b"\n" + ROW[:5], ["damaged"], id="a last line that is cut"),
        pytest.param(b"{]\n{]\n" + ROW + b"\n", ["damaged"], id="broken lines, counted as one"),
        pytest.param(ROW, [], id="a whole log"),
    ],
)
def test_a_lost_record_is_damage_to_programs(data: bytes, kinds: list[str]) -> None:
    problems = Problems("f")
    list(jsontext.records(data, problems))
    assert [problem.kind for problem in problems.listed()] == kinds


def rows(data: bytes) -> tuple[list[int], list[tuple[int | None, str]]]:
    problems = Problems("f")
    lines = [line for line, _ in jsontext.records(data, problems)]
    return lines, [(problem.line, problem.message.partition(":")[0]) for problem in problems.listed()]


INCOMPLETE = "the last line is incomplete"
LEFT_OUT = "not a JSON object"


@pytest.mark.parametrize(
    ("data", "lines", "problems"),
    [
        pytest.param(ROW, [1], [], id="one line without an end"),
        pytest.param(ROW + b"\n" + ROW + b"\n", [1, 2], [], id="two lines"),
        pytest.param(b"\xef\xbb\xbf" + ROW, [1], [], id="byte order mark"),
        pytest.param(ROW + b"\r\n" + ROW + b"\r\n", [1, 2], [], id="CRLF"),
        pytest.param(ROW + b"\n\n\n" + ROW, [1, 4], [], id="empty lines count"),
        pytest.param(ROW + b"\n" + ROW[:5], [1], [(2, INCOMPLETE)], id="a growing last line"),
        pytest.param(ROW + b"\n" + ROW[:5] + b"\n", [1], [(2, LEFT_OUT)], id="a last line that ended broken"),
        pytest.param(ROW + b"\n{]\n" + ROW + b"\n[]\n", [1, 3], [(2, LEFT_OUT)], id="broken lines"),
        pytest.param(b"[" + ROW + b", " + ROW + b"]", [1, 2], [], id="an array"),
        pytest.param(b"[\n  " + ROW + b",\n  7\n]", [1], [(2, LEFT_OUT)], id="an array with something else in it"),
        pytest.param(json.dumps({"a": {"b": 1}}, indent=2).encode(), [1], [], id="one pretty-printed object"),
        pytest.param(b"", [], [], id="nothing"),
    ],
)
def test_records(data: bytes, lines: list[int], problems: list[tuple[int, str]]) -> None:
    assert rows(data) == (lines, problems)
