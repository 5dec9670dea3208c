"""Records into rows: every table is filled through one Arrow table, never row by row."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from analysis.core.align import common_prefix
from analysis.model.finding import BLOCK_STATES, Cause, Note, TextComparison
from analysis.model.prompt import Segment
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import Problem

Row = dict[str, Any]


def insert_sessions(
    cursor: duckdb.DuckDBPyConnection, import_key: int, keys: Sequence[int], records: Sequence[SessionRecord]
) -> None:
    """Insert sessions with everything that belongs to them.  ``keys`` are their new session keys."""
    pairs = list(zip(keys, records, strict=True))
    _insert(cursor, "sessions", [_session(key, import_key, record) for key, record in pairs])
    turns = [(key, turn) for key, record in pairs for turn in record.turns]
    _insert(cursor, "requests", [_request(key, turn) for key, turn in turns])
    _insert(cursor, "divergences", [_divergence(key, turn) for key, turn in turns if turn.divergence])
    _insert(cursor, "text_comparisons", [_text(key, turn.turn, turn.text) for key, turn in turns if turn.text])
    _insert(cursor, "findings", [row for key, turn in turns for row in _findings(key, turn)])
    _insert_runs(cursor, turns)
    _insert_tokens(cursor, pairs)
    stated = [(import_key, key, problem) for key, record in pairs for problem in record.problems]
    insert_problems(cursor, stated)


def insert_problems(cursor: duckdb.DuckDBPyConnection, stated: Sequence[tuple[int, int | None, Problem]]) -> None:
    """Insert problems of an import; the session key is None for those of a whole file."""
    rows = [
        {"import_key": key, "session_key": session_key, "file": one.file, "line": one.line, "message": one.message}
        for key, session_key, one in stated
    ]
    _insert(cursor, "problems", rows)


def insert_token_text(cursor: duckdb.DuckDBPyConnection, model: str, texts: dict[int, bytes]) -> None:
    """Remember what tokens stand for; what is known already stays."""
    if not texts:
        return
    table = pa.table({"model": [model] * len(texts), "id": list(texts), "bytes": list(texts.values())})
    cursor.register("incoming", table)
    cursor.execute("INSERT OR IGNORE INTO token_text SELECT model, id, bytes FROM incoming")
    cursor.unregister("incoming")


def _insert(cursor: duckdb.DuckDBPyConnection, table: str, rows: list[Row]) -> None:
    if not rows:
        return
    columns = cursor.sql(f"SELECT * FROM {table} LIMIT 0").to_arrow_table().schema
    incoming = pa.Table.from_pylist(rows, schema=pa.schema([columns.field(name) for name in rows[0]]))
    _append(cursor, table, incoming)


def _append(cursor: duckdb.DuckDBPyConnection, table: str, incoming: pa.Table) -> None:
    cursor.register("incoming", incoming)
    names = ", ".join(f'"{name}"' for name in incoming.column_names)
    cursor.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM incoming")
    cursor.unregister("incoming")


def _session(key: int, import_key: int, record: SessionRecord) -> Row:
    return {
        "session_key": key,
        "import_key": import_key,
        "session_id": record.session_id,
        "source": record.source,
        "file": record.file,
        "log_format": record.log_format,
        "model": record.model,
        "inferred": record.inferred,
        "settings": json.dumps(asdict(record.settings)),
        "reconciliation": json.dumps(asdict(record.reconciliation)) if record.reconciliation else None,
        "plan": json.dumps([asdict(step) for step in record.plan]) if record.plan else None,
    }


SCALARS = (
    "turn", "line", "request_id", "model", "salt", "started_at", "ended_at", "note", "prompt_tokens", "output_tokens",
    "cached_tokens", "cached_basis", "fidelity", "generated_basis", "lcp_tokens", "best_tokens", "reusable_tokens",
    "ideal_tokens", "lineage", "client", "first_token_at",
)  # fmt: skip
TEXT_COUNTS = ("previous", "equal_messages", "equal_chars", "previous_chars")
ACCOUNT = ("cached", "missed", "rounding", "lost", "new", "beyond_prediction")


def _request(key: int, turn: TurnRecord) -> Row:
    donor, previous, account = turn.donor, turn.previous, turn.account
    return {
        "session_key": key,
        **{name: getattr(turn, name) for name in SCALARS},
        "donor_session": donor.session_id if donor else None,
        "donor_turn": donor.turn if donor else None,
        "donor_lcp": donor.lcp_tokens if donor else None,
        "previous_turn": previous.turn if previous else None,
        "previous_lcp": previous.lcp_tokens if previous else None,
        "completeness": sorted(turn.completeness),
        "has_account": account is not None,
        **{name: getattr(account, name) if account else None for name in ACCOUNT},
        "unreported": account.reusable_unreported if account else None,
    }


def _divergence(key: int, turn: TurnRecord) -> Row:
    found = turn.divergence
    assert found is not None
    return {
        "session_key": key,
        "turn": turn.turn,
        "token": found.token,
        "block": found.block,
        **_segment("", found.segment),
        **_segment("previous_", found.previous_segment),
        "segment_basis": found.segment_basis,
        "before": found.before,
        "old": found.old,
        "new": found.new,
    }


def _text(key: int, turn: int, found: TextComparison) -> Row:
    place = found.divergence
    return {
        "session_key": key,
        "turn": turn,
        **{name: getattr(found, name) for name in TEXT_COUNTS},
        **_segment("", place.segment if place else None),
        **_segment("previous_", place.previous_segment if place else None),
        **{name: getattr(place, name) if place else None for name in ("before", "old", "new")},
    }


def _segment(prefix: str, segment: Segment | None) -> Row:
    return {f"{prefix}{name}": getattr(segment, name) if segment else None for name in ("path", "char", "role")}


def _findings(key: int, turn: TurnRecord) -> list[Row]:
    """Causes, then notes: ``position`` keeps their order."""
    stated: tuple[Cause | Note, ...] = (*turn.causes, *turn.notes)
    optional = ("confidence", "segment", "tokens", "recovers", "fix", "hidden", "deliberate")
    return [
        {
            "session_key": key,
            "turn": turn.turn,
            "position": position,
            "kind": "cause" if isinstance(finding, Cause) else "note",
            "code": finding.code,
            "evidence": finding.evidence,
            **{name: getattr(finding, name, None) for name in optional},
        }
        for position, finding in enumerate(stated)
    ]


def _insert_runs(cursor: duckdb.DuckDBPyConnection, turns: list[tuple[int, TurnRecord]]) -> None:
    rows = [
        (key, turn.turn, run.start, run.stop, BLOCK_STATES.index(run.state))
        for key, turn in turns
        for run in turn.block_runs
    ]
    if not rows:
        return
    columns = np.array(rows, np.int64).T
    names = ("session_key", "turn", "start", "stop", "state")
    _append(cursor, "block_runs", pa.table(dict(zip(names, columns, strict=True))))


def _insert_tokens(cursor: duckdb.DuckDBPyConnection, pairs: list[tuple[int, SessionRecord]]) -> None:
    """Each turn as its difference to the turn before it: a growing session is stored once."""
    keys, turns, prefixes, suffixes = [], [], [], []
    for key, record in pairs:
        last = None
        for turn, full_ids in zip(record.turns, record.full_ids, strict=True):
            if full_ids is None:
                continue
            shared = common_prefix(last, full_ids) if last is not None else 0
            keys.append(key)
            turns.append(turn.turn)
            prefixes.append(shared)
            suffixes.append(full_ids[shared:])
            last = full_ids
    if not keys:
        return
    offsets = np.concatenate([[0], np.cumsum([len(suffix) for suffix in suffixes])]).astype(np.int32)
    flat = np.concatenate(suffixes).astype(np.int32, copy=False)
    table = pa.table(
        {
            "session_key": keys,
            "turn": turns,
            "prefix_tokens": prefixes,
            "suffix_ids": pa.ListArray.from_arrays(pa.array(offsets), pa.array(flat)),
        }
    )
    _append(cursor, "request_tokens", table)
