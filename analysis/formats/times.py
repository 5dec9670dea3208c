"""Times as logs write them, as seconds since the epoch."""

import re
from datetime import UTC, datetime

from analysis.model.session import Json

LATEST = 4e9  # seconds: a larger number counts milliseconds, microseconds or nanoseconds
_NUMBER = re.compile(r"[0-9]{1,19}(\.[0-9]+)?")
LARGEST = LATEST * 1e9  # in nanoseconds: what is larger still is no time


def seconds(value: Json) -> float | None:
    """Seconds since the epoch of a number or an ISO 8601 text (without a zone: UTC); None where it is neither."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int | float):
        if not 0 < value <= LARGEST:
            return None
        number = float(value)
        while number > LATEST:
            number /= 1000
        return number
    if isinstance(value, str):
        return _of_text(value.strip())
    return None


def _of_text(text: str) -> float | None:
    """A number in quotes, or ISO 8601; a zero time (year 1) is no time."""
    if _NUMBER.fullmatch(text):
        return seconds(float(text))
    try:
        moment = datetime.fromisoformat(text)
        number = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None
    return number if 0 < number <= LATEST else None
