"""A case in Markdown: turns by their numbers, figures in tables."""

from analysis.report.markdown import as_markdown
from analysis.report.redaction import Rules, redacted
from tests.case_reports import case_report
from tests.sample_reports import KEY


def test_a_case_is_told_from_its_story_to_its_sessions() -> None:
    said = as_markdown(redacted(case_report(), Rules("nothing"), KEY)[0])
    lines = (
        "# Case report: `Slow since Monday`",
        "ticket `SUP-17` · for `Acme` · written by `Ann Lee`, 2025-06-15 15:06 UTC",
        r"> \*\*Twice\*\* the bill.  ",
        "1. **The tools came in another order** (`tools/order`): `harrow-q4-revenue`, turn 4, 1,178 tokens: the same",
        "| Hit rate | 89.7% | 1.4% | -88.3 percentage points |",
        "| Session | Set | Labels | Verdict | Turns | Prompt | Hit rate | Wasted |",
        "| 3. `nimbrel-query-19c4` | before | `vip` |",
    )
    places = [said.index(line) for line in lines]
    assert places == sorted(places)


def test_a_hidden_ticket_is_called_one_once() -> None:
    said = as_markdown(redacted(case_report(), Rules(), KEY)[0])
    assert "\n`ticket A` · for `customer A` · written by " in said
