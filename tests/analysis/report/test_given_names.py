"""Given names in a text: found however they are written, and where only a part of one is left."""

import unicodedata

import pytest

from analysis.report.given_names import spans_of

NAME = "Jo Müller"


def found(text: str, name: str = NAME, edges: bool = False) -> list[str]:
    return [text[start:stop] for start, stop in spans_of(text, (name,), edges)]


@pytest.mark.parametrize(
    "written",
    [
        "Jo Müller", "JO MÜLLER", "jo muller", unicodedata.normalize("NFD", "Jo Müller"), "Jo\n  Müller",
        "Jo\u00a0Müller", "J\u00ado Mül\u200bler", "Ｊｏ Ｍüｌｌｅｒ",
    ],
)  # fmt: skip
def test_a_name_is_found_in_every_spelling(written: str) -> None:
    assert found(f"dear {written}, and {written}") == [written, written]


def test_nothing_else_is_found() -> None:
    assert found("Jon Müller, Jo Miller, J o Müller") == []
    assert list(spans_of("anything", ("", " ", "\u00ad"))) == []


def test_letters_that_become_several_keep_their_places() -> None:
    assert found("der Straße 7 nach", "STRASSE 7") == ["Straße 7"]
    assert found("x 김민준 y", unicodedata.normalize("NFD", "김민준")) == ["김민준"]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param("o Müller wrote", ["o Müller"], id="its end"),
        pytest.param("signed Jo Mü", ["Jo Mü"], id="its beginning"),
        pytest.param(" Müller wrote to Jo ", [" Müller", "Jo "], id="both"),
        pytest.param("ller wrote to J", [], id="less than a word is hidden as such"),
    ],
)
def test_a_piece_of_a_text_may_begin_and_end_within_a_name(text: str, parts: list[str]) -> None:
    assert found(text, edges=True) == parts
    assert found(text) == []
