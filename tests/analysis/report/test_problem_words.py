"""A problem in two parts."""

import pytest

from analysis.formats import FORMATS, detect
from analysis.formats.base import UnknownFormat
from analysis.report.problem_words import what_and_remedy, without_tried


@pytest.mark.parametrize(
    ("message", "what", "remedy"),
    [
        pytest.param("a: b. Do it.", "a: b.", "Do it.", id="one sentence each"),
        pytest.param("is it so? Do it. And that.", "is it so?", "Do it. And that.", id="a question, two sentences"),
        pytest.param("the call failed.", "the call failed.", "", id="nothing to do"),
        pytest.param("a: b. Do it. (and 12 more such lines)", "a: b. (and 12 more such lines)", "Do it.", id="more"),
        pytest.param("a. (and 1 more such line)", "a. (and 1 more such line)", "", id="one more, nothing to do"),
        pytest.param("no model in v0.32.1 of it, e.g. here", "no model in v0.32.1 of it, e.g. here", "", id="points"),
        pytest.param("odd size. 'x' is no size.", "odd size. 'x' is no size.", "", id="a quoted small letter"),
        pytest.param("no turn. `--model` helps.", "no turn. `--model` helps.", "", id="an option"),
        pytest.param("a.\n\nGive b.", "a.", "Give b.", id="lines"),
        pytest.param("", "", "", id="nothing"),
    ],
)
def test_the_two_parts(message: str, what: str, remedy: str) -> None:
    assert what_and_remedy(message) == (what, remedy)


def test_a_refusal_is_short_and_what_was_tried_is_apart() -> None:
    with pytest.raises(UnknownFormat) as refused:
        detect(b"hello", "f")
    said, tried = without_tried(str(refused.value))
    assert said.startswith("f: text, and no log that Whymiss reads. ") and said.endswith("responses.")
    assert [one.partition(" looks for ")[0] for one in tried] == [known.name for known in FORMATS]
    assert without_tried("a: b. Do it.") == ("a: b. Do it.", ())
