"""Attributes: typed values of the OTLP JSON encoding, and names with dots as OpenInference flattens them."""

import pytest

from analysis.formats.attributes import DEEPEST, by_key, has_gaps, inner, listed, plain, tree
from analysis.model.session import Json


@pytest.mark.parametrize(
    ("value", "held"),
    [
        pytest.param({"stringValue": "a"}, "a", id="text"),
        pytest.param({"stringValue": ""}, "", id="empty text"),
        pytest.param({"intValue": "7"}, 7, id="integers are text"),
        pytest.param({"intValue": -7}, -7, id="or numbers"),
        pytest.param({"intValue": "x"}, "x", id="or neither"),
        pytest.param({"boolValue": False}, False, id="false"),
        pytest.param({"doubleValue": 0.5}, 0.5, id="a float"),
        pytest.param({"arrayValue": {"values": [{"stringValue": "a"}, {"intValue": "1"}]}}, ["a", 1], id="a list"),
        pytest.param({"arrayValue": {}}, [], id="an empty list"),
        pytest.param({"kvlistValue": {"values": [{"key": "a", "value": {"intValue": "1"}}]}}, {"a": 1}, id="an object"),
        pytest.param({}, None, id="nothing"),
        pytest.param("text", None, id="no value at all"),
    ],
)
def test_a_typed_value_is_what_it_holds(value: Json, held: Json) -> None:
    assert plain(value) == held
    assert by_key([{"key": "k", "value": value}, {"key": 1}, {}]) == {"k": held}


def test_values_within_values_end_somewhere() -> None:
    value: Json = {"intValue": "1"}
    for _ in range(DEEPEST + 2):
        value = {"arrayValue": {"values": [value]}}
    held = plain(value)
    depth = 0
    while isinstance(held, list):
        held, depth = held[0], depth + 1
    assert (held, depth) == (None, DEEPEST + 1)


@pytest.mark.parametrize(
    ("attributes", "known"),
    [
        pytest.param({"a.b": 1, "a.c": 2, "d": 3}, {"a": {"b": 1, "c": 2}, "d": 3}, id="names with dots"),
        pytest.param({"a": {"b": 1}, "a.c": 2}, {"a": {"b": 1, "c": 2}}, id="partly nested"),
        pytest.param({"a.c": 2, "a": {"b": 1}}, {"a": {"c": 2, "b": 1}}, id="partly nested, the other way round"),
        pytest.param({"a": "x", "a.0.b": 1}, {"a": {"0": {"b": 1}}}, id="a value and a holder: the holder stays"),
        pytest.param({"a.0.b": 1, "a": "x"}, {"a": {"0": {"b": 1}}}, id="whichever came first"),
    ],
)
def test_names_with_dots_become_a_tree(attributes: dict[str, Json], known: Json) -> None:
    assert tree(attributes.items()) == known


@pytest.mark.parametrize(
    ("value", "items", "gaps"),
    [
        pytest.param({"10": "k", "2": "b", "0": "a"}, ["a", "b", "k"], True, id="numbers in their order"),
        pytest.param({"0": "a", "1": "b"}, ["a", "b"], False, id="none missing"),
        pytest.param({"1": "b"}, ["b"], True, id="the first is missing"),
        pytest.param(["a"], ["a"], False, id="a list"),
        pytest.param('[{"a": 1}]', [{"a": 1}], False, id="the text of one"),
        pytest.param({"a": 1}, [], False, id="an object"),
        pytest.param(None, [], False, id="nothing"),
    ],
)
def test_numbered_attributes_are_a_list(value: Json, items: list[Json], gaps: bool) -> None:
    assert (listed(value), has_gaps(value)) == (items, gaps)


@pytest.mark.parametrize(
    "item", [{"message": {"role": "user"}}, {"message.role": "user"}, {"role": "user"}], ids=["nested", "dots", "bare"]
)
def test_an_item_is_found_however_it_is_nested(item: Json) -> None:
    assert inner(item, "message") == {"role": "user"}
