"""Pieces of Markdown: text of a log stands in code spans that hold, words of ours are no markup."""

import pytest

from analysis.report.markdown_text import as_typed, cause, code_span, numbered, prose, strong, table, words
from analysis.report.quotes import Placeholder, Released


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("plain", "`plain`"),
        ("a `b` c", "``a `b` c``"),
        ("`", "`` ` ``"),
        ("``a```", "```` ``a``` ````"),
        (" both ", "`  both  `"),
        ("a\nb\x1b", "`a↵b\\x1b`"),
        ("<b>@x</b>", "`<b>@x</b>`"),
    ],
)
def test_code_span(text: str, span: str) -> None:
    assert code_span(text) == span


def test_words_of_ours_are_no_markup() -> None:
    assert words("a *b* [c] {d}") == r"a \*b\* \[c\] \{d\}"


def test_code_spans_in_a_row_are_kept_apart() -> None:
    assert prose(("x: ", Placeholder("‹a›"), Released("b"))) == "x: `‹a›` `b`"


def test_what_a_person_typed_is_a_quotation() -> None:
    assert as_typed(Released("# a\n- b")) == [r"> \# a  ", "> `- b`  "]
    assert as_typed(Placeholder("‹note · A›")) == ["> `‹note · A›`  "]


def test_tables_lists_and_causes() -> None:
    assert table(("A", "B"), [["x|y", r"a\|b"]]) == "| A | B |\n| --- | --- |\n" + r"| x\|y | a\|b |"
    assert numbered(["a", "b"]) == "1. a\n2. b"
    assert (cause("a/b", "it is"), strong("a/b", "it is")) == ("It is (`a/b`)", "**It is** (`a/b`)")
