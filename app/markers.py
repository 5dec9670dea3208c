"""Markers of turns: what a log lacks of a request, and which lineage it belongs to, each with what that means."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from analysis.model.record import SessionRecord, TurnRecord
from analysis.report.text_words import incomplete
from analysis.report.words import counted
from app.plain import cut, plain

MOST_NAMED = 3  # lineages with a marker of their own
LONGEST = 60  # characters of a marker
UNSEEN = (
    "What is not in the log was sent all the same: no divergence is claimed inside of it, and a change there, such as a"
    " date in the system prompt, is not seen."
)
APART = "A lineage is a sub-agent, a side call or a branch within the session: it is compared with its own turns only."
PUT_TOGETHER = "The requests were put together from a transcript: what the client changed on the way is not in it."


@dataclass(frozen=True, slots=True)
class Marker:
    """A word or two on a coloured ground, and one plain sentence of what it means."""

    label: str
    sentence: str
    is_warning: bool = False


def markers(turns: Sequence[TurnRecord]) -> list[Marker]:
    """The markers of turns: for several, each says of how many it speaks where those are not all."""
    found: list[Marker] = []
    for words, number in Counter(filter(None, map(incomplete, turns))).items():
        lacks = words.startswith("incomplete")
        found.append(Marker(words + _of(number, len(turns)), UNSEEN if lacks else PUT_TOGETHER, lacks))
    lineages = Counter(turn.lineage for turn in turns if turn.lineage is not None)
    if len(lineages) > MOST_NAMED:
        named = [(f"{len(lineages):,} lineages", sum(lineages.values()))]
    else:
        named = [(f"lineage: {cut(lineage, LONGEST)}", number) for lineage, number in lineages.items()]
    return [*found, *(Marker(label + _of(number, len(turns)), APART) for label, number in named)]


def _of(number: int, turns: int) -> str:
    return "" if number == turns else f" ({counted(number, 'turn')})"


def clients(record: SessionRecord) -> str:
    """The clients of a session and their versions, in one line; empty where the log names none."""
    return ", ".join(dict.fromkeys(cut(turn.client, LONGEST) for turn in record.turns if turn.client))


def markers_of(*turns: TurnRecord, explained: bool = True) -> None:
    """Show the markers of turns as chips and, where it was not said above, below them what each means."""
    shown = markers(turns)
    if not shown:
        return
    with st.container(horizontal=True, gap="small"):
        for marker in shown:
            st.badge(plain(marker.label), color="orange" if marker.is_warning else "blue")
    for sentence in dict.fromkeys(marker.sentence for marker in shown if explained):
        st.caption(plain(sentence))
