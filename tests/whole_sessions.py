"""A store of many sessions as heavy as real ones: with tokens, blocks, findings, and what a team wrote about them.

The figures are those of ``many_sessions``; here every turn has the tokens, block states and texts that go with them.
To have one to look at: ``python -m tests.whole_sessions FILE [NUMBER]``.
"""

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from analysis.core.price import Price, Rates
from analysis.model.annotation import Anchor, CaseText, Finding
from analysis.model.desk import STATUSES, MarkChange, View
from analysis.model.finding import BlockRun, BlockState, Cause, Divergence, Note, Previous
from analysis.model.plan import PlanStep, Tokens
from analysis.model.prompt import Segment
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import Problem, TokenIds
from analysis.pipeline.annotating import anchor_of_span, divergence_span
from analysis.store.repository import Repository
from tests.many_sessions import MODELS, imports_of

VOCABULARY = 30_000
BLOCK = 16  # tokens
AT_ONCE = 100  # sessions of an import
FEW_TOKENS = 24  # that an edit of earlier text changes
CASES, SESSIONS_OF_A_CASE = 40, 10
EVERY_MARKED, EVERY_NOTED = 2, 5  # every second session is marked, every fifth has notes
SYLLABLES = (" ba", "de", " ki", "lo", " mu", "ra", "\n", " {", "}", ": ", " the", "漢", "_", " 0x", "<", "&")
WORDS = "Opened by the agent, see the divergence. **Ask the customer** which release it runs.\n\n- seen on Tuesday\n"
TEXTS = {
    number: (SYLLABLES[number % 16] + SYLLABLES[number // 16 % 16] + str(number // 256)).encode()
    for number in range(VOCABULARY)
}


def fill_with_whole(database: Path | str, num_sessions: int) -> Repository:
    """A database with that many sessions of 20 turns, half of them marked, with notes, cases, prices and views."""
    repository = Repository.open(database)
    random = np.random.default_rng(8)
    for number, incoming in enumerate(imports_of(num_sessions, at_once=AT_ONCE)):
        records = [_whole(random, record) for record in incoming.records]
        texts = dict.fromkeys(MODELS, TEXTS) if number == 0 else None
        problems = [Problem(incoming.file, line, "the line is no JSON: cut off") for line in (7, 9)]
        repository.save(replace(incoming, records=records, texts=texts, problems=problems))
    _worked_on(repository, range(1, num_sessions + 1))
    return repository


def _whole(random: np.random.Generator, record: SessionRecord) -> SessionRecord:
    full_ids: list[TokenIds] = []
    turns: list[TurnRecord] = []
    for turn in record.turns:
        assert turn.prompt_tokens is not None and turn.account is not None and turn.output_tokens is not None
        before = full_ids[-1] if full_ids else np.empty(0, np.int32)
        seen = turns[-1].prompt_tokens or 0 if turns else 0
        leaves = seen - turn.account.lost
        fresh = _ids(random, turn.prompt_tokens + turn.output_tokens - 1)
        fresh[:leaves] = before[:leaves]
        if turn.account.lost:
            fresh[leaves + FEW_TOKENS : seen] = before[leaves + FEW_TOKENS : seen]
        full_ids.append(fresh)
        turns.append(_explained(turn, leaves) if turns else replace(turn, block_runs=_runs(turn, 0)))
    return replace(record, turns=tuple(turns), full_ids=tuple(full_ids), plan=_plan(turns))


def _ids(random: np.random.Generator, count: int) -> TokenIds:
    """Some tokens are far more frequent than others."""
    return (VOCABULARY * random.random(count) ** 3).astype(np.int32)


def _explained(turn: TurnRecord, leaves: int) -> TurnRecord:
    """A turn with where it leaves the one before it, two causes, a note and its blocks."""
    found = Divergence(
        token=leaves,
        block=leaves // BLOCK,
        segment=Segment(f"messages[{turn.turn}].content", 40, "user"),
        previous_segment=Segment(f"messages[{turn.turn}].content", 40, "user"),
        segment_basis="rendered",
        before="the text in front of it, as long as a line of a log is, with a path /srv/app/main.py in it",
        old="10:21:07 and what came behind it until the line ends",
        new="10:21:45 and what came behind it until the line ends",
    )
    causes = tuple(replace(cause, evidence=f"{cause.evidence} in messages[{turn.turn}]" * 4) for cause in turn.causes)
    hidden = [Cause("args/key-order", "likely", None, 0, None, "the keys stand in another order", "sort", hidden=True)]
    return replace(
        turn,
        previous=Previous(turn.turn - 1, leaves),
        divergence=found if turn.account and turn.account.lost else None,
        causes=(*causes, *hidden) if causes else (),
        notes=(Note("granularity/block-floor", "the last block was not full"),),
        block_runs=_runs(turn, leaves),
    )


def _runs(turn: TurnRecord, leaves: int) -> tuple[BlockRun, ...]:
    """The blocks of a prompt: reused, then missed or diverged and lost, then new, and the last one that is not full."""
    assert turn.account is not None and turn.prompt_tokens is not None
    last = turn.prompt_tokens // BLOCK
    marks = [0, (turn.account.cached or 0) // BLOCK, leaves // BLOCK, leaves // BLOCK + 1, last - 20, last, last + 1]
    states: Sequence[BlockState] = ("reused", "missed", "diverged", "lost", "new", "tail")
    stops = np.maximum.accumulate(np.clip(marks, 0, last + 1)).tolist()
    parts = zip(stops[:-1], stops[1:], states, strict=True)
    return tuple(BlockRun(start, stop, state) for start, stop, state in parts if stop > start)


def _plan(turns: Sequence[TurnRecord]) -> tuple[PlanStep, ...]:
    affected = [turn for turn in turns if turn.causes]
    if not affected:
        return ()
    prompt = sum(turn.prompt_tokens or 0 for turn in turns)
    reusable = sum(turn.reusable_tokens or 0 for turn in turns)
    lost = sum(turn.account.lost for turn in affected if turn.account)
    code, numbers = affected[0].causes[0].code, tuple(turn.turn for turn in affected)
    return (PlanStep(code, numbers, "leave it as it was", Tokens(prompt, reusable), Tokens(prompt, reusable + lost)),)


def _worked_on(repository: Repository, session_keys: Sequence[int]) -> None:
    """What a team adds: marks, notes at divergences, cases with findings, prices and saved views."""
    for number, status in enumerate(STATUSES):
        mine = session_keys[number :: EVERY_MARKED * len(STATUSES)]
        repository.desk.change_marks(mine, MarkChange(status, f"person {number}", (f"customer {number}", "tuesday")))
    for session_key in session_keys[::EVERY_NOTED]:
        _noted(repository, session_key)
    for number in range(min(CASES, len(session_keys))):
        _case(repository, number, session_keys[number :: max(1, len(session_keys) // SESSIONS_OF_A_CASE)])
    repository.desk.set_rates({model: Rates(Price(0.5, 0.05, 2.0)) for model in MODELS})
    for number in range(5):
        repository.desk.save_view(View(f"view {number}", f"cause=client%2Fhistory-edited&order=seconds&q={number}"))


def _noted(repository: Repository, session_key: int) -> None:
    """A note at the first divergence, which is edited once, and one at the session."""
    record, ids = repository.session(session_key), repository.full_ids(session_key)
    assert record is not None
    notes = repository.annotations
    notes.add(session_key, Anchor("session"), "ann", WORDS)
    turn = next((turn for turn in record.turns if turn.divergence), record.turns[-1])
    start, stop = divergence_span(turn, BLOCK) or (0, BLOCK)
    anchor = anchor_of_span(turn, ids[turn.turn], repository.token_bytes, start, stop, notes.key())
    notes.change(notes.add(session_key, anchor, "bob", WORDS), 1, "cy", WORDS * 3)


def _case(repository: Repository, number: int, session_keys: Sequence[int]) -> None:
    case = repository.cases.create("ann", CaseText(f"case {number}", f"T-{number}", f"customer {number}", WORDS * 5))
    for place, session_key in enumerate(session_keys[:SESSIONS_OF_A_CASE]):
        repository.cases.take(case, session_key, "before" if place % 2 else "after")
        record = repository.session(session_key)
        turn = next((turn for turn in record.turns if turn.causes), None) if record else None
        if turn is not None:
            cause = turn.causes[0]
            finding = Finding(session_key, turn.request_id, turn.turn, cause.code, cause.tokens or 0, cause.evidence)
            repository.cases.pin(case, finding, "ann")


if __name__ == "__main__":
    fill_with_whole(sys.argv[1], int(*sys.argv[2:] or ["5000"])).close()
