"""The fix plan of a session, and the form that tries a change on it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from analysis.model.plan import PlanStep
from analysis.model.record import SessionRecord
from analysis.model.session import Json
from analysis.model.what_if import TurnFigures, WhatIf
from analysis.pipeline.changes import CHANGES, Change
from analysis.pipeline.sources import LogFile, Source
from analysis.pipeline.trying import Asked, try_change, try_fixes
from analysis.report.fix_words import located
from analysis.report.plan import also_of, outcome, summed, tokens_of, total, turns_of, worth
from analysis.report.words import cause_headline
from app import charts, log_state, state, tables
from app.browser_words import in_browser
from app.plain import plain


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to try: causes to undo, or a named change."""

    label: str
    codes: tuple[str, ...] = ()
    change: Change | None = None


def plan(record: SessionRecord) -> None:
    """The fixes in their order with what each is worth, as words, as a picture and as a table."""
    if sentence := total(record.plan):
        st.text(sentence)
    for number, step in enumerate(record.plan, 1):
        _step(record, number, step)
    if any(step.after for step in record.plan):
        figure = charts.styled(charts.plan_staircase(record.plan), state.is_dark())
        words = "Reusable tokens of the session as sent and after each fix"
        st.plotly_chart(figure, key="plan", alt=words, **charts.options("fix-plan"))
    with st.expander("The plan as a table"):
        _numbers(plan_table(record.plan), alt="Every step of the fix plan with its tokens")


def _step(record: SessionRecord, number: int, step: PlanStep) -> None:
    with st.container(border=True):
        where = "".join(part if isinstance(part, str) else f"“{part.text}”" for part in located(record, step.code))
        st.markdown(f"**{number}. {plain(cause_headline(step.code))}** · {plain(turns_of(step.turns))}")
        st.markdown(f"**Fix:** {plain(f'{in_browser(step.fix)} {where}'.rstrip())}")
        st.text(f"{tokens_of(step)}; {worth(step)}.")
        st.caption(plain(f"{step.code}. {also_of(step)}"))


def plan_table(steps: Sequence[PlanStep]) -> pd.DataFrame:
    """Tokens before and after every step; what was not verified is unknown."""

    def after(name: str) -> list[int | None]:
        return [getattr(step.after, name) if step.after else None for step in steps]

    whole = {
        "Prompt before": [step.before.prompt for step in steps],
        "Prompt after": after("prompt"),
        "Reusable before": [step.before.reusable for step in steps],
        "Reusable after": after("reusable"),
        "Computed before": [step.before.computed for step in steps],
        "Computed after": after("computed"),
        "Computed saved": [step.recovers for step in steps],
    }
    return pd.DataFrame(
        {
            "Step": list(range(1, len(steps) + 1)),
            "Cause": [step.code for step in steps],
            **{name: pd.array(values, dtype="Int64") for name, values in whole.items()},
            "Hit rate after": [step.after.hit_rate if step.after else None for step in steps],
            "Not verified because": [step.reason or "" for step in steps],
        }
    )


@st.fragment
def what_if(record: SessionRecord, session_key: int) -> None:
    """The form that applies a change to the whole session, renders it and shows the account before and after."""
    source = log_state.log_of(session_key) or _given_log(session_key)
    if source is None:
        return
    choice = st.selectbox("Change", choices(record.plan), format_func=lambda one: one.label, key="what_if")
    asked = _asked(choice.change)
    if not st.button("Try it on the whole session", disabled=asked is None) or asked is None:
        return
    try:
        with st.spinner("Rendering"):
            on = log_state.bench_of(session_key, source, record)
            index = on.index(record.session_id, record.file)
            change, codes = choice.change, choice.codes
            found = try_change(on, index, change, asked) if change else try_fixes(on, index, codes)
    except (ValueError, OSError) as error:
        st.error(plain(in_browser(str(error))))
        return
    _outcome(found)


def choices(steps: Sequence[PlanStep]) -> list[Choice]:
    """What can be tried: every verified fix, the whole plan, and the named changes."""
    codes = tuple(step.code for step in steps if step.verified)
    fixes = [Choice(f"Undo {code}", (code,)) for code in codes]
    whole = [Choice("The whole fix plan", codes)] if len(codes) > 1 else []
    return [*fixes, *whole, *(Choice(change.label, change=change) for change in CHANGES)]


def _given_log(session_key: int) -> Source | None:
    """Ask for the log, which the store does not keep; None until it is given."""
    st.caption("Whymiss keeps no request bodies. To try a change, give the log of this session again.")
    files = st.file_uploader("Log files of this session", accept_multiple_files=True, key="what_if_log")
    if not files:
        return None
    names = sorted(files, key=lambda file: str(file.name))
    source = Source(names[0].name, tuple(LogFile(file.name, file.getvalue()) for file in names))
    if not log_state.is_log_of(source, session_key):
        st.error("This is not the log that the session came from: its bytes are others.")
        return None
    log_state.remember_log(source)
    return log_state.log_of(session_key)


def _asked(change: Change | None) -> Asked | None:
    """What a change needs to be told; None while that is missing."""
    if change is None or change.asks in ("nothing", "other session"):
        return Asked()
    if change.asks == "template":
        file = st.file_uploader("Chat template (a Jinja file)", type=["jinja", "jinja2", "txt"], key="what_if_template")
        return Asked(template=file.getvalue().decode("utf-8", "replace")) if file else None
    text = st.text_input("Template argument, name=value", placeholder="preserve_reasoning=true", key="what_if_kwarg")
    kwarg = argument(text)
    return Asked(kwarg) if kwarg else None


def argument(text: str) -> tuple[str, Json] | None:
    """``name=value`` with a value in JSON, or as text where it is none; None where there is no name or value."""
    name, sign, value = text.partition("=")
    if not sign or not name.strip() or not value.strip():
        return None
    try:
        return name.strip(), json.loads(value)
    except ValueError:
        return name.strip(), value.strip()


def _outcome(found: WhatIf) -> None:
    if found.reason is not None:
        st.warning(plain(f"No figure: {found.reason}."))
        return
    st.text(outcome(found))
    _numbers(account_table(found), alt="The session before and after the change")
    st.caption("Predicted from the rendered prompts, with the replies as recorded. Turn by turn:")
    _numbers(turn_table(found), alt="Every turn before and after the change")


def _numbers(frame: pd.DataFrame, alt: str) -> None:
    """A table whose whole numbers have separators."""
    whole = [name for name in frame.columns if pd.api.types.is_integer_dtype(frame[name])]
    column = tables.count()
    st.dataframe(frame, hide_index=True, alt=alt, column_config=dict.fromkeys(whole, column))


def account_table(found: WhatIf) -> pd.DataFrame:
    """The sums before and after: prompt, reusable, computed, and the parts behind what was reusable."""
    before, after = summed(found.before), summed(found.after)
    rows = {
        "Prompt": (before.prompt, after.prompt),
        "Reusable (predicted)": (before.reusable, after.reusable),
        "Computed": (before.computed, after.computed),
    }
    rows["Missed"] = _missed(found.before), _missed(found.after)
    for part in ("rounding", "lost", "new"):
        rows[part.capitalize()] = _part(found.before, part), _part(found.after, part)
    return pd.DataFrame(
        {
            "Tokens": list(rows),
            "As sent": [before for before, _after in rows.values()],
            "With the change": [after for _before, after in rows.values()],
            "Difference": [after - before for before, after in rows.values()],
        }
    )


def turn_table(found: WhatIf) -> pd.DataFrame:
    """Prompt and reusable tokens of every turn, before and after."""
    before, after = ({turn.turn: turn for turn in turns} for turns in (found.before, found.after))
    return pd.DataFrame(
        {
            "Turn": list(after),
            "Prompt as sent": pd.array([_of(before, turn, "prompt_tokens") for turn in after], dtype="Int64"),
            "Prompt then": [one.prompt_tokens for one in after.values()],
            "Reusable as sent": pd.array([_of(before, turn, "reusable_tokens") for turn in after], dtype="Int64"),
            "Reusable then": [one.reusable_tokens for one in after.values()],
        }
    )


def _of(turns: dict[int, TurnFigures], turn: int, name: str) -> int | None:
    return getattr(turns[turn], name) if turn in turns else None


def _missed(turns: Sequence[TurnFigures]) -> int:
    """Tokens that nothing had changed and that keys or memory keep from being reused."""
    there = [
        (turn, turn.prompt_tokens - sum(_part([turn], part) for part in ("rounding", "lost", "new"))) for turn in turns
    ]
    return sum(max(0, same - turn.reusable_tokens) for turn, same in there if turn.account)


def _part(turns: Sequence[TurnFigures], part: str) -> int:
    return sum(getattr(turn.account, part) for turn in turns if turn.account)
