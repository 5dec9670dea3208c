"""What the Sessions page is asked for, and the query of its address that says so: a link to it is a saved view.

An address is typed, cut off and forwarded by people: what cannot be meant is left out, never an error.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, timedelta
from functools import cache
from urllib.parse import parse_qs, urlencode
from zoneinfo import available_timezones

from analysis.report.figure_words import FIDELITY
from analysis.report.words import in_words

ORDERS = {
    "tokens": "wasted tokens",
    "seconds": "wasted seconds",
    "cost": "wasted cost",
    "share": "share of the prompts",
    "newest": "newest first",
}
BREAKDOWNS = {"cause": "by cause", "model": "by model", "client": "by client version"}
LOOKS = {"causes": "Causes", "days": "Days: what changed"}
MOST_COMPARED = 8
FIRST_DAY, LAST_DAY = date(1970, 1, 1), date(2199, 12, 31)  # that a log can have
LONGEST = 300  # characters of one value
MOST_NAMED = 40  # names that one filter takes
MOST_FIELDS = 400  # Streamlit drops an address of more than 1,000, and that of two sets has twice as many
LONGEST_QUERY = 1 << 17  # characters; Streamlit drops one of four times as many
ONE_DAY = timedelta(days=1)
_LISTS = ("model", "label", "cause", "client", "source", "fidelity", "status", "assignee")

Params = dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Asked:
    """Filters (empty is all), the order, the time zone and what is looked at; the names are those of the address.

    ``since`` and ``until`` are days of ``zone``, both included; without a zone they are days of the browser's.
    ``compare`` are the keys of sessions that are shown side by side.
    """

    q: str = ""
    model: tuple[str, ...] = ()
    label: tuple[str, ...] = ()
    cause: tuple[str, ...] = ()
    client: tuple[str, ...] = ()
    source: tuple[str, ...] = ()
    fidelity: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    assignee: tuple[str, ...] = ()
    since: date | None = None
    until: date | None = None
    order: str = "tokens"
    zone: str | None = None
    look: str = "causes"
    by: str = "cause"
    compare: tuple[int, ...] = ()

    @property
    def filters(self) -> dict[str, str]:
        """The filters that are set, by name, as a person reads them; the search is not among them."""
        lists = {name: ", ".join(shown(name, one) for one in getattr(self, name)) for name in _LISTS}
        days = {"since": str(self.since or ""), "until": str(self.until or "")}
        if self.since is not None and self.since == self.until:
            days = {"day": f"{self.since:%A} {self.since}"}
        return {name: text for name, text in (lists | days).items() if text}


def shown(name: str, value: str) -> str:
    """A value of a filter as a person reads it: what a cause and a fidelity are in words, as everywhere else."""
    if name == "cause":
        return in_words(value)
    return (FIDELITY.get(value, value) if name == "fidelity" else value) or "none"


def asked_in(params: Mapping[str, Sequence[str]]) -> Asked:
    """What an address asks for."""

    def one(name: str) -> str:
        return (list(params.get(name, ())) or [""])[-1][:LONGEST]

    lists = {name: tuple(dict.fromkeys(text[:LONGEST] for text in params.get(name, ()))) for name in _LISTS}
    since, until = _day(one("since")), _day(one("until"))
    if since and until and until < since:
        since, until = until, since
    return Asked(
        q=one("q").strip(),
        **lists,
        since=since,
        until=until,
        order=one("order") if one("order") in ORDERS else "tokens",
        zone=known_zone(one("zone")),
        look=one("look") if one("look") in LOOKS else "causes",
        by=one("by") if one("by") in BREAKDOWNS else "cause",
        compare=tuple(keys_in(one("compare").split(",")))[:MOST_COMPARED],
    )


def params_of(asked: Asked) -> Params:
    """The query that asks for this; what is as it is at first is not in it."""
    blank = Asked()
    found: Params = {}
    for field in fields(Asked):
        value = getattr(asked, field.name)
        if value == getattr(blank, field.name):
            continue
        if field.name == "compare":
            found[field.name] = [",".join(map(str, value))]
        else:
            found[field.name] = list(value) if isinstance(value, tuple) else [str(value)]
    return found


def query_of(asked: Asked) -> str:
    """The query as it stands behind the ``?``."""
    return urlencode(params_of(asked), doseq=True)


def fits(asked: Asked) -> bool:
    """Whether an address can say this: one that is too long is not read at all, by nobody who opens it."""
    query = query_of(asked)
    return query.count("&") < MOST_FIELDS and len(query) <= LONGEST_QUERY


def asked_by(query: str) -> Asked:
    """What a query asks for; the inverse of ``query_of``."""
    return asked_in(parse_qs(query, keep_blank_values=True))


def known_zone(name: str | None) -> str | None:
    """The name of a time zone, where it is one that is known here."""
    return name if name in zones() else None


@cache
def zones() -> tuple[str, ...]:
    """The names of all time zones that are known here, in their order."""
    return tuple(sorted(available_timezones()))


def _day(text: str) -> date | None:
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if FIRST_DAY - ONE_DAY <= found <= LAST_DAY else None  # the day before the first ends an empty set


def keys_in(texts: Iterable[str]) -> Iterable[int]:
    """The keys of sessions among these texts, each once."""
    return dict.fromkeys(int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) < 16)
