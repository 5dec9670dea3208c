"""The JSON contract: what ``whymiss analyze --json`` writes.  Stable; a change of meaning raises ``SCHEMA``."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from analysis.core.account import lost_in_output
from analysis.model.finding import Divergence, TextComparison
from analysis.model.plan import PlanStep
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import Problem
from analysis.model.settings import Settings

SCHEMA = 1


def as_json(records: Iterable[SessionRecord], settings: Settings, problems: Iterable[Problem] = ()) -> dict[str, Any]:
    """The whole answer as JSON values."""
    sessions = list(records)
    stated = [*problems, *(problem for record in sessions for problem in record.problems)]
    return {
        "schema": SCHEMA,
        "settings": asdict(settings),
        "sessions": [_session(record) for record in sessions],
        "evidence": _evidence(sessions),
        "problems": [problem_fields(problem) for problem in sorted(dict.fromkeys(stated), key=_place)],
    }


def problem_fields(problem: Problem) -> dict[str, Any]:
    """A problem as JSON values: where it is (``line`` is 1-based, null of a whole file), and what."""
    return {"file": problem.file, "line": problem.line, "message": problem.message}


def _evidence(sessions: list[SessionRecord]) -> list[dict[str, Any]]:
    """How each history stands against counters, events and the pool model."""
    by_source = {record.source: record.reconciliation for record in sessions if record.reconciliation}
    return [{"source": source, **asdict(found)} for source, found in by_source.items()]


def _place(problem: Problem) -> tuple[str, int]:
    return problem.file, problem.line or 0


def _session(record: SessionRecord) -> dict[str, Any]:
    return {
        "session_id": record.session_id,
        "source": record.source,
        "format": record.log_format,
        "model": record.model,
        "inferred": record.inferred,
        "turns": [_turn(turn, record.turns) for turn in record.turns],
        "plan": [_step(step) for step in record.plan],
    }


def _step(step: PlanStep) -> dict[str, Any]:
    before, after = step.before, step.after
    return {
        "code": step.code,
        "turns": list(step.turns),
        "also": list(step.also),
        "fix": step.fix,
        "prompt_before": before.prompt,
        "prompt_after": after.prompt if after else None,
        "reusable_before": before.reusable,
        "reusable_after": after.reusable if after else None,
        "computed_before": before.computed,
        "computed_after": after.computed if after else None,
        "recovers": step.recovers,
        "verified": step.verified,
        "reason": step.reason,
    }


def _turn(turn: TurnRecord, turns: tuple[TurnRecord, ...]) -> dict[str, Any]:
    return {
        "turn": turn.turn,
        "line": turn.line,
        "request_id": turn.request_id,
        "salt": turn.salt,
        "started_at": turn.started_at,
        "prompt_tokens": turn.prompt_tokens,
        "output_tokens": turn.output_tokens,
        "cached_tokens": turn.cached_tokens,
        "cached_basis": turn.cached_basis,
        "fidelity": turn.fidelity,
        "generated_basis": turn.generated_basis,
        "lcp_tokens": turn.lcp_tokens,
        "best_tokens": turn.best_tokens,
        "reusable_tokens": turn.reusable_tokens,
        "ideal_tokens": turn.ideal_tokens,
        "donor": {"session_id": turn.donor.session_id, "turn": turn.donor.turn} if turn.donor else None,
        "previous": asdict(turn.previous) if turn.previous else None,
        "account": asdict(turn.account) if turn.account else None,
        "lost_in_output": lost_in_output(turn, turns),
        "divergence": _divergence(turn.divergence) if turn.divergence else None,
        "causes": [asdict(cause) for cause in turn.causes],
        "notes": [asdict(note) for note in turn.notes],
        "text": _text(turn.text) if turn.text else None,
        "lineage": turn.lineage,
        "client": turn.client,
        "completeness": sorted(turn.completeness),
        "first_token_at": turn.first_token_at,
    }


def _text(found: TextComparison) -> dict[str, Any]:
    place = found.divergence
    return {
        "previous": found.previous,
        "equal_messages": found.equal_messages,
        "equal_chars": found.equal_chars,
        "previous_chars": found.previous_chars,
        "divergence": {
            "segment": place.segment.path,
            "char": place.segment.char,
            "previous_segment": place.previous_segment.path,
            "previous_char": place.previous_segment.char,
            "before": place.before,
            "old": place.old,
            "new": place.new,
        }
        if place
        else None,
    }


def _divergence(found: Divergence) -> dict[str, Any]:
    segment, previous = found.segment, found.previous_segment
    return {
        "token": found.token,
        "block": found.block,
        "segment": segment.path if segment else None,
        "char": segment.char if segment else None,
        "previous_segment": previous.path if previous else None,
        "previous_char": previous.char if previous else None,
        "segment_basis": found.segment_basis,
        "before": found.before,
        "old": found.old,
        "new": found.new,
    }
