"""The command line as the tests call it, and small logs to call it on."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from app.cli import app


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == code, result.output
    return result


def error_of(*arguments: object) -> str:
    """The one line of an error; below it only what was tried may stand."""
    result = run(*arguments, code=2)
    assert result.stdout == ""
    line, *tried = result.stderr.splitlines()
    assert all(one.startswith("  ") and " looks for " in one for one in tried)
    assert line.startswith("whymiss: ")
    return line.removeprefix("whymiss: ")


def write(path: Path, *records: object) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def chat(*texts: str, **fields: Any) -> dict[str, Any]:
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)]
    return {"model": "sample/agent-8k", "messages": messages, **fields}
