"""Rows of a CSV file as records: every cell a text, JSON in a cell still as it was written.

Does not guess a separator: exports of tracing tools have commas.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from threading import Lock

from analysis.formats.base import Problems

LARGEST_CELL = 1 << 30  # characters
_ONE_AT_A_TIME = Lock()


def header(head: bytes) -> tuple[str, ...]:
    """The names of the columns; empty where the first line is none of a table."""
    first = head.lstrip(b"\xef\xbb\xbf").partition(b"\n")[0][: 1 << 16]
    if first[:1] in (b"{", b"[", b"") or b"," not in first or b"\0" in first:
        return ()
    try:
        return tuple(cell.strip() for cell in next(csv.reader([first.decode("utf-8", "replace")]), []))
    except csv.Error:
        return ()


def rows(data: bytes, columns: Sequence[str], problems: Problems) -> Iterator[tuple[int, dict[str, str]]]:
    """Every row with the 1-based line where it ends, without its empty cells; one that is cut short is a problem."""
    for line, row in _parsed(data, problems)[1:]:
        if len(row) == len(columns):
            yield line, {name: cell for name, cell in zip(columns, row, strict=True) if cell}
        elif row:
            problems.count("row", line, "left out: the row has not as many cells as the table columns.")


def _parsed(data: bytes, problems: Problems) -> list[tuple[int, list[str]]]:
    """All rows as far as they can be read.  How large a cell may be is set for the process, so only as long as it must.

    One table at a time: another one that ends meanwhile would set the limit back.
    """
    found = []
    reader = csv.reader(io.StringIO(data.decode("utf-8-sig", "replace"), newline=""), strict=True)
    with _ONE_AT_A_TIME:
        before = csv.field_size_limit(LARGEST_CELL)
        try:
            for row in reader:
                found.append((reader.line_num, row))
        except csv.Error as error:
            problems.add(reader.line_num, f"the table cannot be read from here on ({error}). Export it again.")
        finally:
            csv.field_size_limit(before)
    return found
