"""Text of a log inside of a sentence of ours: always in one kind of quotes, so that the two can be told apart again.

Does not judge what is quoted; whoever passes a sentence on may leave the quotations out.
"""

import re

SHOWN = 60  # characters of a value that a sentence shows
_QUOTATION = re.compile("“([^“”]*)”")
_STRAIGHT = str.maketrans("“”", '""')


def quoted(value: str, shown: int = SHOWN) -> str:
    """A text in quotes, cut to ``shown`` characters; quotes of the same kind within it become straight ones."""
    cut = value if len(value) <= shown else value[:shown] + "…"
    return f"“{cut.translate(_STRAIGHT).replace(chr(10), chr(92) + 'n')}”"


def listed(values: list[str]) -> str:
    """Several texts, each in quotes of its own."""
    return ", ".join(map(quoted, values))


def split(sentence: str) -> list[tuple[str, str | None]]:
    """A sentence as pairs: words of ours, and the quotation behind them; None behind the last words.

    ``'a “b” c'`` becomes ``[('a ', 'b'), (' c', None)]``.
    """
    pairs: list[tuple[str, str | None]] = []
    stop = 0
    for found in _QUOTATION.finditer(sentence):
        pairs.append((sentence[stop : found.start()], found[1]))
        stop = found.end()
    return [*pairs, (sentence[stop:], None)]
