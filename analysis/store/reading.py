"""Rows into records: the inverse of writing."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

import duckdb
import numpy as np

from analysis.core.growth import Growing
from analysis.model.evidence import Reconciliation
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
from analysis.model.prompt import Fidelity, GeneratedBasis, Segment
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import Problem, TokenIds
from analysis.model.settings import Settings
from analysis.store.writing import SCALARS, TEXT_COUNTS

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class StoredTokens:
    """The tokens of one turn, by the line of its request in the file."""

    line: int
    request_id: str
    full_ids: TokenIds
    prompt_tokens: int
    fidelity: Fidelity
    generated_basis: GeneratedBasis


def read_session(cursor: duckdb.DuckDBPyConnection, session_key: int, with_runs: bool) -> SessionRecord | None:
    """One session without its tokens; None where there is none.  Block runs are only read where they are asked for."""
    found = _rows(cursor, "SELECT * FROM sessions WHERE session_key = ?", session_key)
    if not found:
        return None
    row = found[0]
    problems = _rows(cursor, "SELECT file, line, message FROM problems WHERE session_key = ?", session_key)
    return SessionRecord(
        session_id=row["session_id"],
        source=row["source"],
        file=row["file"],
        log_format=row["log_format"],
        model=row["model"],
        inferred=row["inferred"],
        settings=Settings(**json.loads(row["settings"])),
        reconciliation=Reconciliation(**json.loads(row["reconciliation"])) if row["reconciliation"] else None,
        plan=tuple(_step(step) for step in json.loads(row["plan"] or "[]")),
        turns=_turns(cursor, session_key, with_runs),
        problems=tuple(Problem(**problem) for problem in problems),
    )


def _turns(cursor: duckdb.DuckDBPyConnection, session_key: int, with_runs: bool) -> tuple[TurnRecord, ...]:
    divergences = _by_turn(_rows(cursor, "SELECT * FROM divergences WHERE session_key = ?", session_key))
    findings = _by_turn(_rows(cursor, "SELECT * FROM findings WHERE session_key = ? ORDER BY position", session_key))
    texts = _by_turn(_rows(cursor, "SELECT * FROM text_comparisons WHERE session_key = ?", session_key))
    runs = _runs(cursor, session_key) if with_runs else {}
    return tuple(
        _turn(
            request,
            divergences.get(request["turn"], ()),
            findings.get(request["turn"], ()),
            texts.get(request["turn"], ()),
            runs.get(request["turn"], ()),
        )
        for request in _rows(cursor, "SELECT * FROM requests WHERE session_key = ? ORDER BY turn", session_key)
    )


def read_full_ids(cursor: duckdb.DuckDBPyConnection, session_key: int) -> dict[int, TokenIds]:
    """Prompt and reply tokens of every turn that has them, by turn."""
    columns = cursor.sql(
        "SELECT turn, prefix_tokens, suffix_ids FROM request_tokens WHERE session_key = $key ORDER BY turn",
        params={"key": session_key},
    ).fetchnumpy()
    result: dict[int, TokenIds] = {}
    last: TokenIds = np.empty(0, np.int32)
    growing = Growing()
    for turn, prefix, suffix in zip(columns["turn"], columns["prefix_tokens"], columns["suffix_ids"], strict=True):
        last = growing.keep(np.concatenate([last[: int(prefix)], np.asarray(suffix, np.int32)]))
        result[int(turn)] = last
    return result


def read_tokens(cursor: duckdb.DuckDBPyConnection, import_key: int) -> Iterator[StoredTokens]:
    """The tokens of every turn of an import that has them, session by session."""
    keys = cursor.execute("SELECT session_key FROM sessions WHERE import_key = ? ORDER BY 1", [import_key]).fetchall()
    for (session_key,) in keys:
        full_ids = read_full_ids(cursor, session_key)
        query = "SELECT * FROM requests WHERE session_key = ? AND fidelity IS NOT NULL ORDER BY turn"
        for row in _rows(cursor, query, session_key):
            if row["turn"] in full_ids:
                kinds = row["prompt_tokens"], row["fidelity"], row["generated_basis"]
                yield StoredTokens(row["line"], row["request_id"], full_ids[row["turn"]], *kinds)


def _turn(
    row: Row,
    divergences: Iterable[Row],
    findings: Iterable[Row],
    texts: Iterable[Row],
    runs: tuple[BlockRun, ...],
) -> TurnRecord:
    stated = list(findings)
    return TurnRecord(
        **{name: row[name] for name in SCALARS},
        donor=Donor(row["donor_session"], row["donor_turn"], row["donor_lcp"]) if row["donor_turn"] else None,
        previous=Previous(row["previous_turn"], row["previous_lcp"]) if row["previous_turn"] else None,
        account=_account(row) if row["has_account"] else None,
        divergence=next((_divergence(found) for found in divergences), None),
        block_runs=runs,
        causes=tuple(_cause(found) for found in stated if found["kind"] == "cause"),
        notes=tuple(Note(found["code"], found["evidence"]) for found in stated if found["kind"] == "note"),
        completeness=frozenset(row["completeness"] or ()),
        text=next((_text(found) for found in texts), None),
    )


def _account(row: Row) -> Account:
    return Account(
        cached=row["cached"],
        missed=row["missed"],
        rounding=row["rounding"],
        lost=row["lost"],
        new=row["new"],
        reusable_unreported=row["unreported"],
        beyond_prediction=row["beyond_prediction"],
    )


def _divergence(row: Row) -> Divergence:
    return Divergence(
        token=row["token"],
        block=row["block"],
        segment=_segment(row, ""),
        previous_segment=_segment(row, "previous_"),
        segment_basis=row["segment_basis"],
        before=row["before"],
        old=row["old"],
        new=row["new"],
    )


def _text(row: Row) -> TextComparison:
    here, before = _segment(row, ""), _segment(row, "previous_")
    place = TextDivergence(here, before, row["before"], row["old"], row["new"]) if here and before else None
    return TextComparison(**{name: row[name] for name in TEXT_COUNTS}, divergence=place)


def _segment(row: Row, prefix: str) -> Segment | None:
    path = row[f"{prefix}path"]
    return None if path is None else Segment(path, row[f"{prefix}char"], row[f"{prefix}role"])


def _cause(row: Row) -> Cause:
    return Cause(**{field.name: row[field.name] for field in fields(Cause)})


def _step(row: Row) -> PlanStep:
    after = row["after"]
    tokens = {"before": Tokens(**row["before"]), "after": None if after is None else Tokens(**after)}
    return PlanStep(**{**row, **tokens, "turns": tuple(row["turns"]), "also": tuple(row["also"])})


def _runs(cursor: duckdb.DuckDBPyConnection, session_key: int) -> dict[int, tuple[BlockRun, ...]]:
    rows = cursor.sql(
        "SELECT turn, start, stop, state FROM block_runs WHERE session_key = $key ORDER BY turn, start",
        params={"key": session_key},
    ).fetchall()
    grouped: dict[int, list[BlockRun]] = {}
    for turn, start, stop, state in rows:
        grouped.setdefault(turn, []).append(BlockRun(start, stop, BLOCK_STATES[state]))
    return {turn: tuple(runs) for turn, runs in grouped.items()}


def _by_turn(rows: Iterable[Row]) -> dict[int, list[Row]]:
    result: dict[int, list[Row]] = {}
    for row in rows:
        result.setdefault(row["turn"], []).append(row)
    return result


def _rows(cursor: duckdb.DuckDBPyConnection, query: str, *parameters: Any) -> list[Row]:
    cursor.execute(query, list(parameters))
    names = [column[0] for column in cursor.description or ()]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
