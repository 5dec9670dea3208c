"""Reports of the sample sessions, as the product makes them: once per test run, whoever asks."""

from functools import cache

from analysis.report.document import Report, SessionPart
from analysis.report.quotes import Quote, Scope, Shown
from analysis.report.redaction import Rules, redacted
from app.reporting import report_of_logs
from tests.sample_store import sample, sample_renderers

KEY = bytes(range(32))


@cache
def report(start: str) -> Report[Quote]:
    """The report of the one sample log whose name starts so, for its owner."""
    return report_of_logs([sample(start)], sample_renderers(), [])


@cache
def leaving(start: str, scope: Scope = "everything") -> Report[Shown]:
    """The same report as it leaves."""
    return redacted(report(start), Rules(scope), KEY)[0]


def part(start: str, scope: Scope = "everything") -> SessionPart[Shown]:
    """The first session of a report as it leaves."""
    return leaving(start, scope).sessions[0]
