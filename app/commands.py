"""What all commands have in common: one line for a mistake in the options, and a quiet end when nobody reads any more.

Does not know what a command does.
"""

import io
import os
import sys
from contextlib import suppress
from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from app.terminal import reason, say

CLOSED_PIPE = 141  # as of a program that SIGPIPE ends: 128 + 13


class Commands(TyperGroup):
    """The commands of the command line."""

    def main(self, *arguments: Any, **options: Any) -> NoReturn:
        """Run one and exit with its code: 2, with one line, where its options are wrong."""
        try:
            code = super().main(*arguments, **{**options, "standalone_mode": False})
        except OSError as error:  # as of a disk that is full, where stdout goes to a file
            say(f"whymiss: {reason(error)}")
            code = 2
        except Exception as error:
            if not hasattr(error, "format_message"):  # typer brings a click of its own, or takes the installed one
                raise
            say(f"whymiss: {wrong_usage(error)}")
            code = 2
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run one until it is done, or nobody reads what it says."""
        try:
            try:
                return super().invoke(ctx)
            finally:
                sys.stdout.flush()  # what is left to be said fails here, and not at the end of the interpreter
        except BrokenPipeError:
            _stop_writing()
            raise typer.Exit(CLOSED_PIPE) from None


def wrong_usage(error: Any) -> str:
    """A mistake in the options as one sentence, and where to read on."""
    context = getattr(error, "ctx", None)
    command = "whymiss" if context is None or context.parent is None else f"whymiss {context.info_name}"
    said = " ".join(str(error.format_message()).split()).rstrip(".")
    return f"{said[:1].lower()}{said[1:]} (`{command} --help` lists what there is)."


def _stop_writing() -> None:
    """Let what is still buffered go nowhere: else the interpreter complains of it when it ends."""
    with suppress(io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nowhere, stream.fileno())
