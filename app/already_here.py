"""What a log that was just added has in common with those that were there before it: such calls count twice."""

from analysis.report.words import counted
from analysis.store.repository import Repository

MOST_NAMED = 3


def already_here(repository: Repository, import_key: int, num_sessions: int) -> str | None:
    """One line, without a stop, on the sessions of an import whose calls other logs brought too; None without any."""
    number, files = repository.repeated(import_key)
    if not number:
        return None
    names = ", ".join(files[:MOST_NAMED])
    more = f" and {counted(len(files) - MOST_NAMED, 'other log')}" if len(files) > MOST_NAMED else ""
    of_them = f"{number:,} of {counted(num_sessions, 'session')} {'is' if number == 1 else 'are'}"
    return f"{of_them} already here, at least in part, from {names}{more}, and counted twice"
