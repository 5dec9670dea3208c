"""The sessions of two sets: those that did the same in both and moved, and the worst of either; a click opens one."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.report.two_sets import NAMES, Member, Task, moved, tasks
from analysis.report.words import counted
from app import desk_frame, desk_view, sets_state, state, tables
from app.sets_state import Set

MOST_ROWS = 500  # tasks in the table
MOST_WORST = 20  # sessions of a set
OF_SET_A = ("Hit rate A", "Reusable A")  # a click on these opens the session of set A


def sessions(sets: Sequence[Set], frame: pd.DataFrame) -> None:
    """What moved, task by task, and the worst sessions of each set."""
    st.subheader("Sessions that moved", anchor=False)
    found = tasks(*(one.members for one in sets))
    if not found:
        st.write(
            "No session of one set has the session id or the first prompt of a session of the other, so none can be"
            " held against another. These wasted most:"
        )
        _worst(sets, frame)
        return
    _moved(found, sets)
    with st.expander("The sessions of each set that wasted most"):
        _worst(sets, frame)


def _moved(found: Sequence[Task], sets: Sequence[Set]) -> None:
    shown = moved(found)
    st.caption(matched_words(found, [len(one.members) for one in sets]))
    if not shown:
        st.write("None of them moved: every task has the shares that it had.")
        return
    column = st.column_config
    percent = column.NumberColumn(format="%.1f%%", width=95)
    points = column.NumberColumn("Change", format="%+.1f", width=75, help="Percentage points, set B minus set A.")
    table = moved_table(shown[:MOST_ROWS])
    event = st.dataframe(
        table,
        key=sets_state.field(f"moved_{state.table_number()}"),
        hide_index=True,
        placeholder="?",
        height=tables.height(len(table), 460),
        on_select="rerun",
        selection_mode="single-cell",
        alt="Tasks whose hit rate or reusable share is another one in set B, those that fell most first; click to open",
        column_config={
            "Task": column.TextColumn(width=210, pinned=True),
            "Same": column.TextColumn(width=95, help="What says that both sets did the same."),
            **dict.fromkeys(("Hit rate A", "Hit rate B", "Reusable A", "Reusable B"), percent),
            **dict.fromkeys(("Change", "Change of reusable"), points),
            "Sessions": column.TextColumn(width=80, help="How many sessions of set A and of set B did it."),
        },
    )
    if len(shown) > MOST_ROWS:
        st.caption(f"The first {MOST_ROWS:,} of {len(shown):,}.")
    st.caption("Click a row to open its session of set B; click a figure of set A to open that of set A.")
    if event.selection.cells:
        row, name = event.selection.cells[0]
        if (key := opened(shown[row], name)) is not None:
            desk_view.opened(key)


def matched_words(found: Sequence[Task], sizes: Sequence[int]) -> str:
    """How many sessions have a counterpart, and by what it was found."""
    by_id, by_prompt = ([one for one in found if one.basis == basis] for basis in ("session id", "first prompt"))
    parts = [f"{len(by_id):,} by session id"] * bool(by_id) + [f"{len(by_prompt):,} by first prompt"] * bool(by_prompt)
    matched = [sum(len(one.before) for one in found), sum(len(one.after) for one in found)]
    of = [
        f"{n:,} of {counted(size, 'session')} of set {name}"
        for n, size, name in zip(matched, sizes, NAMES, strict=True)
    ]
    return f"{counted(len(found), 'task')} in both sets ({', '.join(parts)}): {' and '.join(of)}."


def moved_table(shown: Sequence[Task]) -> pd.DataFrame:
    """A row per task, its shares in percent on both sides; several sessions of one task are added up."""
    frame = pd.DataFrame(
        {
            "Task": [one.name for one in shown],
            "Same": [one.basis for one in shown],
            "Hit rate A": [one.hit_rate.before for one in shown],
            "Hit rate B": [one.hit_rate.after for one in shown],
            "Change": [one.hit_rate.change for one in shown],
            "Reusable A": [one.reusable.before for one in shown],
            "Reusable B": [one.reusable.after for one in shown],
            "Change of reusable": [one.reusable.change for one in shown],
            "Sessions": [f"{len(one.before):,} / {len(one.after):,}" for one in shown],
        }
    )
    numbers = [name for name in frame if name not in ("Task", "Same", "Sessions")]
    return frame.astype(dict.fromkeys(numbers, "Float64"))


def opened(task: Task, column: str) -> int | None:
    """The session that a click on a cell opens: of several the one with the lowest share; None where only files are."""
    first, second = _lowest(task.before), _lowest(task.after)
    wanted, other = (first, second) if column in OF_SET_A else (second, first)
    return wanted if wanted is not None else other


def _lowest(members: Sequence[Member]) -> int | None:
    stored = [one for one in members if one.key is not None]
    return min(stored, key=_share).key if stored else None


def _share(one: Member) -> float:
    hit_rate, reusable = one.figures.hit_rate, one.figures.reusable_share
    return hit_rate if hit_rate is not None else reusable if reusable is not None else 100.0


def _worst(sets: Sequence[Set], frame: pd.DataFrame) -> None:
    """The sessions of each set with most wasted tokens, side by side."""
    for name, one, column in zip(NAMES, sets, st.columns(2), strict=True):
        with column:
            st.markdown(f"**Set {name}**")
            if one.sums is None:
                st.caption("A baseline file has no sessions to open.")
                continue
            _list(name, desk_frame.ordered(frame[frame.session_key.isin(one.keys)], "tokens").head(MOST_WORST))


def _list(name: str, rows: pd.DataFrame) -> None:
    column = st.column_config
    event = st.dataframe(
        rows[["session_id", "wasted_tokens", "wasted_share", "hit_rate", "verdict"]],
        key=sets_state.field(f"worst_{name}_{state.table_number()}"),
        hide_index=True,
        placeholder="?",
        height=tables.height(len(rows), 320),
        on_select="rerun",
        selection_mode="single-cell",
        alt=f"The sessions of set {name} that wasted most; click a row to open it",
        column_config={
            "session_id": column.TextColumn("Session", width=150, pinned=True),
            "wasted_tokens": column.NumberColumn("Wasted", format="localized", width=75),
            "wasted_share": column.NumberColumn("of prompts", format="percent", width=85),
            "hit_rate": column.NumberColumn("Hit rate", format="percent", width=75),
            "verdict": column.TextColumn("Verdict", width=320),
        },
    )
    if event.selection.cells:
        desk_view.opened(int(rows.session_key.iloc[event.selection.cells[0][0]]))
