"""From an analysis to what is kept of it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from string import ascii_uppercase

from analysis.causes.measurement import REPLY_FORM
from analysis.core.account import block_runs
from analysis.core.incomplete import headless_turns
from analysis.model.finding import SessionAnalysis, TurnAnalysis
from analysis.model.record import SessionFigures, SessionRecord, TurnRecord


def records(analyses: Sequence[SessionAnalysis]) -> list[SessionRecord]:
    """The records of sessions that were analysed together: their salts get common labels."""
    labels = _salt_labels(analyses)
    return [
        SessionRecord(
            session_id=analysis.session.session_id,
            source=analysis.session.source,
            file=analysis.session.file,
            log_format=analysis.session.log_format,
            model=_model(analysis),
            inferred=analysis.session.inferred,
            settings=analysis.settings,
            turns=tuple(_turn(turn, labels, analysis.settings.block_size) for turn in analysis.turns),
            problems=analysis.problems,
            reconciliation=analysis.reconciliation,
            plan=analysis.plan,
            full_ids=tuple(turn.full_ids for turn in analysis.turns),
        )
        for analysis in analyses
    ]


def figures(record: SessionRecord) -> SessionFigures:
    """A session's row: its turns added up, by their tokens and by their text."""
    turns = record.turns
    meant = [turn for turn in turns if any(cause.deliberate for cause in turn.causes)]
    parted = [turn for turn in turns if turn.text and turn.text.divergence]
    replies = [turn for turn in parted if turn not in meant and any(note.code == REPLY_FORM for note in turn.notes)]
    changed = [turn for turn in parted if turn not in meant and turn not in replies]
    most = max(changed, key=_left_behind, default=None)
    return replace(
        _token_figures(record, meant),
        text_turns=sum(turn.text is not None for turn in turns),
        text_changes=len(changed),
        text_meant=len(parted) - len(changed) - len(replies),
        text_replies=len(replies),
        headless_turns=headless_turns(turns),
        short_turns=tuple(turn.turn for turn in turns if turn not in meant and _fell_short(turn)),
        text_turn=most.turn if most else None,
        text_segment=most.text.divergence.segment if most and most.text and most.text.divergence else None,
    )


def _token_figures(record: SessionRecord, meant: Sequence[TurnRecord]) -> SessionFigures:
    """The sums in tokens; turns that were ``meant`` to part waste none."""
    turns = record.turns
    known = [turn for turn in turns if turn.cached_tokens is not None]
    accounts = [turn.account for turn in turns if turn.account and turn not in meant]
    diverged = [turn for turn in turns if turn.divergence]
    costliest = max(
        (turn for turn in diverged if turn not in meant),
        key=lambda turn: turn.account.lost if turn.account else 0,
        default=None,
    )
    segment = costliest.divergence.segment if costliest and costliest.divergence else None
    return SessionFigures(
        num_turns=len(turns),
        num_divergences=len(diverged),
        prompt_tokens=sum(turn.prompt_tokens or 0 for turn in turns),
        known_turns=len(known),
        known_prompt_tokens=sum(turn.prompt_tokens or 0 for turn in known),
        cached_tokens=sum(turn.cached_tokens or 0 for turn in known),
        reusable_tokens=sum(turn.reusable_tokens or 0 for turn in turns),
        missed_tokens=sum(account.missed or 0 for account in accounts),
        lost_tokens=sum(account.lost for account in accounts),
        unknown_turns=sum(turn.fidelity is None for turn in turns),
        mismatched_turns=sum(turn.fidelity == "mismatch" for turn in turns),
        costliest_turn=costliest.turn if costliest else None,
        costliest_segment=segment,
        top_cause=_top_cause(record),
    )


def _fell_short(turn: TurnRecord) -> bool:
    """Whether the server's counts alone show that a turn reused less than it could have."""
    owned = (cause for cause in turn.causes if cause.tokens and not cause.code.startswith("key/"))
    return turn.fidelity is None and any(owned)


def _left_behind(turn: TurnRecord) -> int:
    """Characters of the turn before that stand behind the change of a turn."""
    return turn.text.previous_chars - turn.text.equal_chars if turn.text else 0


def _top_cause(record: SessionRecord) -> str | None:
    """The code with most tokens, then turns, over all turns; what was meant only where there is no fault."""
    tokens: Counter[tuple[bool, str]] = Counter()
    times: Counter[tuple[bool, str]] = Counter()
    for turn in record.turns:
        for position, cause in enumerate(turn.causes):
            if cause.tokens or not position:  # what owns nothing behind another one is a mere alternative
                tokens[cause.deliberate, cause.code] += cause.tokens or 0
                times[cause.deliberate, cause.code] += 1
    ranked = sorted(tokens, key=lambda it: (it[0], -tokens[it], -times[it], it[1]))
    return ranked[0][1] if ranked else None


def _turn(analysis: TurnAnalysis, labels: dict[str, str], block_size: int) -> TurnRecord:
    turn = analysis.turn
    diverged = analysis.divergence
    return TurnRecord(
        turn=turn.number,
        line=turn.line,
        request_id=turn.request_id,
        model=turn.request.model,
        salt=labels[turn.request.salt] if turn.request.salt else None,
        started_at=turn.started_at,
        ended_at=turn.ended_at,
        note=turn.note,
        prompt_tokens=analysis.prompt_tokens,
        output_tokens=turn.usage.output_tokens,
        cached_tokens=turn.usage.cached_tokens,
        cached_basis=turn.usage.cached_basis,
        fidelity=analysis.fidelity,
        generated_basis=analysis.generated_basis,
        lcp_tokens=analysis.lcp_tokens,
        best_tokens=analysis.best_tokens,
        reusable_tokens=analysis.reusable_tokens,
        ideal_tokens=analysis.ideal_tokens,
        donor=analysis.donor,
        previous=analysis.previous,
        account=analysis.account,
        divergence=diverged,
        block_runs=block_runs(analysis.parts, block_size, diverged.block if diverged else None),
        causes=analysis.causes,
        notes=analysis.notes,
        lineage=turn.lineage,
        client=turn.client,
        completeness=turn.completeness,
        first_token_at=turn.first_token_at,
        text=analysis.text,
    )


def _salt_labels(analyses: Sequence[SessionAnalysis]) -> dict[str, str]:
    """Salt A, salt B … in the order of their first use; beyond Z they are numbered."""
    turns = sorted(
        (turn.turn for analysis in analyses for turn in analysis.turns), key=lambda turn: turn.started_at or 0.0
    )
    salts = dict.fromkeys(turn.request.salt for turn in turns if turn.request.salt)
    names = [*ascii_uppercase, *(str(number) for number in range(27, len(salts) + 1))]
    return {salt: f"salt {name}" for salt, name in zip(salts, names, strict=False)}


def _model(analysis: SessionAnalysis) -> str:
    models = Counter(turn.turn.request.model for turn in analysis.turns)
    return models.most_common(1)[0][0] if models else ""
