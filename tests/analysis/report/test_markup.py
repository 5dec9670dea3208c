"""Pieces of HTML: what is not ours is escaped, what is empty is nothing."""

from analysis.report.markup import bare, bullets, cause, number, numbers, paragraph, prose, table, text, value
from analysis.report.quotes import Placeholder, Released

EVIL = "<b onclick='x'>&\"\x00\u202e"
SAFE = "&lt;b onclick=&#x27;x&#x27;&gt;&amp;&quot;\\x00\\u202e"


def test_values_are_escaped_and_isolated() -> None:
    assert text(EVIL) == SAFE
    assert value(Released(EVIL)) == f'<span class="lit"><bdi>{SAFE}</bdi></span>'
    assert value(Placeholder("‹a›")) == '<span class="hid"><bdi>‹a›</bdi></span>'
    assert value(Released(", character 5", plain=True)) == ", character 5" and value(Placeholder("")) == ""
    assert bare(Released(EVIL)) == f"<bdi>{SAFE}</bdi>"


def test_a_sentence_has_its_quotes_in_place() -> None:
    assert prose(("a < ", Placeholder("‹x›"), " b")) == 'a &lt; <span class="hid"><bdi>‹x›</bdi></span> b'


def test_nothing_is_written_for_nothing() -> None:
    assert paragraph("") == bullets([]) == "" and paragraph("x", "sub") == '<p class="sub">x</p>'
    assert bullets(["a", "b"]) == "<ul><li>a</li><li>b</li></ul>"


def test_a_table_heads_its_columns_and_rows() -> None:
    made = table("About <it>", (*numbers("Turn"), ("Why", "words")), [["1", "x"]])
    assert "<caption>About &lt;it&gt;</caption>" in made
    assert '<th scope="col">Turn</th><th scope="col" class="words">Why</th>' in made
    assert '<tr><th scope="row">1</th><td class="words">x</td></tr>' in made


def test_a_cause_is_said_in_words_with_its_code_small() -> None:
    assert cause("a/b<", "it <is>") == 'It &lt;is&gt; <span class="code">a/b&lt;</span>'


def test_a_number_or_a_question_mark() -> None:
    assert (number(1234), number(0), number(None)) == ("1,234", "0", "?")
