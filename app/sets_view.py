"""Two sets side by side: the verdict, the figures, the causes and what is not known of them."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from analysis.model.baseline import Baseline, Moved, WasteFigures
from analysis.report.baseline import differing
from analysis.report.figure_words import UNKNOWN
from analysis.report.set_verdict import verdict
from analysis.report.two_sets import NAMES, PER, CauseMoved, causes_moved, shares
from analysis.report.words import IN_WORDS, counted
from app import charts, sets_state, state, tables
from app.note_text import as_line
from app.plain import plain
from app.sets_chart import cause_bars, drawn
from app.sets_state import Set

WORDS = {
    "hit rate": "Hit rate (reported)",
    "reusable share": "Reusable share (predicted)",
    "ideal share": "Ideal share, of turns that follow another",
    "wasted": "Wasted",
    "lost": "Lost: text before it changed",
    "missed": "Missed: unchanged, computed again",
}
NORMALISED = (
    f"Wasted tokens per {PER:,} prompt tokens: the sets differ in size, so each cause is divided by the prompt tokens"
    " of its own set, for what is missed by those of which the server reported cached_tokens."
)


def said(before: Set, after: Set) -> None:
    """The verdict, its first sentence large."""
    first, *rest = verdict(before.baseline, after.baseline, (before.members, after.members))
    st.subheader(plain(first), anchor=False)
    for sentence in rest:
        st.markdown(plain(sentence))


def figures(sets: Sequence[Set], frame: pd.DataFrame) -> None:
    """Every figure of both sets with the difference, and below it what is not known."""
    st.table(figures_table(*sets))
    for name, one in zip(NAMES, sets, strict=True):
        for line in [*gaps(name, one.baseline), *mismatched(name, frame[frame.session_key.isin(one.keys)])]:
            st.caption(line)
    for line in differing(*(one.baseline.settings for one in sets)):
        st.caption(as_line(f"Analysed with other settings: {line}"))


def figures_table(before: Set, after: Set) -> pd.DataFrame:
    """A row per figure; what is not known is a question mark, and so is every difference to it."""
    rows = [
        _counts("Sessions", *(_num_sessions(one) for one in (before, after))),
        _counts("Turns", before.baseline.whole.num_turns, after.baseline.whole.num_turns),
        _counts("Prompt tokens", *(one.baseline.waste and one.baseline.waste.prompt_tokens for one in (before, after))),
    ]
    for share in shares(before.baseline, after.baseline):
        tokens = [_tokens(share.name, one.baseline.waste) for one in (before, after)]
        rows.append(_share(share, tokens))
    columns = ["Figure", *(f"Set {name}" for name in NAMES), "Difference"]
    return pd.DataFrame(rows, columns=columns).set_index("Figure")


def _num_sessions(one: Set) -> int:
    return len(one.baseline.sessions) if one.sums is None else len(one.sums)


def _counts(words: str, before: int | None, after: int | None) -> list[str]:
    known = [UNKNOWN if value is None else f"{value:,}" for value in (before, after)]
    return [words, *known, UNKNOWN if before is None or after is None else signed(after - before, 0)]


def _share(share: Moved, tokens: Sequence[int | None]) -> list[str]:
    values = [
        UNKNOWN if value is None else f"{value:.1f}%{'' if count is None else f' ({count:,} tokens)'}"
        for value, count in zip((share.before, share.after), tokens, strict=True)
    ]
    change = UNKNOWN if share.change is None else f"{signed(share.change, 1)} percentage points"
    return [WORDS[share.name], *values, change]


def signed(value: float, digits: int) -> str:
    """A difference with its sign; one that is nothing as printed has none."""
    text = f"{value:+,.{digits}f}"
    return text[1:] if float(text.replace(",", "")) == 0 else text


def _tokens(name: str, waste: WasteFigures | None) -> int | None:
    if waste is None:
        return None
    return {
        "wasted": waste.lost_tokens + waste.missed_tokens,
        "lost": waste.lost_tokens,
        "missed": waste.missed_tokens,
    }.get(name)


def gaps(name: str, baseline: Baseline) -> list[str]:
    """What is not known of a set, a sentence each."""
    waste = baseline.waste
    if waste is None:
        return [f"Set {name} was saved by an earlier Whymiss: what it wasted of how many tokens is not in the file."]
    found = []
    if waste.checked_tokens < waste.prompt_tokens:
        share = (waste.prompt_tokens - waste.checked_tokens) / waste.prompt_tokens
        found.append(f"Set {name}: the tokens of {share:.0%} of its prompts are not known, so nothing is said of them.")
    if waste.checked_tokens and not waste.reported_tokens:
        found.append(
            f"Set {name}: the server did not report cached\\_tokens, so the hit rate and what was missed are unknown"
            " (start it with --enable-prompt-tokens-details)."
        )
    elif waste.reported_tokens < waste.checked_tokens:
        share = (waste.checked_tokens - waste.reported_tokens) / waste.checked_tokens
        found.append(
            f"Set {name}: the server did not report cached\\_tokens for {share:.0%} of the prompt tokens; the hit rate"
            " and what was missed are those of the others."
        )
    return found


def mismatched(name: str, rows: pd.DataFrame) -> list[str]:
    """What is said of turns that came out at another length than the server counted, where a set has any."""
    turns = int(rows.mismatched_turns.sum())
    if not turns:
        return []
    return [
        f"Set {name}: {counted(turns, 'turn')} came out at another length than the server counted: wrong tokenizer or"
        " template. They are in no reusable share, and their other figures cannot be trusted."
    ]


def causes(before: Baseline, after: Baseline) -> None:
    """What was wasted by cause, as bars and as a table."""
    st.subheader("Causes gained and gone", anchor=False)
    found = causes_moved(before, after)
    if not found:
        st.write("Nothing was wasted in either set, or its tokens are not known.")
        return
    st.caption(NORMALISED)
    if shown := drawn(found):
        st.plotly_chart(
            cause_bars(shown, state.is_dark()),
            key=sets_state.field("cause_bars"),
            **charts.options("causes-of-two-sets"),
            alt="Wasted tokens per 1,000 prompt tokens by cause, a bar for each set; the table has the same figures",
        )
    else:
        st.write("Every cause wastes as much in one set as in the other.")
    with st.expander(f"{counted(len(found), 'cause')} as a table"):
        _table(found)


def _table(found: Sequence[CauseMoved]) -> None:
    column = st.column_config
    rate = column.NumberColumn(format="%.1f", width=90)
    tokens = column.NumberColumn(format="localized", width=100)
    names = [f"Set {name}" for name in NAMES]
    st.dataframe(
        causes_table(found),
        hide_index=True,
        placeholder=UNKNOWN,
        height=tables.height(len(found), 420),
        alt="Wasted tokens of every cause in both sets, those that cost most more in set B first",
        column_config={
            "Cause": column.TextColumn(width=230, pinned=True),
            "In set B": column.TextColumn(width=90),
            "In words": column.TextColumn(width=300),
            **dict.fromkeys([*names, "Difference"], rate),
            **dict.fromkeys([f"{name}, tokens" for name in names], tokens),
        },
    )


def causes_table(found: Sequence[CauseMoved]) -> pd.DataFrame:
    """A row per cause: per 1,000 prompt tokens on both sides with the difference, and in tokens."""
    frame = pd.DataFrame(
        {
            "Cause": [one.code for one in found],
            "In set B": [one.fate for one in found],
            "Set A": [one.rate.before for one in found],
            "Set B": [one.rate.after for one in found],
            "Difference": [one.rate.change for one in found],
            "Set A, tokens": [one.tokens[0] for one in found],
            "Set B, tokens": [one.tokens[1] for one in found],
            "In words": [IN_WORDS.get(one.code, "") for one in found],
        }
    )
    types = {"Set A": "Float64", "Set B": "Float64", "Difference": "Float64"}
    return frame.astype(types | {"Set A, tokens": "Int64", "Set B, tokens": "Int64"})
