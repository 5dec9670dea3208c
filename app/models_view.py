"""The renderers of served models: what the store knows of each model, the form that chooses, and analysing again."""

import json
from dataclasses import dataclass, fields
from typing import Any

import pandas as pd
import streamlit as st

from analysis.core.incomplete import NAMELESS
from analysis.model.renderer import RendererChoice, RendererKind
from analysis.model.settings import Settings
from analysis.pipeline.renderer_choice import checked_choice
from analysis.pipeline.renderers import Renderers
from analysis.pipeline.sources import Source
from analysis.report.words import counted
from app import log_state, places, renderer_state, state, tables, visitors
from app.browser_words import in_browser
from app.log_form import import_sources
from app.plain import plain

KINDS: dict[str, tuple[RendererKind, str, str]] = {  # label: kind, what to give, example
    "A folder": ("folder", "Folder with tokenizer.json", "~/models/Qwen3-8B"),
    "A hub id": ("hub", "Hub id", "Qwen/Qwen3-8B"),
    "A live vLLM": ("endpoint", "Address of the server", "http://localhost:8000"),
}
SERVER = list(KINDS)[-1]
COMES_WITH = "comes with Whymiss"


@dataclass(frozen=True, slots=True)
class Log:
    """An imported log with a model: its content, where it is at hand, and the settings that it was read with."""

    file: str
    source: Source | None
    settings: Settings


def models() -> pd.DataFrame:
    """One row per served model of the store or of the choices, with what renders it; empty where nothing does."""
    frame, chosen = state.repository().models(), state.repository().renderers()
    unseen = [name for name in chosen if name not in set(frame.model)]
    rows = [*frame.to_dict("records"), *({"model": name} for name in unseen)]
    return pd.DataFrame(
        {
            "model": [row["model"] or NAMELESS for row in rows],
            "renderer": [shown(chosen.get(row["model"]), row["model"]) for row in rows],
            "tokens": [tokens(row, row["model"] in chosen) for row in rows],
            "num_sessions": [row.get("num_sessions", 0) for row in rows],
            "num_turns": [row.get("num_turns", 0) for row in rows],
        }
    )


def shown(choice: RendererChoice | None, model: str) -> str:
    """What renders a model, in a cell."""
    if choice is not None:
        return choice.value
    return COMES_WITH if model in places.known_models() else ""


def tokens(row: dict[str, Any], is_chosen: bool = False) -> str:
    """How the tokens of a model's turns are known, in a cell."""
    if not row.get("num_turns"):
        return "no turn of this model is stored"
    if row["unknown_turns"] and row["headless_turns"] == row["unknown_turns"] == row["num_turns"]:
        return "cannot be rendered: its logs are incomplete"
    if row["unknown_turns"]:
        some = "" if row["unknown_turns"] == row["num_turns"] else f" in {counted(row['unknown_turns'], 'turn')}"
        return f"unknown{some}: {_way_out(row, is_chosen)}"
    if row["mismatched_turns"]:
        return f"wrong tokenizer or template in {counted(row['mismatched_turns'], 'turn')}"
    return "known"


def _way_out(row: dict[str, Any], is_chosen: bool) -> str:
    """What becomes of turns whose tokens are unknown."""
    if row["headless_turns"] == row["unknown_turns"]:
        return "their log is incomplete"
    if not row["model"]:
        return "name its tokenizer when adding the log"
    return "analyse its logs again" if is_chosen else "compared by text"


def table(frame: pd.DataFrame) -> None:
    """Every model with its renderer."""
    column = st.column_config
    st.dataframe(
        frame,
        hide_index=True,
        height=tables.height(len(frame), 420),
        alt="Served models, what renders each, and how their tokens are known",
        column_config={
            "model": column.TextColumn("Served model", width=220, pinned=True),
            "renderer": column.TextColumn("Rendered by", width=220),
            "tokens": column.TextColumn("Tokens", width=290),
            "num_sessions": tables.count("Sessions", 80),
            "num_turns": tables.count("Turns", 80),
        },
    )


def choice_form(names: list[str]) -> str | None:
    """The form that chooses a renderer for one model; return the model that is being looked at."""
    model = st.selectbox(
        "Served model",
        names,
        index=0 if names else None,
        accept_new_options=True,
        key="chosen_model",
        placeholder="the name as it stands in the log",
    )
    held = state.repository().renderers().get(model or "")
    labels = list(KINDS) if visitors.may_name_files() else [SERVER]  # others name no files of this machine
    at = next((place for place, label in enumerate(labels) if held and KINDS[label][0] == held.kind), 0)
    label = st.radio("Rendered by", labels, index=at, horizontal=True, key=f"kind_{model}")
    kind, asked, example = KINDS[label]
    value = st.text_input(
        asked, value=held.value if held and held.kind == kind else "", placeholder=example, key=f"value_{model}_{kind}"
    )
    if kind == "endpoint":
        st.caption("A key is never stored: it is read from WHYMISS_API_KEY, and sent to this address once you save it.")
    save, drop, _rest = st.columns([1, 1, 3])
    if save.button("Save", type="primary", width="stretch"):
        _save(model or "", kind, value)
    if drop.button("Remove", width="stretch", disabled=held is None) and held is not None:
        state.repository().drop_renderer(held.model)
        state.say(f"{held.model} has no renderer of its own any more.")
        st.rerun()
    return model


def _save(model: str, kind: RendererKind, value: str) -> None:
    try:
        choice = checked_choice(model, kind, visitors.named(value) if kind == "endpoint" and value.strip() else value)
    except (ValueError, OSError) as error:
        st.error(plain(in_browser(str(error))))
        return
    state.repository().choose_renderer(choice)
    state.say(f"{choice.model} is rendered by {choice.value} from now on.")
    st.rerun()


def again(model: str) -> None:
    """Offer to analyse the logs of a model again whose stored analysis used another renderer, or say what to do."""
    logs = stale(model)
    at_hand = [log for log in logs if log.source is not None]
    missing = [log.file for log in logs if log.source is None]
    if at_hand:
        st.info(plain(f"{counted(len(at_hand), 'log')} with {model} can be analysed again with this choice."))
        if st.button(f"Analyse {counted(len(at_hand), 'log')} again"):
            _analyse(at_hand)
    if missing:
        st.info(
            plain(
                f"Analysed without this choice, and not at hand here: {', '.join(missing)}. Give them again under"
                " Sessions, Add logs: they take the place of what is stored."
            )
        )


def stale(model: str) -> list[Log]:
    """The logs with a model that were read with the known models, and not with its present choice."""
    kept = state.repository()
    choice = renderer_state.known_renderers().choices.get(model)
    listed = kept.models().set_index("model").import_keys.get(model, [])
    found = []
    for _key, file, sha256, how in kept.origins([int(key) for key in listed]):
        read = json.loads(how)
        if read.get("renderer") == Renderers().label and read.get("chosen", {}).get(model) != choice:
            found.append(Log(file, log_state.log_at_hand(file, sha256), settings_of(read)))
    return found


def settings_of(read: dict[str, Any]) -> Settings:
    """The settings that a log was read with, out of what was kept of them."""
    names = {field.name for field in fields(Settings)}
    return Settings(**{name: value for name, value in read.items() if name in names})


def _analyse(logs: list[Log]) -> None:
    done = []
    try:
        for log in logs:
            assert log.source is not None
            renderers = renderer_state.known_renderers(None, log.settings.normalise)
            outcome = import_sources([log.source], renderers, log.settings)
            done.append(f"{log.file}: {outcome.sentence()}")
    except (ValueError, OSError) as error:
        st.error(plain(in_browser(str(error))))
        return
    state.say(" · ".join(done))
    st.rerun()
