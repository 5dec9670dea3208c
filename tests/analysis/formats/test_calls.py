"""Calls become entries; counts are normalised so that the prompt includes what was cached."""

import pytest

from analysis.formats import calls
from analysis.model.session import Json, Usage


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(((100, 5, 64), {}), Usage(100, 5, 64, "reported"), id="included"),
        pytest.param(((36, 5, 64), {"apart": True}), Usage(100, 5, 64, "reported"), id="apart"),
        pytest.param(((20, 5, 64), {"apart": True, "created": 16}), Usage(100, 5, 64, "reported"), id="created apart"),
        pytest.param(((100, 5, None), {"apart": True}), Usage(100, 5, None, "omitted"), id="cached not said"),
        pytest.param(((100, 5, None), {"absent": "disabled"}), Usage(100, 5, None, "disabled"), id="flag off"),
        pytest.param(((100, 5, 0), {}), Usage(100, 5, 0, "reported"), id="a zero is a zero"),
        pytest.param(((100, 5, 101), {}), Usage(100, 5, None, "omitted"), id="more than the prompt"),
        pytest.param(((None, 5, None), {}), Usage(None, 5), id="nothing counted"),
    ],
)
def test_usage(given: tuple[tuple[Json, ...], dict[str, Json]], expected: Usage) -> None:
    assert calls.usage(*given[0], **given[1]) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("value", "number"), [(3, 3), (3.0, 3), (3.5, None), (-1, None), (True, None), ("3", None), (2**31, None)]
)
def test_count(value: Json, number: int | None) -> None:
    assert calls.count(value) == number


def test_an_entry_is_a_turn_with_its_key() -> None:
    messages: list[dict[str, Json]] = [{"role": "user", "content": "hi"}]
    found = calls.entry(3, "m", messages, key="s", lacks=["no_tools"], replica="r", lineage="title")
    assert (found.key, found.turn.line, found.turn.request_id) == ("s", 3, "line-3")
    assert found.turn.request.kind == "chat" and found.turn.request.messages == tuple(messages)
    assert found.turn.completeness == {"no_tools"} and found.turn.lacks_head
    assert (found.turn.replica, found.turn.lineage, found.turn.request.salt) == ("r", "title", None)


def test_a_salt_is_a_fingerprint_that_compares() -> None:
    one, same, other = (calls.entry(1, "m", [], salt=salt).turn.request.salt for salt in ("a", "a", "b"))
    assert one == same != other and one != "a"


def test_marks_are_known_words() -> None:
    assert calls.marks(["no_system", "odd", 3]) == {"no_system"}
    assert calls.marks("redacted") == {"redacted"} and calls.marks(None) == calls.marks(3) == frozenset()


def test_objects_may_be_json_text() -> None:
    assert calls.mapping('{"a": 1}') == calls.mapping({"a": 1}) == {"a": 1}
    assert calls.mapping("{") == calls.mapping([1]) == {}
    assert calls.objects('[{"a": 1}, 2]') == calls.objects([{"a": 1}, 2]) == [{"a": 1}]
    assert calls.objects("[") == calls.objects(None) == []
    assert calls.dig({"a": '{"b": 2}'}, "a", "b") == 2 and calls.dig({"a": 1}, "a", "b") is None
    assert calls.first_text(None, "", True, 7, "x") == "7" and calls.first_text() is None


@pytest.mark.parametrize(
    ("parameters", "kwargs"),
    [
        pytest.param({"chat_template_kwargs": {"a": 1}}, {"a": 1}, id="in the request"),
        pytest.param({"extra_body": {"chat_template_kwargs": {"a": 1}}}, {"a": 1}, id="in its extra body"),
        pytest.param({"reasoning_effort": "low"}, {"reasoning_effort": "low"}, id="the effort"),
        pytest.param({"temperature": 0}, {}, id="none"),
    ],
)
def test_template_kwargs(parameters: dict[str, Json], kwargs: dict[str, Json]) -> None:
    assert calls.template_kwargs(parameters) == kwargs
