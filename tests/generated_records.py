"""Hypothesis strategies for analysed sessions: anything that the types allow, likely or not."""

from dataclasses import replace
from typing import get_args

import numpy as np
from hypothesis import strategies as st

from analysis.model.finding import (
    BLOCK_STATES,
    Account,
    BlockRun,
    Cause,
    Divergence,
    Donor,
    Note,
    Previous,
    TextComparison,
    TextDivergence,
)
from analysis.model.plan import PlanStep, Tokens
from analysis.model.prompt import Segment
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import Mark, Problem, TokenIds
from analysis.model.settings import Settings

MOST = 2**31 - 1

words = st.text(max_size=12)  # with NUL, quotes and whatever else Unicode has; without lone surrogates
counts = st.integers(0, MOST)
positions = st.integers(1, MOST)
times = st.none() | st.floats(0, 4e9)
maybe_words = st.none() | words
maybe_count = st.none() | counts

segments = st.none() | st.builds(Segment, words, maybe_count, maybe_words)
accounts = st.none() | st.builds(Account, maybe_count, maybe_count, counts, counts, counts, maybe_count, counts)
donors = st.none() | st.builds(Donor, words, positions, counts)
previous = st.none() | st.builds(Previous, positions, counts)
divergences = st.none() | st.builds(
    Divergence,
    counts,
    counts,
    segments,
    segments,
    st.sampled_from([None, "provenance", "searched"]),
    maybe_words,
    maybe_words,
    maybe_words,
)
places = st.builds(Segment, words, maybe_count, maybe_words)
texts = st.none() | st.builds(
    TextComparison,
    positions,
    counts,
    counts,
    counts,
    st.none() | st.builds(TextDivergence, places, places, words, words, words),
)
causes = st.builds(
    Cause,
    words,
    st.sampled_from(["certain", "likely", "possible"]),
    maybe_words,
    maybe_count,
    maybe_count,
    words,
    words,
    st.booleans(),
    st.booleans(),
)
notes = st.builds(Note, words, words)
token_ids = st.none() | st.lists(counts, max_size=8).map(lambda ids: np.array(ids, np.int32))
settings = st.builds(
    Settings,
    positions,
    st.sampled_from(["given", "server", "inferred", "assumed"]),
    st.sampled_from(["vllm", "none"]),
    st.booleans(),
)


def _runs(states: list[str], lengths: list[int]) -> tuple[BlockRun, ...]:
    stops = np.cumsum(lengths).tolist()
    starts = [0, *stops]
    return tuple(map(BlockRun, starts, stops, states))


runs = st.lists(st.sampled_from(BLOCK_STATES), max_size=4).flatmap(
    lambda states: st.lists(st.integers(1, 9), min_size=len(states), max_size=len(states)).map(
        lambda lengths: _runs(states, lengths)
    )
)
turns = st.builds(
    TurnRecord,
    turn=positions,
    line=positions,
    request_id=words,
    model=words,
    salt=maybe_words,
    started_at=times,
    ended_at=times,
    note=maybe_words,
    prompt_tokens=maybe_count,
    output_tokens=maybe_count,
    cached_tokens=maybe_count,
    cached_basis=st.sampled_from(["reported", "omitted", "disabled", "not-recorded"]),
    fidelity=st.sampled_from([None, "logged", "exact", "approximate", "mismatch"]),
    generated_basis=st.sampled_from(["logged", "rendered", "unknown"]),
    lcp_tokens=maybe_count,
    best_tokens=maybe_count,
    reusable_tokens=maybe_count,
    ideal_tokens=maybe_count,
    donor=donors,
    previous=previous,
    account=accounts,
    divergence=divergences,
    block_runs=runs,
    causes=st.lists(causes, max_size=2).map(tuple),
    notes=st.lists(notes, max_size=2).map(tuple),
    lineage=maybe_words,
    client=maybe_words,
    completeness=st.frozensets(st.sampled_from(get_args(Mark))),
    first_token_at=times,
    text=texts,
)


sums = st.builds(Tokens, counts, counts)
steps = st.builds(
    PlanStep,
    code=words,
    turns=st.lists(positions, max_size=3).map(tuple),
    fix=words,
    before=sums,
    after=st.none() | sums,
    reason=maybe_words,
    also=st.lists(words, max_size=2).map(tuple),
)


def _session(turns_and_ids: list[tuple[TurnRecord, TokenIds | None]], blank: SessionRecord) -> SessionRecord:
    """Turns are numbered in order, with gaps where a generated number allows one."""
    numbered = tuple(replace(turn, turn=2 * index + 1) for index, (turn, _ids) in enumerate(turns_and_ids))
    return replace(blank, turns=numbered, full_ids=tuple(ids for _turn, ids in turns_and_ids))


session_records = st.builds(
    _session,
    st.lists(st.tuples(turns, token_ids), min_size=1, max_size=3),
    st.builds(
        SessionRecord,
        session_id=words,
        source=words,
        file=words,
        log_format=words,
        model=words,
        inferred=st.booleans(),
        settings=settings,
        turns=st.just(()),
        plan=st.lists(steps, max_size=2).map(tuple),
        problems=st.lists(st.builds(Problem, words, st.none() | positions, words), max_size=2).map(tuple),
    ),
)
