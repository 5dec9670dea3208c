"""Credentials, e-mail addresses and given names in a text: for the scope that hides only these.

Finds by form.  A secret without one, such as a password in a sentence, is not found: hide everything where that
matters.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate

from analysis.report.given_names import spans_of
from analysis.report.token_text import as_bytes

HIDDEN = "‹hidden›"
SHORTEST_NAME = 3  # characters of a person's name that is looked for: a shorter one is a part of other words
CUT = "…"
# Each begins where a run of its letters begins: tried within one too, they would take ages for a megabyte of a word.
_FORMS = (
    re.compile(r"(?<![\w.+%-])[\w.+%-]+@[\w-]+(?:\.[\w-]+)*"),
    re.compile(r"-----BEGIN[ ][A-Z ]*KEY-----.*?(?:-----END[^-]*-----|$)", re.DOTALL),
    re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghs|glpat|xox[abprs]|hf|npm|pypi)[-_][\w-]{8,}"),
    re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{12,}|\bAIza[\w-]{20,}|\beyJ[\w-]{6,}(?:\.[\w-]*)*"),
    re.compile(
        r"(?:authorization|bearer|basic|api[_-]?key|access[_-]?key|passw(?:or)?d|passwd|secret|token|credential)"
        r"[\"'\s:=]+\S+(?:\s+\S{8,})?",
        re.IGNORECASE,
    ),
    re.compile(r"(?<=://)[^\s/@]+@"),
    re.compile(r"(?<![\w+/=-])(?=[\w+/=-]*\d)(?=[\w+/=-]*[A-Za-z])[\w+/=-]{20,}"),
)
_ESCAPED = re.compile(r"\\[nrtbf]")
_DATE, _TIME = r"\d{4}[-/.]\d{2}[-/.]\d{2}", r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,6})?)?(?:Z|[AaPp][Mm])?"
_MOMENT = re.compile(f"{_DATE}(?:T{_TIME})?|{_TIME}")


Name = str | re.Pattern[str]  # to be hidden wherever it stands, also within a word; or as the pattern finds it


def person(name: str) -> tuple[Name, ...]:
    """What to hide of the name of a person: the whole, and each of its words where it stands as one."""
    words = [word for word in re.findall(r"\w+", name) if len(word) >= SHORTEST_NAME]
    whole: tuple[Name, ...] = (name,) if len(name) >= SHORTEST_NAME else ()
    return (*whole, *(re.compile(rf"(?<!\w){re.escape(word)}(?!\w)") for word in words))


def masked(text: str, names: Sequence[Name] = (), edges: bool = False) -> str:
    """The text without what is to be hidden; ``edges``: it was cut out of another, so its first and last word may be
    pieces of something to hide."""
    said = text.removesuffix(CUT) if edges else text
    spans = _spans(said, names, edges)
    parts, stop = [], 0
    for start, end, word in spans:
        parts += [said[stop:start], word]
        stop = end
    made = "".join([*parts, said[stop:]])
    return made if said == text or made.endswith(CUT) else made + CUT


def says_anything(text: str) -> bool:
    """Whether a masked text has a word left."""
    return bool(re.search(r"\w", text.replace(HIDDEN, "")))


def covered(pieces: Sequence[str], names: Sequence[Name] = ()) -> list[bool]:
    """Which tokens, as they are shown, hold a part of something to hide; their text was cut out of another."""
    raw = [as_bytes(piece) for piece in pieces]
    text = b"".join(raw).decode("utf-8", "surrogateescape")
    spans = _spans(text, names, edges=True)
    ends = [0, *accumulate(len(char.encode("utf-8", "surrogateescape")) for char in text)]
    marks, start = [], 0
    for piece in raw:
        stop = start + len(piece)
        marks.append(any(ends[begin] < stop and start < ends[end] for begin, end, _word in spans))
        start = stop
    return marks


def _spans(text: str, names: Sequence[Name], edges: bool) -> list[tuple[int, int, str]]:
    """What to hide, in its order; an escaped line break or tab, as JSON and quotations have them, may be a blank."""
    plain = _ESCAPED.sub("  ", text)
    found = [*_found(text, names, edges), *(_found(plain, names, edges) if plain != text else ())]
    return _merged([*found, *(_edges(plain) if edges else ())])


def _found(text: str, names: Sequence[Name], edges: bool) -> Iterator[tuple[int, int, str]]:
    forms = (*_FORMS, *(name for name in names if isinstance(name, re.Pattern)))
    for form in forms:
        yield from ((found.start(), found.end(), HIDDEN) for found in form.finditer(text))
    given = [name for name in names if isinstance(name, str)]
    yield from ((start, stop, HIDDEN) for start, stop in spans_of(text, given, edges))


def _edges(text: str) -> Iterator[tuple[int, int, str]]:
    """The first and the last word, but for a date or a time: that is no piece of something to hide."""
    for found in (re.match(r"\S+", text), re.search(r"(?<!\S)\S+$", text)):
        if found is not None and not _MOMENT.fullmatch(found[0].strip(".,;:()[]\"'")):
            yield found.start(), found.end(), CUT


def _merged(spans: Sequence[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Spans in their order, with those that touch made one; something hidden is said before a cut."""
    merged: list[tuple[int, int, str]] = []
    for start, stop, word in sorted(spans):
        if merged and start < merged[-1][1]:
            first, last, said = merged[-1]
            merged[-1] = (first, max(last, stop), HIDDEN if HIDDEN in (said, word) else CUT)
        else:
            merged.append((start, stop, word))
    return merged
