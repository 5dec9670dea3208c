"""The choice of a renderer for a served model: what a person gives, checked; and what becomes of one that fails."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import get_args

from analysis.live.address import base_url
from analysis.model.renderer import RendererChoice, RendererKind
from analysis.model.session import Problem, Session
from analysis.pipeline.renderers import Renderers

TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json")
LONGEST_ID = 96  # characters of a hub id
_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")


def checked_choice(model: str, kind: str, value: str) -> RendererChoice:
    """A choice as it can be stored; raises ValueError or EndpointError with the remedy where it cannot.

    Nothing is loaded and nobody is asked.  An address with a user name or password in it is refused.
    """
    name, given = model.strip(), value.strip()
    if not name:
        raise ValueError("Say which served model this renders: its name as it stands in the log.")
    if not given:
        raise ValueError("Give the folder, the hub id or the address of a server.")
    for known in get_args(RendererKind):
        if kind == known:
            return RendererChoice(name, known, _CHECKS[known](given))
    raise ValueError(f"{kind!r}: a renderer is one of {', '.join(get_args(RendererKind))}.")


def unusable(sessions: Iterable[Session], renderers: Renderers) -> dict[str, Problem]:
    """Models of a log whose chosen renderer cannot be loaded or does not answer, each with the line to show for it."""
    found: dict[str, Problem] = {}
    asked = {turn.request.model: session.file for session in sessions for turn in session.turns}
    for model, file in asked.items():
        if model not in renderers.choices:
            continue
        try:
            renderers.renderer_for(model)
        except (ValueError, OSError) as error:
            said = str(error).rstrip(".")
            found[model] = Problem(
                file,
                None,
                f"the renderer chosen for the model {model!r} cannot be used: {said}. Choose another one on the page"
                " Models of the dashboard, or give --model.",
            )
    return found


def _folder(value: str) -> str:
    folder = Path(value).expanduser()
    if not folder.is_dir():
        raise ValueError(f"{value}: there is no such folder. Give the folder that holds tokenizer.json.")
    if not any((folder / name).is_file() for name in TOKENIZER_FILES):
        raise ValueError(f"{value}: no tokenizer in this folder. Give the folder that holds tokenizer.json.")
    return str(folder.resolve())


def _hub_id(value: str) -> str:
    if len(value) > LONGEST_ID or not _ID.fullmatch(value) or ".." in value or "--" in value:
        raise ValueError(f"{value}: not the shape of a hub id. Give it as organisation/model, such as Qwen/Qwen3-8B.")
    return value


_CHECKS = {"folder": _folder, "hub": _hub_id, "endpoint": base_url}
