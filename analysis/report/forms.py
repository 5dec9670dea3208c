"""The form of a value's class: what a time, a date or a value of one request looks like, with how far it moved.

Nothing of the value itself is in its form but its shape and, for times and dates, the step from one to the other.
"""

import re
from contextlib import suppress
from datetime import date

from analysis.causes.volatile_text import CLIENT_DATE, CLIENT_TIMESTAMP, REQUEST_NONCE, values

_CLOCK = re.compile(r"(\d{1,2}):(\d{2})(?::(\d{2})([.,]\d+)?)?\s?([AaPp][Mm])?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_UUID = re.compile(r"[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def forms(code: str, old: str, new: str) -> tuple[str | None, str | None]:
    """The forms of two texts that differ by a value of this code, as they were and as they are; None for others."""
    pairs = [(one, other) for one, other in zip(values(code, old), values(code, new), strict=False) if one != other]
    if code == CLIENT_TIMESTAMP:
        return _clocks(pairs, same_day=values(CLIENT_DATE, old) == values(CLIENT_DATE, new))
    if code == CLIENT_DATE:
        return _dates(pairs)
    if code == REQUEST_NONCE and pairs:
        return _shape(pairs[0][0]), _shape(pairs[0][1])
    return None, None


def _clocks(pairs: list[tuple[str, str]], same_day: bool) -> tuple[str, str]:
    if not pairs:
        return "a time", "another time"
    (old, before), (new, after) = _clock(pairs[0][0]), _clock(pairs[0][1])
    return old, f"{new} ({after - before:+,} s)" if same_day else f"{new} (another day)"


def _clock(text: str) -> tuple[str, int]:
    """The form of a time, and its second of the day."""
    found = _CLOCK.fullmatch(text)
    if found is None:
        return "a time", 0
    hour, minute, second, fraction, half = found.groups()
    form = "HH:MM" + (":SS" if second else "") + (".fff" if fraction else "") + (" AM/PM" if half else "")
    hours = int(hour) % 12 + 12 * (half.lower() == "pm") if half else int(hour)
    return form, 3600 * hours + 60 * int(minute) + int(second or 0)


def _dates(pairs: list[tuple[str, str]]) -> tuple[str, str]:
    for old, new in pairs:
        then, now = _date(old), _date(new)
        if then is not None and now is not None:
            days = (now - then).days
            return "YYYY-MM-DD", f"YYYY-MM-DD ({days:+,} day{'' if abs(days) == 1 else 's'})"
    return "a date", "another date"


def _date(text: str) -> date | None:
    """A date whose day, month and year are told; None where they are not, or not which is which."""
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    month = next((at for at, name in enumerate(_MONTHS, 1) if re.search(rf"\b{name}", text.lower())), None)
    with suppress(ValueError):  # the 31st of a shorter month is no date to count with
        if month is not None and len(numbers) == 2:
            return date(numbers[1], month, numbers[0])
        if month is None and len(numbers) == 3 and numbers[0] > 31:
            return date(*numbers)
    return None


def _shape(text: str) -> str:
    """``32 hexadecimal digits``, ``uuid``: what a value is made of."""
    if _UUID.fullmatch(text):
        return "uuid"
    if text.isdecimal():
        return f"{len(text)} digits"
    if re.fullmatch(r"[0-9A-Fa-f]+", text):
        return f"{len(text)} hexadecimal digits"
    return f"{len(text)} letters and digits"
