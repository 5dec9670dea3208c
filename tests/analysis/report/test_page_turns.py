"""Turns on the page: the table of all, and the tokens of those that leave the turn before."""

import re

from analysis.report.page_turns import turn_articles, turn_table
from tests.sample_reports import part


def test_the_table_has_every_turn_with_its_figures() -> None:
    table = turn_table(part("03"))
    assert table.count('<th scope="row">') == 8 and "a time stands in the prompt" in table
    assert '<a href="#s1t2">2</a></th><td>1 s</td><td>1,756</td><td>32</td><td>32</td><td>0</td>' in table
    assert '<span class="bad">1,610</span>' in table and '<span id="s1t1">1</span>' in table, "turn 1 is a place too"


def test_what_is_not_known_is_a_question_mark() -> None:
    assert "<td>?</td>" in turn_table(part("12"))


def test_tokens_are_boxes_with_marks() -> None:
    open_, closed = turn_articles(part("03", "nothing")), turn_articles(part("03"))
    assert open_.count("<i") == closed.count("<i") > 500
    assert open_.count('<i class="d f" title="44 · id ') == 2 * 4, "the first that differs, on both sides"
    assert 'class="d f e"' in closed and "title=" not in closed and "November" in open_ and "November" not in closed


def test_a_claim_leads_to_its_tokens() -> None:
    articles = turn_articles(part("03"))
    assert re.findall(r'id="(s1t\d+)"', articles) == [f"s1t{turn}" for turn in range(2, 9)]
    assert 'aria-label="Turn 1, tokens 20 to 99: 1 of 80 differ"' in articles
    assert 'Leaves <a href="#s1t1">turn 1</a> at token 44 (block 2), in the system message.' in articles
    assert 'class="sides" id="s1t2k"' in articles
    assert "Cached tokens are not reported" in turn_articles(part("12")) or not turn_articles(part("12"))
