"""Words of ours: every sentence of a finding is made of them, and what comes from elsewhere is not."""

import pytest

from analysis.core.quoting import split
from analysis.report.own_words import is_ours, own_words
from analysis.report.words import IN_WORDS
from tests.builders import ROOT
from tests.sample_store import analysed_samples
from tests.visible_cases import CASES, OWN, analysed, own_renderer


@pytest.mark.parametrize(
    ("text", "ours"),
    [
        pytest.param("", True, id="nothing"),
        pytest.param("a pool of 15,601 blocks", True, id="a count"),
        pytest.param('Send chat_template_kwargs: {"preserve_reasoning": true}.', True, id="a known option"),
        pytest.param(
            'Send chat_template_kwargs: {"keep_zorquen_thoughts": true}.', False, id="an option of a template"
        ),
        pytest.param("Zorquen", False, id="a name"),
        pytest.param("4155550123", False, id="a number that is no count"),
        pytest.param("the \x1b[2J", False, id="a terminal escape"),
        pytest.param("the 漢字", False, id="another script"),
        pytest.param("a@b", False, id="an address"),
    ],
)
def test_is_ours(text: str, ours: bool) -> None:
    assert is_ours(text) is ours


@pytest.mark.parametrize("name", OWN)
def test_sentences_of_known_cases_are_ours(name: str) -> None:
    turn = analysed(CASES[name], own_renderer(CASES[name]["template"])).turns[1]
    for cause in turn.causes:
        assert is_ours(cause.code)
        for sentence in (cause.evidence, cause.fix):
            assert all(is_ours(words) for words, _value in split(sentence)), sentence


def test_sentences_of_the_samples_are_ours() -> None:
    for found in analysed_samples().values():
        for turn in (turn for record in found.records for turn in record.turns):
            said = [one.evidence for one in (*turn.causes, *turn.notes)] + [one.fix for one in turn.causes]
            assert all(is_ours(words) for sentence in said for words, _value in split(sentence)), said


def test_every_code_is_ours() -> None:
    assert all(map(is_ours, IN_WORDS)) and 500 < len(own_words()) < 5_000


def test_no_cause_says_a_value_but_in_quotes_of_its_kind() -> None:
    sources = sorted((ROOT / "analysis" / "causes").glob("*.py"))
    assert not [path.name for path in sources if "!r}" in path.read_text("utf-8")]
