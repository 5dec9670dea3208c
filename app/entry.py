"""The console script: a quiet end where Ctrl-C comes before the command line is there, which takes a second to import.

Imports nothing of the project before that.
"""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130  # as of a program that SIGINT ends: 128 + 2


def main() -> None:
    """The command line, from its import to its end."""
    before = signal.signal(signal.SIGINT, _stop)
    from app import cli

    signal.signal(signal.SIGINT, before)
    try:
        cli.main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def _stop(_signal: int, _frame: FrameType | None) -> NoReturn:
    """End at once: an import that an exception breaks off may be told as one that failed, and nothing is open yet."""
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
