"""``whymiss template``: checks every name it is given and writes what was found.

A name that cannot be read is a problem beside the others, and an error where nothing is left.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from analysis.live.vllm import VllmServer
from analysis.model.session import JsonObject, Problem
from analysis.model.template_check import TemplateCheck
from analysis.pipeline.template_check import behaving_alike, check_target
from analysis.report.template_words import as_json
from app import places
from app.outputs import write_text
from app.printing import json_text
from app.template_text import group_text


def check_all(targets: Sequence[str], kwargs: str | None = None) -> tuple[list[TemplateCheck], list[Problem]]:
    """Check each name, with the template arguments in ``kwargs`` (JSON) on every request.

    Raises ValueError where these are no JSON object, and the first error where nothing could be checked.
    """
    arguments = json_object(kwargs, "--kwargs") if kwargs is not None else {}
    checks: list[TemplateCheck] = []
    problems: list[Problem] = []
    for target in targets:
        try:
            checks.append(check_target(target, _connected, arguments))
        except (ValueError, OSError) as error:
            problems.append(Problem(target, None, _reason(error).removeprefix(f"{target}: ")))
    if not checks:
        raise ValueError(f"{problems[0].file}: {problems[0].message}")
    return checks, problems


def write_checks(checks: Sequence[TemplateCheck], problems: Sequence[Problem], json_to: Path | None) -> None:
    """Tables on stdout, or the JSON answer where ``-`` asks for it; JSON into a file beside the tables."""
    groups = behaving_alike(checks)
    answer = json_text(as_json(groups, problems)) + "\n"
    if json_to is not None and str(json_to) == "-":
        sys.stdout.write(answer)
        return
    sys.stdout.write("\n".join(map(group_text, groups)))
    if json_to is not None:
        write_text(json_to, answer)


def json_object(text: str, whose: str) -> JsonObject:
    """A JSON object as a person types it; raise ValueError for anything else."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ValueError(f'{whose}: not a JSON object, such as {{"enable_thinking": false}}.')
    return found


def _connected(address: str) -> VllmServer:
    return VllmServer(address, api_key=places.api_key())


def _reason(error: Exception) -> str:
    return str(error.strerror) if isinstance(error, OSError) and error.filename else str(error)
