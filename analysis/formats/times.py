"""Times as logs write them, as seconds since the epoch."""

from datetime import UTC, datetime

from analysis.model.session import Json

LATEST = 4e9  # seconds: a larger number counts milliseconds, microseconds or nanoseconds
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
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    return None
