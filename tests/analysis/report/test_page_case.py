"""A case on its page: findings lead to their turns, also where their session is another's first."""

from analysis.report.page import as_page
from analysis.report.page_case import case_section
from analysis.report.redaction import Rules, redacted
from tests.analysis.report.test_page import Outline
from tests.case_reports import case_report
from tests.sample_reports import KEY

CASE = redacted(case_report(), Rules("nothing"), KEY)[0]


def test_the_story_stands_above_the_findings_in_their_order() -> None:
    assert CASE.case is not None
    section = case_section(CASE, CASE.case)
    assert "It began with the release.<br><br>**Twice** the bill." in section
    order, stripped = section.index("tools/order"), section.index("template/reasoning-stripped")
    assert section.index('ticket <span class="lit"><bdi>SUP-17') < section.index("Twice") < order < stripped
    assert '<a href="#s2t4">turn 4</a>: 1,178 tokens' in section and '<a href="#s3t7">turn 7</a>: 890' in section
    assert "<h3>Before and after</h3>" in section and "-88.3 percentage points" in section


def test_the_page_of_a_case_has_its_sessions_with_their_sets_and_labels() -> None:
    page = as_page(CASE)
    assert "<title>Case report: Slow since Monday</title>" in page
    assert page.count('<section class="session"') == 3 and page.count('<svg class="map"') == 3
    assert '<th scope="col" class="word">Set</th><th scope="col" class="word">Labels</th>' in page
    assert '<td class="word">before</td><td class="word"><span class="lit"><bdi>vip</bdi></span></td>' in page
    assert len(page.encode()) < 500_000
    outline = Outline(page)
    assert outline.targets <= set(outline.ids) and len(outline.ids) == len(set(outline.ids))
    assert outline.levels[0] == 1 and outline.levels.count(1) == 1
