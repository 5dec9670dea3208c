"""Invariants: what must hold for any tokens and any bytes."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from analysis.core.account import Facts, account, best_tokens, block_runs, parts
from analysis.core.align import common_prefix, matched_runs
from analysis.core.blocks import fingerprints, reusable_tokens
from analysis.core.lineage import Candidate, History
from analysis.formats.base import FormatError
from analysis.model.session import TokenIds
from analysis.model.settings import Settings
from analysis.pipeline.analyse import analyse
from tests.builders import ROOT, of_turns, read_log, session, tokens

modest = settings(max_examples=60, deadline=None)
many = settings(max_examples=120, deadline=None)

few_ids = st.lists(st.integers(0, 2), max_size=60).map(lambda ids: tokens(ids))
block_sizes = st.integers(1, 20)


@st.composite
def related(draw: st.DrawFn) -> tuple[TokenIds, TokenIds]:
    """Two sequences that share pieces, as prompts do."""
    pieces = [range(start, start + draw(st.integers(1, 40))) for start in (100, 200, 300, 400)]
    chosen = st.lists(st.sampled_from(pieces) | st.integers(0, 5), max_size=8)
    return tokens(*draw(chosen)), tokens(*draw(chosen))


@many
@given(st.integers(0, 500), st.integers(0, 500), block_sizes)
def test_a_hit_is_whole_blocks_and_never_the_last_token(common: int, prompt: int, block_size: int) -> None:
    hit = reusable_tokens(common, prompt, block_size)
    assert hit % block_size == 0
    assert 0 <= hit <= max(0, prompt - 1)
    assert hit <= common
    assert hit == max(0, min(common, prompt - 1) // block_size * block_size)


@many
@given(related(), block_sizes, st.none() | st.integers(0, 200), st.booleans())
def test_an_account_sums_to_the_prompt(
    pair: tuple[TokenIds, TokenIds], block_size: int, cached: int | None, first: bool
) -> None:
    previous, prompt = pair
    lcp = 0 if first else common_prefix(previous, prompt)
    best = best_tokens(lcp, len(prompt), block_size)
    facts = Facts(len(prompt), lcp, best, None if cached is None else min(cached, len(prompt)))
    booked = parts(facts, prompt, None if first else previous[lcp:])
    figures = account(facts, booked)
    known = (figures.cached, figures.missed, figures.rounding, figures.lost, figures.new, figures.reusable_unreported)
    assert sum(figure for figure in known if figure is not None) == len(prompt)
    assert (figures.cached is None) == (figures.missed is None) == (cached is None)
    assert (figures.reusable_unreported is None) == (cached is not None)
    assert figures.lost == 0 or not first
    assert all(left.stop == right.start for left, right in pairwise(booked))


@many
@given(related(), block_sizes, st.none() | st.integers(0, 20))
def test_block_runs_cover_every_block(pair: tuple[TokenIds, TokenIds], block_size: int, diverged: int | None) -> None:
    previous, prompt = pair
    lcp = common_prefix(previous, prompt)
    facts = Facts(len(prompt), lcp, best_tokens(lcp, len(prompt), block_size), None)
    runs = block_runs(parts(facts, prompt, previous[lcp:]), block_size, diverged)
    assert sum(run.stop - run.start for run in runs) == -(-len(prompt) // block_size)
    assert [run.start for run in runs] == [0, *(run.stop for run in runs[:-1])][: len(runs)]
    assert all(left.state != right.state for left, right in pairwise(runs))
    if diverged is not None and diverged * block_size < len(prompt):
        assert [run.state for run in runs if run.start <= diverged < run.stop] == ["diverged"]


@many
@given(few_ids, few_ids)
def test_common_prefix(left: TokenIds, right: TokenIds) -> None:
    length = common_prefix(left, right)
    assert length == common_prefix(right, left)
    assert np.array_equal(left[:length], right[:length])
    assert length == min(len(left), len(right)) or left[length] != right[length]


@many
@given(related())
def test_matched_runs_are_equal_and_ordered(pair: tuple[TokenIds, TokenIds]) -> None:
    old, new = pair
    old_stop = new_stop = 0
    for run in matched_runs(old, new):
        assert run.length > 0
        assert run.old_start >= old_stop and run.new_start >= new_stop
        old_stop, new_stop = run.old_start + run.length, run.new_start + run.length
        assert np.array_equal(old[run.old_start : old_stop], new[run.new_start : new_stop])
    assert old_stop <= len(old) and new_stop <= len(new)


@many
@given(few_ids, few_ids, block_sizes)
def test_fingerprints_are_equal_exactly_as_far_as_the_tokens(left: TokenIds, right: TokenIds, block_size: int) -> None:
    ours, theirs = fingerprints(left, block_size), fingerprints(right, block_size)
    shared = common_prefix(left, right)
    equal = ours[: len(theirs)] == theirs[: len(ours)]
    assert equal.tolist() == [(index + 1) * block_size <= shared for index in range(len(equal))]
    assert np.array_equal(fingerprints(right, block_size, ours, shared), theirs)


def brute_force(
    served: list[tuple[str, TokenIds]], prompt: TokenIds, scope: str, block_size: int, previous: int | None
) -> Candidate | None:
    """Every candidate in scope: most whole blocks, then the previous turn, then the latest."""
    found = [(index, common_prefix(ids, prompt)) for index, (key, ids) in enumerate(served) if key == scope]
    shared = [(lcp // block_size, index == previous, index, lcp) for index, lcp in found if lcp]
    return Candidate(max(shared)[2], max(shared)[3]) if shared else None


@many
@given(st.lists(st.tuples(st.sampled_from("ab"), few_ids), max_size=6), few_ids, st.integers(1, 5), st.integers(0, 5))
def test_the_donor_is_what_a_search_over_all_candidates_finds(
    served: list[tuple[str, TokenIds]], prompt: TokenIds, block_size: int, last: int
) -> None:
    history = History(block_size)
    for key, ids in served:
        history.add(ids, {key: history.number(fingerprints(ids, block_size), key)})
    previous = last if last < len(served) and served[last][0] == "a" else None
    lcp = common_prefix(served[previous][1], prompt) if previous is not None else 0
    preferred = Candidate(previous, lcp) if previous is not None and lcp else None
    numbers = history.number(fingerprints(prompt, block_size), "a")
    assert history.donor(prompt, numbers, "a", preferred) == brute_force(served, prompt, "a", block_size, previous)


@modest
@given(st.lists(st.tuples(st.sampled_from([None, "A", "B"]), few_ids), min_size=1, max_size=6), st.integers(1, 8))
def test_another_salt_is_never_reusable(requests: list[tuple[str | None, TokenIds]], block_size: int) -> None:
    """A session whose salts change, against sessions of one salt each."""
    blank = session("", "").turns[0]
    turns = [
        replace(blank, request=replace(blank.request, salt=salt), prompt_ids=ids, output_ids=tokens())
        for salt, ids in requests
    ]
    (mixed,) = analyse([of_turns(*turns)], lambda model: None, Settings(block_size))
    for number, (salt, ids) in enumerate(requests):
        same = [common_prefix(other, ids) for key, other in requests[:number] if key == salt]
        anyone = [common_prefix(other, ids) for _, other in requests[:number]]
        assert mixed.turns[number].reusable_tokens == reusable_tokens(max(same, default=0), len(ids), block_size)
        assert mixed.turns[number].best_tokens == reusable_tokens(max(anyone, default=0), len(ids), block_size)


LINE = (ROOT / "sample_sessions" / "14-template-date.jsonl").read_bytes().splitlines()[0]
STREAMED = (ROOT / "sample_sessions" / "13-shared-system-prompt.jsonl").read_bytes().splitlines()[0]
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


def parsed(data: bytes) -> None:
    """Read it, or be told that it cannot be read: nothing else."""
    try:
        log = read_log(data, "f", "f", "openai-chat")
    except FormatError:
        return
    assert log.sessions and all(found.turns for found in log.sessions)


@many
@given(st.binary(max_size=200))
def test_any_bytes_parse_or_are_refused(data: bytes) -> None:
    parsed(data)
    parsed(b'{"messages": ' + data)


@modest
@given(st.sampled_from([LINE, STREAMED]), st.integers(0), st.integers(0), st.binary(max_size=6))
def test_a_damaged_line_parses_or_is_refused(line: bytes, start: int, length: int, put: bytes) -> None:
    start %= len(line)
    parsed(line[:start] + put + line[start + length % 40 :])


def mutate(value: object, path: list[int], put: object) -> object:
    """The value with one of its parts replaced; the path says which, as far as it leads."""
    if not path or not isinstance(value, dict | list) or not value:
        return put
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = keys[path[0] % len(keys)]
    changed = mutate(value[key], path[1:], put)
    items = dict(zip(keys, value.values() if isinstance(value, dict) else value, strict=True)) | {key: changed}
    return items if isinstance(value, dict) else list(items.values())


@many
@given(st.sampled_from([LINE, STREAMED]), st.lists(st.integers(0, 50), min_size=1, max_size=6), json_values)
def test_a_line_with_anything_anywhere_parses_or_is_refused(line: bytes, path: list[int], put: object) -> None:
    parsed(json.dumps(mutate(json.loads(line), path, put)).encode())
