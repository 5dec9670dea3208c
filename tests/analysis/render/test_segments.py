"""Cutting a text at its added tokens gives the tokens of the whole text, however it grew."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer

from analysis.render import segments
from analysis.render.segments import SegmentTokenizer
from tests.builders import SAMPLE_MODEL

ADDED = ["<|im_start|>", "<|im_end|>", "<think>", "</think>", "<tool_call>", "</tool_call>"]
ODD = ["e\u0301", "é", "<", "|", "<|im_", "start|>", "<|im_start|", " ", "\n\n", "\t", "😀", "ﬁ", "한", "25.00", "\x00"]

pieces = st.lists(st.sampled_from([*ADDED, *ODD, "the ", "blocks", "def f(x):\n    return x\n"]) | st.text(max_size=9))
texts = pieces.map("".join)


def loaded() -> Tokenizer:
    return Tokenizer.from_file(str(SAMPLE_MODEL / "tokenizer.json"))


TOKENIZER = loaded()
whole_texts = settings(max_examples=100, deadline=None)


def whole(text: str, tokenizer: Tokenizer = TOKENIZER) -> list[int]:
    return list(tokenizer.encode(text, add_special_tokens=False).ids)


def test_the_sample_tokenizer_may_be_cut() -> None:
    assert SegmentTokenizer(TOKENIZER).exact


@whole_texts
@given(texts)
def test_a_text_encodes_as_a_whole(text: str) -> None:
    made = SegmentTokenizer(TOKENIZER)
    assert made.encode(text).tolist() == whole(text)
    assert made.encode(text).dtype == np.int32


@whole_texts
@given(st.lists(st.tuples(st.integers(0, 200), texts), max_size=6))
def test_the_last_text_is_reused_as_far_as_it_holds(edits: list[tuple[int, str]]) -> None:
    """Each text keeps some characters of the one before it, cut anywhere, also inside an added token."""
    made, text = SegmentTokenizer(TOKENIZER), ""
    for kept, more in edits:
        text = text[:kept] + more
        assert made.encode(text).tolist() == whole(text)


@pytest.mark.parametrize(
    "grown",
    [
        pytest.param(["<|im_start|>user\nhi", "<|im_start|>user\nhi<|im_end|>\n"], id="a turn ends"),
        pytest.param(["a<|im_start", "a<|im_start|>b"], id="an added token is completed"),
        pytest.param(["a<|im_start|>b", "a<|im_start"], id="an added token is cut"),
        pytest.param(["<think><think>", "<think><think>x", "<think>"], id="nothing between added tokens"),
        pytest.param(["x" * 50, "x" * 50 + "<think>", "x" * 49 + "<think>"], id="a long first piece"),
        pytest.param(["", "<think>", ""], id="empty"),
        pytest.param(["<think>same", "<think>same"], id="the same again"),
    ],
)
def test_growing_texts(grown: list[str]) -> None:
    made = SegmentTokenizer(TOKENIZER)
    for text in grown:
        assert made.encode(text).tolist() == whole(text)


def test_results_do_not_change_under_the_caller() -> None:
    made = SegmentTokenizer(TOKENIZER)
    first = made.encode("<think>one")
    kept = first.copy()
    made.encode("<think>one more<think>and another")
    assert np.array_equal(first, kept)


@whole_texts
@given(texts)
def test_starts_are_the_first_characters_of_the_tokens(text: str) -> None:
    starts = SegmentTokenizer(TOKENIZER).starts(text).tolist()
    assert len(starts) == len(whole(text))
    assert starts == sorted(starts)
    assert all(0 <= start < len(text) for start in starts)
    for index, token_id in enumerate(whole(text)):
        if (added := TOKENIZER.get_added_tokens_decoder().get(token_id)) is not None:
            assert text.startswith(added.content, starts[index])


def test_a_small_memory_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "REMEMBERED_CHARACTERS", 8)
    made = SegmentTokenizer(TOKENIZER)
    for text in ("<think>one two three<think>four five six", "<think>one two three<think>seven", "<think>a"):
        assert made.encode(text).tolist() == whole(text)


def with_added(*contents: str, **options: Any) -> Tokenizer:
    tokenizer = loaded()
    tokenizer.add_special_tokens([AddedToken(content, **options) for content in contents or ("<odd>",)])
    return tokenizer


def without_added() -> Tokenizer:
    state = json.loads(TOKENIZER.to_str())
    return Tokenizer.from_str(json.dumps({**state, "added_tokens": []}))


def with_metaspace() -> Tokenizer:
    state = json.loads(TOKENIZER.to_str())
    first = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    state["pre_tokenizer"] = {"type": "Sequence", "pretokenizers": [first, state["pre_tokenizer"]]}
    return Tokenizer.from_str(json.dumps(state))


OTHERS = {
    "an added token that strips to the left": with_added(lstrip=True, normalized=False),
    "an added token that strips to the right": with_added(rstrip=True, normalized=False),
    "an added token that must be a word": with_added(single_word=True, normalized=False),
    "no added tokens": without_added(),
    "a first piece that is different": with_metaspace(),
}


@pytest.mark.parametrize("tokenizer", OTHERS.values(), ids=OTHERS)
def test_other_tokenizers_encode_whole_texts(tokenizer: Tokenizer) -> None:
    made = SegmentTokenizer(tokenizer)
    assert not made.exact
    for text in ("a <odd> b<think> c", "x<odd>y", "<think> a"):
        assert made.encode(text).tolist() == whole(text, tokenizer)
        assert len(made.starts(text)) == len(whole(text, tokenizer))


def test_added_tokens_that_are_normalised_are_left_to_the_tokenizer() -> None:
    tokenizer = with_added("<odd>", "odde", normalized=True)
    made = SegmentTokenizer(tokenizer)
    assert made.exact
    for text in ("a<odd>b", "<think><odd>", "<odd><think>c", "odde", "odde\u0301"):
        assert made.encode(text).tolist() == whole(text, tokenizer)


def test_an_added_token_that_begins_a_longer_one() -> None:
    tokenizer = with_added("<a>", "<a><b>", normalized=False)
    made = SegmentTokenizer(tokenizer)
    assert made.exact
    for text in ("x<a>y", "x<a><b>y", "x<a>", "x<a><"):
        assert made.encode(text).tolist() == whole(text, tokenizer)
