"""In which ways two versions of one text differ: by a time, a date, a value of one request, or in what they say.

Does not look at where the text stands, and does not know whether a value is right: only that it was another before.
"""

import re
from collections import Counter
from difflib import SequenceMatcher

CLIENT_TIMESTAMP = "volatile-head/client-timestamp"
CLIENT_DATE = "volatile-head/client-date"
REQUEST_NONCE = "volatile-head/request-nonce"
LIVE_STATE = "volatile-head/live-state"
SYSTEM_REPLACED = "volatile-head/system-replaced"

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\b"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_TIME = re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?!\d)(?:\s?[AaPp][Mm]\b)?")
_DATE = re.compile(
    rf"(?<!\d)\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}(?!\d)|(?<!\d)\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}(?!\d)"
    rf"|\b{_DAY}\s+{_MONTH}(?:,?\s+\d{{4}})?|\b{_MONTH}\s+{_DAY}\b(?:,?\s+\d{{4}})?|\b{_MONTH}\s+\d{{4}}\b|\b(?:{_WEEKDAY})"
)
_NONCE = re.compile(
    r"\b[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\b"  # a uuid
    r"|\b(?=[A-Za-z_]*\d)[0-9A-Fa-f]{4,}\b"  # hexadecimal, or a number as long as an epoch or a counter
    r"|\b(?=[A-Za-z_]*\d)[0-9A-Za-z_]{12,}\b"
)
_KINDS = ((CLIENT_TIMESTAMP, _TIME), (CLIENT_DATE, _DATE), (REQUEST_NONCE, _NONCE))  # in this order: 12:30 is no number


def ways(then: str, now: str) -> frozenset[str]:
    """The codes of the ways in which ``now`` differs from ``then``; empty where the two are equal.

    A time that differs takes its date with it: ``client-date`` is said only where no time does.  What is no value of
    these kinds is ``live-state``, or ``system-replaced`` where less than half of the characters survive.
    """
    if then == now:
        return frozenset()
    found: set[str] = set()
    old, new = then, now
    for code, pattern in _KINDS:
        before, after = Counter(pattern.findall(old)), Counter(pattern.findall(new))
        if before - after and after - before:
            found.add(code)
        old, new = pattern.sub("\0", old), pattern.sub("\0", new)
    if CLIENT_TIMESTAMP in found:
        found.discard(CLIENT_DATE)
    if old != new:
        found.add(LIVE_STATE if survives(then, now) else SYSTEM_REPLACED)
    return frozenset(found)


def values(code: str, text: str) -> list[str]:
    """The values of one kind in a text, in their order; what is of a kind that is looked for before it is none."""
    for kind, pattern in _KINDS:
        if kind == code:
            return [found[0] for found in pattern.finditer(text)]
        text = pattern.sub("\0", text)
    return []


def same_start(then: str, now: str) -> int:
    """How many leading characters two texts share."""
    same, most = 0, min(len(then), len(now))
    while same < most:
        step = (most - same + 1) // 2
        if then[same : same + step] == now[same : same + step]:
            same += step
        else:
            most = same + step - 1
    return same


def survives(then: str, now: str) -> bool:
    """Whether at least half of the characters of ``then`` stand in ``now``, in their order and in whole words."""
    head = same_start(then, now)
    old, new = then[head:], now[head:]
    tail = same_start(old[::-1], new[::-1])
    old_words, new_words = re.split(r"(\s+)", old[: len(old) - tail]), re.split(r"(\s+)", new[: len(new) - tail])
    kept = head + tail
    if 2 * kept < len(then):
        matching = SequenceMatcher(None, old_words, new_words).get_matching_blocks()
        kept += sum(len("".join(old_words[block.a : block.a + block.size])) for block in matching)
    return 2 * kept >= len(then)
