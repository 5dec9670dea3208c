"""Known reports of losses that tokens show, as two requests each, and the renderers that they need.

``tests/data/cases_visible`` holds the requests with the cause that each must get.  Where the model's own template is
not among those that are fetched, a small one that behaves like it stands in ``templates``.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from analysis.causes.comparison import Comparison, Suspect
from analysis.causes.fixes import Sent
from analysis.model.finding import SessionAnalysis
from analysis.model.session import JsonObject, Request, Session, Turn, Usage
from analysis.model.settings import Normalisation, Settings
from analysis.pipeline.analyse import analyse
from analysis.render.template import TemplateRenderer
from analysis.render.tokenizer import load_model
from tests.builders import ROOT, SAMPLE_MODEL

FOLDER = ROOT / "tests" / "data" / "cases_visible"
CASES = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}
OWN = tuple(name for name, case in CASES.items() if case["own_template"])
FETCHED = tuple(  # those of a template behind each other: it is loaded once
    sorted((name for name, case in CASES.items() if not case["own_template"]), key=lambda name: CASES[name]["template"])
)
TOKENIZER = {"gptoss": "gptoss", "llama3_1": "llama3_1"}  # by template; all others are shown with that of Qwen3
SPECIAL = {"bos_token": "<s>", "eos_token": "<|im_end|>"}


def own_renderer(template: str, normalise: Normalisation = "vllm") -> TemplateRenderer:
    """One of the small templates with the sample tokenizer."""
    files = load_model(str(SAMPLE_MODEL))
    source = (FOLDER / "templates" / f"{template}.jinja").read_text("utf-8")
    return TemplateRenderer(replace(files, chat_template=source, special_tokens=SPECIAL), normalise)


@lru_cache(maxsize=3)  # a tokenizer takes a second to load, and much room
def fetched_renderer(oracles: Path, template: str, normalise: Normalisation = "vllm") -> TemplateRenderer:
    """A model's real template with a real tokenizer."""
    files = load_model(str(oracles / "tokenizers" / TOKENIZER.get(template, "qwen3")))
    source = (oracles / "templates" / f"{template}.jinja").read_text("utf-8")
    if (
        template not in TOKENIZER
    ):  # a template of a family without a tokenizer here: its markers are tokens all the same
        files.tokenizer.add_special_tokens(sorted(set(re.findall(r"<\|[a-z_]+\|>", source))))
    return TemplateRenderer(replace(files, chat_template=source), normalise)


def analysed(case: dict[str, Any], renderer: TemplateRenderer | None, logged: bool = False) -> SessionAnalysis:
    """A case as a session of two turns; ``logged`` gives the turns the ids that the renderer makes."""
    turns = [_turn(number, one) for number, one in enumerate(case["turns"], 1)]
    if renderer is not None:
        turns = _with_tokens(case, turns, renderer, logged)
    session = Session("case", "case.jsonl", "case.jsonl", "test", tuple(turns))
    (found,) = analyse([session], lambda _model: None if logged and renderer is None else renderer, Settings())
    return found


def _turn(number: int, fields: dict[str, Any]) -> Turn:
    messages: tuple[JsonObject, ...] = tuple(fields["messages"])
    kwargs = fields.get("chat_template_kwargs", {})
    request = Request("chat", "m", messages, tuple(fields.get("tools", ())), template_kwargs=kwargs)
    at = fields.get("at", 60.0 * number)
    return Turn(number, number, f"r{number}", request, fields.get("reply"), started_at=at, ended_at=at + 1)


def _with_tokens(case: dict[str, Any], turns: list[Turn], renderer: TemplateRenderer, logged: bool) -> list[Turn]:
    """The turns with what the log of the case says of their tokens."""
    result = []
    for turn, fields in zip(turns, case["turns"], strict=True):
        prompt = renderer.prompt_ids(turn.request, turn.started_at)
        usage = Usage(prompt_tokens=len(prompt))
        if "generated" in fields:
            pieces = fields.get("generated_pieces", [fields["generated"]])
            ids = [*(one for piece in pieces for one in encoded(renderer, piece)), *encoded(renderer, "<|im_end|>")[:1]]
            turn = replace(turn, output_ids=np.array(ids, np.int32))
            usage = replace(usage, output_tokens=len(ids))
        elif turn.reply is not None:
            history = renderer.history_ids(turn.request, turn.reply, turn.started_at)
            usage = replace(usage, output_tokens=max(0, len(history) - len(prompt)))
        if "server_drops" in fields:
            usage = replace(usage, prompt_tokens=round(len(prompt) * (1 - fields["server_drops"])))
        if fields.get("missing_separator"):
            prompt = _without_separator(prompt, len(result[-1].prompt_ids), renderer)
            turn, usage = replace(turn, prompt_ids=prompt), Usage(prompt_tokens=len(prompt))
        if logged or "missing_separator" in str(case["turns"]):
            turn = replace(turn, prompt_ids=prompt)
        result.append(replace(turn, usage=usage))
    return result


def encoded(renderer: TemplateRenderer, text: str) -> list[int]:
    """Token ids of a text without anything around it."""
    request = Request("completion", "m", prompt=text, add_special_tokens=False)
    return [int(one) for one in renderer.prompt_ids(request, None)]


def _without_separator(prompt: Any, start: int, renderer: TemplateRenderer) -> Any:
    """The prompt without the token behind the first end of a turn from ``start`` on."""
    (end,) = encoded(renderer, "<|im_end|>")
    at = start + int((prompt[start:] == end).argmax())
    return np.delete(prompt, at + 1)


def beside(
    then: list[dict[str, Any]],
    now: list[dict[str, Any]],
    reply: dict[str, Any] | None = None,
    continues: int | None = None,
    later: list[dict[str, Any]] | None = None,
    **fields: Any,
) -> Comparison:
    """Two requests side by side, without tokens.  ``fields`` are those of both, as pairs of then and now."""
    old, new = ({name: pair[side] for name, pair in fields.items()} for side in (0, 1))
    ids = np.arange(4, dtype=np.int32)
    return Comparison(
        then=Sent(Request("chat", "m", tuple(then), **old), 0.0),
        now=Sent(Request("chat", "m", tuple(now), **new), 60.0),
        reply=reply,
        old_ids=ids,
        new_ids=ids[::-1].copy(),
        prompt_tokens=len(ids),
        continues=continues,
        later=Request("chat", "m", tuple(later)) if later is not None else None,
    )


def told(suspects: Iterable[Suspect]) -> list[tuple[str, str]]:
    """Codes and fields of what a family says."""
    return [(one.code, one.path) for one in suspects]


def causes_of(template: str, then: dict[str, Any], now: dict[str, Any], logged: bool = False) -> list[tuple[str, str]]:
    """Codes and fields of the second of two turns, rendered with one of the small templates."""
    turn = analysed({"turns": [then, now]}, own_renderer(template), logged).turns[1]
    return [(cause.code, cause.segment or "") for cause in turn.causes]
