"""Answers of the shape that vLLM has, and of every other."""

from collections.abc import Callable

import pytest

from analysis.live import answers
from analysis.model.session import Json


def test_a_rendered_chat() -> None:
    rendered = answers.rendered_chat({"token_ids": [1, 2], "token_offsets": [[0, 3], [3, 4]]})
    assert rendered.token_ids.tolist() == [1, 2] and rendered.token_ids.dtype == "int32"
    assert rendered.offsets is not None and rendered.offsets.tolist() == [[0, 3], [3, 4]]


@pytest.mark.parametrize(
    "offsets", [None, [], [[0, 1]], [[0], [1]], [[0, 1], [1, "x"]], [[0, -1], [1, 2]], [[0, 1], 2], "xy"]
)
def test_offsets_that_are_none(offsets: Json) -> None:
    assert answers.rendered_chat({"token_ids": [1, 2], "token_offsets": offsets}).offsets is None


@pytest.mark.parametrize(
    ("read", "body", "reason"),
    [
        (answers.rendered_chat, [], "no JSON object"),
        (answers.rendered_chat, {}, "token_ids that are not a list of integers"),
        (answers.rendered_chat, {"token_ids": ["1"]}, "token_ids that are not a list of integers"),
        (answers.rendered_chat, {"token_ids": [True]}, "token_ids that are not a list of integers"),
        (answers.rendered_chat, {"token_ids": [1.0]}, "token_ids that are not a list of integers"),
        (answers.rendered_chat, {"token_ids": [-1]}, "token_ids that are no token ids"),
        (answers.rendered_chat, {"token_ids": [2**31]}, "token_ids that are no token ids"),
        (answers.rendered_completion, {"token_ids": [1]}, "no list of one rendered prompt"),
        (answers.rendered_completion, [], "no list of one rendered prompt"),
        (answers.rendered_completion, [None], "no JSON object"),
        (answers.tokenized, {"tokens": [1, 2]}, "a count that is not the number of tokens"),
        (answers.tokenized, {"tokens": [], "count": None}, "a count that is not the number of tokens"),
        (answers.generated, {"prompt_token_ids": None}, "prompt_token_ids that are not a list of integers"),
        (
            answers.token_strings,
            {"tokens": [1], "count": 1, "token_strs": None},
            "token_strs that do not fit the tokens",
        ),
        (answers.models, {"data": "x"}, "no list of models"),
        (answers.models, {"data": [{"id": 1}]}, "no text in id"),
    ],
)
def test_another_shape_is_an_error(read: Callable[[Json], object], body: Json, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read(body)


def test_token_strings() -> None:
    ids, strings = answers.token_strings({"tokens": [1, 2], "count": 2, "token_strs": ["Ġa", None]})
    assert ids.tolist() == [1, 2] and strings == ("Ġa", "")


def test_models() -> None:
    listed = answers.models(
        {"data": [{"id": "m", "root": "r", "max_model_len": 8}, {"id": "n", "max_model_len": True}]}
    )
    assert listed == (answers.Model("m", "r", 8), answers.Model("n", None, None))


@pytest.mark.parametrize("body", [{"success": "true"}, {"success": None}, {}, [], None])
def test_success_is_true_or_false(body: Json) -> None:
    with pytest.raises(ValueError):
        answers.flag(body, "success")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("The model `nope` does not exist. Valid aliases: qwen3-tiny.", True),
        ("The model `nope` does not exist.", True),
        ("Not Found", False),
        ("File Not Found", False),
    ],
)
def test_a_missing_model_is_told_from_a_missing_route(words: str, expected: bool) -> None:
    assert answers.names_no_such_model(words) is expected
