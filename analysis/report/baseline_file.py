"""The file that a baseline is kept in: JSON with sums and session ids, and no text of a log.

Written the same for the same sessions, so that it can be kept under version control.
"""

import json
from dataclasses import asdict, fields
from typing import Any

from analysis.model.baseline import Baseline, SetFigures, WasteFigures
from analysis.model.settings import Settings

SCHEMA = 1
MOST = 2**53  # tokens: beyond what is counted, and what a share can be taken of
MOST_SETTING = 300  # characters of the value of a setting
SETTINGS = frozenset(setting.name for setting in fields(Settings))
REMEDY = "Write a new one with --save."


def written(baseline: Baseline) -> str:
    """The text of the file."""
    content = {
        "whymiss_baseline": SCHEMA,
        "settings": dict(baseline.settings),
        "whole": asdict(baseline.whole),
        "causes": dict(baseline.causes),
        "waste": None if baseline.waste is None else asdict(baseline.waste),
        "sessions": {session_id: asdict(figures) for session_id, figures in baseline.sessions.items()},
    }
    return json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n"


def read(text: str, name: str) -> Baseline:
    """The baseline in the text of the file ``name``; raise ValueError with the remedy where it is none."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError(f"{name}: this is no JSON, and so no baseline. {REMEDY}") from None
    if not isinstance(content, dict) or "whymiss_baseline" not in content:
        raise ValueError(f"{name}: this is no baseline of Whymiss. {REMEDY}")
    if content["whymiss_baseline"] is True or content["whymiss_baseline"] != SCHEMA:
        raise ValueError(f"{name}: a baseline of another version of Whymiss. {REMEDY}")
    try:
        return Baseline(
            settings={
                key: _text(value)[:MOST_SETTING] for key, value in content["settings"].items() if key in SETTINGS
            },
            whole=_figures(content["whole"]),
            sessions={_text(key): _figures(value) for key, value in content["sessions"].items()},
            causes={_text(key): _count(value) for key, value in content["causes"].items()},
            waste=_waste(content.get("waste")),
        )
    except (KeyError, TypeError, AttributeError, ValueError):
        raise ValueError(f"{name}: the baseline is damaged. {REMEDY}") from None


def _figures(value: dict[str, Any]) -> SetFigures:
    figures = SetFigures(**{name: _count(number) for name, number in value.items()})
    if figures.reusable_tokens > figures.rendered_tokens or figures.cached_tokens > figures.known_tokens:
        raise ValueError("a part is more than the whole")
    return figures


def _waste(value: dict[str, Any] | None) -> WasteFigures | None:
    """None in a file that was written before this was kept."""
    if value is None:
        return None
    waste = WasteFigures(**{name: _count(number) for name, number in value.items()})
    parts = [
        (waste.lost_tokens, waste.checked_tokens), (waste.missed_tokens, waste.reported_tokens),
        (waste.ideal_tokens, waste.following_tokens),
    ]  # fmt: skip
    if any(part > whole for part, whole in parts):
        raise ValueError("a part is more than the whole")
    return waste


def _text(value: object) -> str:
    """A name that can be written and shown: JSON can hold halves of characters."""
    return str(value).encode("utf-8", "replace").decode()


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value < MOST:
        raise ValueError("no count")
    return value
