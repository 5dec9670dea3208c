"""Log formats: one file each, listed in one tuple, and exactly one says yes to a file."""

from analysis.formats import openai_chat
from analysis.formats.base import HEAD_BYTES, Format, FormatError, Progress, UnknownFormat
from analysis.model.session import Log

FORMATS: tuple[Format, ...] = (openai_chat,)


def detect(head: bytes, file: str) -> Format:
    """The one format that says yes to these first bytes; raise UnknownFormat with what was tried."""
    names = "; ".join(f"{known.name}, {known.title}" for known in FORMATS)
    match [candidate for candidate in FORMATS if candidate.sniff(head)]:
        case [only]:
            return only
        case []:
            kind = "binary data" if b"\0" in head else "text"
            raise UnknownFormat(f"{file}: {kind}, and no log that Whymiss reads. It reads: {names}.")
        case several:
            found = ", ".join(match.name for match in several)
            raise UnknownFormat(f"{file}: could be any of: {found}. Name one with --format.")


def named(name: str) -> Format:
    """The format of this name; raise UnknownFormat with the names there are."""
    for known in FORMATS:
        if known.name == name:
            return known
    raise UnknownFormat(f"no format is called {name!r}; there are: {', '.join(known.name for known in FORMATS)}")


def read_log(
    data: bytes, file: str, source: str, log_format: str | None = None, progress: Progress | None = None
) -> Log:
    """Read a whole log.  ``source`` names the server history it is part of.

    Raises FormatError where the file is empty, of no known format, or holds no request at all.
    """
    if not data.strip():
        raise FormatError(f"{file}: the file is empty. Point Whymiss at a log with at least one request.")
    chosen = named(log_format) if log_format else detect(data[:HEAD_BYTES], file)
    return chosen.read(data, file, source, progress)
