"""What a report looks like whatever it is written as: which columns it has, what is remarked."""

from analysis.report.case_document import BeforeAfter, CasePart, Pinned
from analysis.report.document import Report
from analysis.report.quotes import Placeholder, Shown
from analysis.report.words import counted

GONE = "The present analysis no longer finds this."
ELSEWHERE = "Its session is not in this case."


def extra_heads(report: Report[Shown]) -> list[str]:
    """Columns of the overview that only some reports have: the sets of a case, and labels."""
    sides = any(one.side for one in report.overview)
    labels = any(one.labels for one in report.overview)
    return [*(["Set"] if sides else []), *(["Labels"] if labels else [])]


def ordinal(report: Report[Shown], number: int) -> str:
    """The number before the name of a session: of several, two may have one name."""
    return f"{number}. " if len(report.overview) > 1 else ""


def said_of_absent(report: Report[Shown]) -> str:
    """What a reader must know of sessions that were asked for and are not in the report; empty where all are."""
    if not report.left_out:
        return ""
    return f"{counted(report.left_out, 'more session')} left out: too many for one report."


def asked_by(case: CasePart[Shown]) -> list[tuple[str, Shown]]:
    """The ticket and the customer of a case, each behind the word for it: what hides a ticket calls itself one."""
    found: list[tuple[str, Shown]] = []
    if case.ticket:
        found.append(("" if isinstance(case.ticket, Placeholder) else "ticket ", case.ticket))
    if case.customer:
        found.append(("for ", case.customer))
    return found


def remark_of(one: Pinned[Shown]) -> str:
    """What a reader must know of a pinned finding; empty where all is as it was."""
    if one.session is None:
        return ELSEWHERE
    return "" if one.is_found else GONE


def left_out(found: BeforeAfter[Shown]) -> str:
    """How many causes and sessions moved besides those that are told; nothing where that is all."""
    more = [(found.more_causes, "more cause"), (found.more_sessions, "more session")]
    told = [counted(number, what) for number, what in more if number]
    return f"Moved as well, and left out here: {' and '.join(told)}." if told else ""
