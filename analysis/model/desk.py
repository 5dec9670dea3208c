"""What people add to sessions on the triage desk: how far each one is looked into, by whom, and under which labels."""

from dataclasses import dataclass
from typing import Literal, get_args

Status = Literal["new", "investigating", "explained", "fixed"]
STATUSES: tuple[Status, ...] = get_args(Status)


@dataclass(frozen=True, slots=True)
class Mark:
    """Where the work on a session stands.  ``assignee`` is empty where it is nobody's."""

    status: Status = "new"
    assignee: str = ""
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MarkChange:
    """What is to be different for several sessions; None leaves what each of them has.

    Labels are added and removed one by one, so that sessions with different labels keep the others.
    """

    status: Status | None = None
    assignee: str | None = None
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class View:
    """A list of sessions that is looked at again: its name, and the query of the page's address."""

    name: str
    query: str
