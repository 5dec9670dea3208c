"""What changed, and when: wasted tokens day by day, what was new on one of them, and the figures behind the picture."""

from datetime import date

import pandas as pd
import streamlit as st

from app import charts, day_chart, day_frames, desk_state, state, tables
from app.desk_address import BREAKDOWNS, Asked
from app.plain import plain


def by_day(asked: Asked, sessions: pd.DataFrame, zone: str) -> tuple[str, date | None]:
    """Show the days of these sessions; return the breakdown that is asked for, and the day that was clicked."""
    keys = set(sessions.session_key)
    turns = day_frames.dated(day_frames.of_sessions(desk_state.turns(), keys), zone)
    losses = day_frames.dated(day_frames.of_sessions(desk_state.losses(), keys), zone)
    if turns.empty:
        st.info("No turn of these sessions has a time: the log does not say when anything was asked.")
        return asked.by, None
    by = _breakdown(asked)
    table = day_frames.parted(losses, by)
    if table.empty:
        st.info("Nothing was wasted on any day.")
        return by, None
    day = _picture(table)
    if asked.since is not None and asked.since == asked.until:
        _changes(turns, losses, table, asked.since)
    clicked = _figures(day_frames.days(turns), table)
    return by, day or clicked


def _breakdown(asked: Asked) -> str:
    found = st.segmented_control(
        "Wasted tokens",
        list(BREAKDOWNS),
        default=asked.by,
        required=True,
        format_func=BREAKDOWNS.__getitem__,
        key=desk_state.field("by"),
        label_visibility="collapsed",
    )
    return str(found or asked.by)


def _picture(table: pd.DataFrame) -> date | None:
    """The bars; the day of the one that was clicked."""
    event = st.plotly_chart(
        day_chart.day_bars(day_frames.gathered(table), state.is_dark()),
        key=desk_state.field("days"),
        on_select="rerun",
        selection_mode="points",
        **charts.options("wasted-by-day", day_chart.HEIGHT, day_chart.NO_USE),
        alt="Wasted tokens per day as stacked bars; click a day to list its sessions",
    )
    points = event["selection"]["points"] if event else []
    return date.fromisoformat(str(points[0]["x"])[:10]) if points else None


def _changes(turns: pd.DataFrame, losses: pd.DataFrame, table: pd.DataFrame, day: date) -> None:
    """What was different on a day: a sentence, what was new, and the largest changes."""
    before, moved = day_frames.changed(table, turns, day)
    if moved.empty:
        st.markdown(plain(f"{day:%A} {day}: nothing was wasted."))
        return
    st.markdown(f"**{plain(day_frames.said(day, before, moved))}**")
    if new := day_frames.first_seen(turns, losses, day):
        st.markdown(plain(f"Seen for the first time that day: {', '.join(new)}."))
    if before is not None:
        column = st.column_config
        st.dataframe(
            moved.head(10),
            hide_index=True,
            alt="Wasted tokens of that day and of the day before",
            column_config={
                "name": column.TextColumn("What", width=300, pinned=True),
                "before": tables.count(f"{before:%a} {before}", 120),
                "after": tables.count(f"{day:%a} {day}", 120),
                "change": tables.count("Change", 120),
            },
        )


def _figures(days: pd.DataFrame, table: pd.DataFrame) -> date | None:
    """The table behind the picture; the day of the row that was clicked."""
    names = day_frames.gathered(table)
    labels = {f"name_{index}": str(name) for index, name in enumerate(names.columns)}
    frame = days.join(names.set_axis(list(labels), axis=1), on="day").fillna(dict.fromkeys(labels, 0))
    frame = frame.sort_values("day", ascending=False, ignore_index=True)
    column = st.column_config
    with st.expander("The days as a table"):
        event = st.dataframe(
            frame,
            key=desk_state.field("day_table"),
            hide_index=True,
            height=tables.height(len(frame), 320),
            placeholder="?",
            on_select="rerun",
            selection_mode="single-row",
            alt="Days with their turns and wasted tokens; select one to list its sessions",
            column_config={
                "day": column.DateColumn("Day", format="ddd YYYY-MM-DD", width=130, pinned=True),
                "turns": tables.count("Turns", 70),
                "sessions": tables.count("Sessions", 80),
                "prompt_tokens": tables.count("Prompt tokens", 110),
                "wasted_tokens": tables.count("Wasted", 90),
                "wasted_share": column.NumberColumn("of prompts", format="percent", width=90),
                **{key: tables.count(label) for key, label in labels.items()},
            },
        )
    rows = event.selection.rows
    return frame.day.iloc[rows[0]] if rows else None
