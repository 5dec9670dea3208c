"""Given names in a text, however they are written: in another case, with composed or decomposed letters, full width.

Letters count without the marks above them, and any blanks between words are the same.  Does not know spellings: who
wants ``Mueller`` hidden beside ``Müller`` gives both.
"""

import unicodedata
from collections.abc import Iterator, Sequence

UNSEEN = ("Cf", "Cs")  # joiners and soft hyphens, and bytes that are no text


def spans_of(text: str, names: Sequence[str], edges: bool = False) -> Iterator[tuple[int, int]]:
    """Where a name stands, ``[start, stop)`` in characters.

    ``edges``: the text was cut out of another, so it may begin with the end of a name and end with the beginning.
    """
    wanted = [name for name in (_folded(one)[0].strip() for one in names) if name]
    if not wanted:
        return
    plain, places = _folded(text)
    for name in wanted:
        start = plain.find(name)
        while start >= 0:
            yield places[start], places[start + len(name)]
            start = plain.find(name, start + 1)
        if edges and plain:
            yield from ((places[start], places[stop]) for start, stop in _cut(plain, name))


def _cut(plain: str, name: str) -> Iterator[tuple[int, int]]:
    """The longest end of a name that a text begins with, and the longest beginning that it ends with.

    Only such of more than a word: the words at both ends of a piece are hidden anyway.
    """
    lengths = range(min(len(name), len(plain)), 1, -1)
    head = next((length for length in lengths if " " in name[-length:] and plain.startswith(name[-length:])), 0)
    tail = next((length for length in lengths if " " in name[:length] and plain.endswith(name[:length])), 0)
    yield from ((0, head),) if head else ()
    yield from ((len(plain) - tail, len(plain)),) if tail else ()


def _folded(text: str) -> tuple[str, list[int]]:
    """A text as it is compared and, for each of its letters and for its end, where that stands in the text."""
    letters: list[str] = []
    places: list[int] = []
    for at, char in enumerate(text):
        for one in unicodedata.normalize("NFKD", char.casefold()):
            letter = " " if one.isspace() else one
            unseen = unicodedata.combining(one) or unicodedata.category(one) in UNSEEN
            if unseen or (letter == " " and letters[-1:] == [" "]):
                continue
            letters.append(letter)
            places.append(at)
    return "".join(letters), [*places, len(text)]
