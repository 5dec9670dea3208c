"""Several sessions side by side: their figures, what each was lost to, and how the others differ from the first."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pandas as pd
import streamlit as st

from analysis.core.account import wasted_by_cause
from analysis.model.baseline import Moved
from analysis.model.record import SessionRecord
from analysis.report.baseline import baseline_of, held_against
from analysis.report.figure_words import UNKNOWN
from analysis.report.words import counted, in_words
from app import desk_state, state, tables
from app.desk_address import Asked
from app.plain import plain

MOST_CAUSES = 5  # named per session in the block of differences


def compared(asked: Asked) -> None:
    """The page of a comparison; a session that is gone is left out."""
    title, action = st.columns([5, 1], vertical_alignment="bottom")
    found = [(key, record) for key in asked.compare if (record := state.session(key)) is not None]
    title.title(f"{counted(len(found), 'session')} side by side", anchor=False)
    if action.button("All sessions", icon=":material/arrow_back:", width="stretch"):
        desk_state.go(replace(asked, compare=()))
    if len(found) < 2:
        st.info("Fewer than two of these sessions are in this database. Tick them in the list of sessions.")
        return
    names = column_names([record for _key, record in found])
    _figures(asked, found, names)
    _causes([record for _key, record in found], names)
    _differences([record for _key, record in found], names)


def _figures(asked: Asked, found: Sequence[tuple[int, SessionRecord]], names: Sequence[str]) -> None:
    """The verdict on each, their figures in one table, and a way to each."""
    rows = desk_state.sessions().set_index("session_key").loc[[key for key, _record in found]]
    st.markdown(
        "\n".join(f"- **{plain(name)}**: {plain(words)}" for name, words in zip(names, rows.verdict, strict=True))
    )
    table = figures_table(rows, names, desk_state.zone(asked))
    st.dataframe(table, alt="Figures of the sessions side by side", height=tables.height(len(table)))
    with st.container(horizontal=True, gap="small"):
        for (key, _record), name in zip(found, names, strict=True):
            if st.button(plain(f"Open {name}"), key=f"open_{key}"):
                state.open_session(key)
                st.switch_page("../pages/session.py", query_params={"session": str(key)})


def _causes(records: Sequence[SessionRecord], names: Sequence[str]) -> None:
    st.subheader("What each was lost to", anchor=False)
    causes = causes_table(records, names)
    if causes.empty:
        st.write("Nothing was wasted in any of them, or their tokens are unknown.")
    else:
        number = tables.count()
        st.dataframe(causes, alt="Wasted tokens by cause and session", column_config=dict.fromkeys(names, number))


def _differences(records: Sequence[SessionRecord], names: Sequence[str]) -> None:
    """What tells the others from the first."""
    st.subheader(plain(f"How they differ from {names[0]}"), anchor=False)
    for name, record in zip(names[1:], records[1:], strict=True):
        lines = differences(records[0], record)
        said = "\n".join(f"- {plain(line)}" for line in lines) or "- in nothing that is measured here"
        st.markdown(f"**{plain(name)}**\n{said}")


def column_names(records: Sequence[SessionRecord]) -> list[str]:
    """The ids of the sessions; where two are the same, with the log they are from, and numbered if that is the same."""
    ids = Counter(record.session_id for record in records)
    names = [one.session_id if ids[one.session_id] == 1 else f"{one.session_id} ({one.file})" for one in records]
    twice = Counter(names)
    return [name if twice[name] == 1 else f"{index}. {name}" for index, name in enumerate(names, 1)]


def figures_table(rows: pd.DataFrame, names: Sequence[str], zone: str) -> pd.DataFrame:
    """A column per session, a row per figure; what is not known is a question mark."""
    shown: Mapping[str, tuple[str, str]] = {
        "Status": ("status", "{}"),
        "Wasted tokens": ("wasted_tokens", "{:,}"),
        "of the prompts": ("wasted_share", "{:.1%}"),
        "Wasted seconds": ("wasted_seconds", "{:,.1f}"),
        "Wasted cost": ("wasted_cost", "{:,.4f}"),
        "Cost": ("total_cost", "{:,.4f}"),
        "Hit rate (reported)": ("hit_rate", "{:.1%}"),
        "Turns": ("num_turns", "{:,}"),
        "Divergences": ("num_divergences", "{:,}"),
        "Prompt tokens": ("prompt_tokens", "{:,.0f}"),
        "Model": ("model", "{}"),
        "Client": ("clients", "{}"),
        f"Started ({zone})": ("started", "{:%Y-%m-%d %H:%M}"),
        "Log": ("source", "{}"),
    }
    rows = rows.assign(started=rows.started.dt.tz_convert(zone))
    table = {label: [_text(value, form) for value in rows[column]] for label, (column, form) in shown.items()}
    return pd.DataFrame.from_dict(table, orient="index", columns=list(names))


def _text(value: object, form: str) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value)) or UNKNOWN
    return UNKNOWN if pd.isna(value) or value == "" else form.format(value)


def causes_table(records: Sequence[SessionRecord], names: Sequence[str]) -> pd.DataFrame:
    """Wasted tokens: a row per cause, a column per session, the costliest cause first."""
    by_session = [wasted_by_cause(record.turns) for record in records]
    codes = sorted(
        {code for one in by_session for code in one}, key=lambda code: -sum(it.get(code, 0) for it in by_session)
    )
    index = [f"{in_words(code)} ({code})" if in_words(code) != code else code for code in codes]
    columns = {name: [one.get(code, 0) for code in codes] for name, one in zip(names, by_session, strict=True)}
    return pd.DataFrame(columns, index=index)


def differences(first: SessionRecord, other: SessionRecord) -> list[str]:
    """How a session differs from another, a line each: shares, causes, and what it was sent and measured with."""
    names = {"session_id": "one"}  # a baseline holds sessions of one id against each other
    before, after = (baseline_of([replace(one, **names)], one.settings) for one in (first, other))
    found = held_against(before, after)
    facts = [
        f"{words}: {was or 'not named'} → {now or 'not named'}"
        for words, was, now in zip(("model", "client", "log format"), _facts(first), _facts(other), strict=True)
        if was != now
    ]
    return [
        *(_moved(one, " %", 1) for one in found.measures if one.change is None or abs(one.change) >= 0.05),
        *(_moved(one, " wasted tokens", 0) for one in found.causes[:MOST_CAUSES]),
        *facts,
        *found.settings,
    ]


def _facts(record: SessionRecord) -> tuple[str, str, str]:
    clients = dict.fromkeys(turn.client for turn in record.turns if turn.client)
    return record.model, ", ".join(clients), record.log_format


def _moved(one: Moved, unit: str, digits: int) -> str:
    before, after = (UNKNOWN if it is None else f"{it:,.{digits}f}{unit}" for it in (one.before, one.after))
    return f"{one.name}: {before} → {after}"
