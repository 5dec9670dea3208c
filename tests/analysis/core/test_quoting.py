"""Text of a log inside of a sentence can always be told from the sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.core.quoting import listed, quoted, split


@pytest.mark.parametrize(
    ("value", "said"),
    [
        pytest.param("a\nb", "“a\\nb”", id="a line break is seen"),
        pytest.param("x" * 60, f"“{'x' * 60}”", id="just short enough"),
        pytest.param("x" * 61, f"“{'x' * 60}…”", id="cut"),
        pytest.param("a “b” c”", '“a "b" c"”', id="quotes of the same kind"),
        pytest.param("", "“”", id="nothing"),
    ],
)
def test_quoted(value: str, said: str) -> None:
    assert quoted(value) == said


def test_several_values_have_quotes_of_their_own() -> None:
    assert listed(["a, b", "c"]) == "“a, b”, “c”"


@given(st.lists(st.text(max_size=20), max_size=4))
def test_a_sentence_comes_apart_as_it_was_put_together(values: list[str]) -> None:
    sentence = "".join(f"word {quoted(value)}" for value in values) + " end"
    pairs = split(sentence)
    assert [words for words, _value in pairs] == ["word "] * len(values) + [" end"]
    assert [f"“{value}”" for _words, value in pairs[:-1]] == [quoted(value) for value in values]
    assert pairs[-1][1] is None
