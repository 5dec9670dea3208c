"""A store of thousands of made-up sessions, the same for the same seed: what the desk lists, and is measured with.

Every figure is possible and no text is real: days, models, clients, causes and waste are drawn, and the client that
comes on the last days loses more.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from analysis.model.finding import Account, Cause
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.settings import Settings
from analysis.store.imports import Import
from analysis.store.repository import Repository

MODELS = ("acme/large", "acme/small", "other/coder")
CODES = (
    "client/history-edited", "volatile-head/client-timestamp", "tools/order", "key/cache-salt", "capacity/eviction",
    "template/reasoning-stripped", "client/window-trim", "args/key-order", "routing/replica",
)  # fmt: skip
START = 1_795_000_000.0  # seconds since the epoch: a Wednesday in November 2026
DAY = 86_400.0
RATE = 8_000.0  # computed tokens a second
SETTINGS = json.dumps({"renderer": "known models", "chosen": {}, "block_size": 16, "block_size_basis": "given"})


def fill_with_many(database: Path | str, num_sessions: int, num_turns: int = 20, num_days: int = 14) -> Repository:
    """A database with that many sessions of that many turns each."""
    repository = Repository.open(database)
    for incoming in imports_of(num_sessions, num_turns, num_days):
        repository.save(incoming)
    return repository


def imports_of(num_sessions: int, num_turns: int = 20, num_days: int = 14, at_once: int = 500) -> Iterator[Import]:
    """That many sessions of that many turns each, in the imports that they come with."""
    random = np.random.default_rng(7)
    for first in range(0, num_sessions, at_once):
        numbers = range(first, min(first + at_once, num_sessions))
        records = [_session(random, number, num_turns, num_days) for number in numbers]
        yield Import(f"day-{first}.jsonl", str(first), 1_000_000, SETTINGS, records)


def _session(random: np.random.Generator, number: int, num_turns: int, num_days: int) -> SessionRecord:
    day = int(random.integers(0, num_days))
    started = START + day * DAY + float(random.uniform(0, DAY / 2))
    is_new_client = day >= num_days - 3 and random.random() < 0.7
    client = "agent/1.3.0" if is_new_client else str(random.choice(["agent/1.2.0", "chat/7"]))
    code = "client/history-edited" if is_new_client else str(random.choice(CODES))
    model = str(random.choice(MODELS))
    share = 0.6 if is_new_client else float(random.choice([0.0, 0.0, 0.02, 0.2, 0.5]))
    turns, prompt = [], int(random.integers(500, 3000))
    for turn in range(1, num_turns + 1):
        grown = prompt + int(random.integers(100, 900))
        wasted = int(share * prompt) if turn > 1 and random.random() < 0.4 else 0
        turns.append(_turn(turn, started + 60.0 * turn, model, client, prompt if turn > 1 else 0, grown, wasted, code))
        prompt = grown
    return SessionRecord(
        session_id=f"session-{number:05d}",
        source=f"proxy-{number % 7}.jsonl",
        file=f"proxy-{number % 7}.jsonl",
        log_format="openai-chat",
        model=model,
        inferred=False,
        settings=Settings(16, "given"),
        turns=tuple(turns),
        full_ids=(None,) * num_turns,
    )


def _turn(
    number: int, started: float, model: str, client: str, seen: int, prompt: int, wasted: int, code: str
) -> TurnRecord:
    is_lost = not code.startswith(("key/", "capacity/", "routing/"))
    cached = max(0, seen - wasted)
    causes = (Cause(code, "certain", None, wasted, wasted, "made up", "none"),) if wasted else ()
    computed = prompt - cached
    return TurnRecord(
        turn=number,
        line=number,
        request_id=f"r{number}",
        model=model,
        salt=None,
        started_at=started,
        ended_at=started + 20,
        note=None,
        prompt_tokens=prompt,
        output_tokens=200,
        cached_tokens=cached,
        cached_basis="reported",
        fidelity="exact",
        generated_basis="logged",
        lcp_tokens=seen,
        best_tokens=seen,
        reusable_tokens=seen - wasted if is_lost else seen,
        ideal_tokens=seen,
        donor=None,
        previous=None,
        account=Account(
            cached, 0 if is_lost else wasted, 0, wasted if is_lost else 0, prompt - max(seen, cached), None, 0
        ),
        divergence=None,
        causes=causes,
        client=client,
        first_token_at=started + 0.2 + computed / RATE,
    )
