"""What is to be done about a session, right below its verdict: the cause, whose it is, and the fix, without codes."""

import streamlit as st

from analysis.model.record import SessionFigures, SessionRecord
from analysis.report.remedies import Remedy, remedies
from analysis.report.words import counted
from app.browser_words import in_browser
from app.plain import cut, plain

MOST_SHOWN = 3  # the map below is to be seen without scrolling
MOST_EVIDENCE = 150  # characters
NOTHING_CHANGED = (
    "Every request only adds to the one before it: no fault of the client shows in this log. What the server could have"
    " reused can be told with the model's tokenizer, on the page Models."
)


def what_to_do(record: SessionRecord, figures: SessionFigures) -> None:
    """The fixes in their order; where only texts were compared and none of them changed, what that means."""
    if figures.mismatched_turns:
        return
    found = remedies(record)
    if found:
        with st.container(border=True, gap="xsmall", key="what_to_do"):
            said: set[str] = set()
            for number, remedy in enumerate(found[:MOST_SHOWN], 1):
                _shown(remedy, f"{number}. " if len(found) > 1 else "", remedy.origin not in said)
                said.add(remedy.origin)
            if more := found[MOST_SHOWN:]:
                st.caption(f"{counted(len(more), 'more cause')}, each of which cost less or came later: see below.")
    elif only_grows(figures):
        st.info(NOTHING_CHANGED)


def only_grows(figures: SessionFigures) -> bool:
    """Whether all is compared by text and whole requests show no change of what was sent before."""
    changed = figures.text_changes + figures.text_meant + figures.text_replies + len(figures.short_turns)
    compared = figures.text_turns > 0 and figures.text_turns >= figures.num_turns - 1
    return compared and figures.unknown_turns == figures.num_turns and not changed and not figures.headless_turns


def _shown(remedy: Remedy, number: str, explained: bool) -> None:
    """One fix; whose it is, is explained once."""
    turn, cause = remedy.first
    whose = remedy.origin if explained else remedy.origin.partition(",")[0]
    comes_from = f" It comes from {whose}." if whose else ""
    saved = remedy.saved or 0
    saves = f" Tried on the whole session, this saves {counted(saved, 'token')}." if saved > 0 else ""
    st.markdown(
        f"**{plain(number + remedy.cause)}.** {plain(_sentence(remedy.extent) + comes_from)}  \n"
        f"**Fix:** {plain(in_browser(remedy.fix) + saves)}"
    )
    st.caption(plain(f"Seen first in turn {turn.turn}: {cut(cause.evidence, MOST_EVIDENCE)}"))


def _sentence(extent: str) -> str:
    return f"{extent[0].upper()}{extent[1:]}."
