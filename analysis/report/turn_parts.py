"""The turns of a session as a report says them: where each leaves the turn before it, and why."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from analysis.causes.granularity import FLOOR
from analysis.core.account import lost_in_output
from analysis.model.finding import Cause, TextComparison
from analysis.model.record import SessionRecord, TurnRecord
from analysis.model.session import TokenIds
from analysis.report.figure_words import FIDELITY
from analysis.report.quotes import Prose, Quote
from analysis.report.speech import MOST_TEXT, evidence_of, name, quote, spoken
from analysis.report.text_words import equal, incomplete, parts_at
from analysis.report.token_columns import Sides, TextsOf, texts_only
from analysis.report.turn_document import Change, Column, Reason, TextChange, TurnPart
from analysis.report.words import fields, in_words, place_of


def turn_part(
    record: SessionRecord, turn: TurnRecord, ids: Mapping[int, TokenIds], texts: TextsOf, with_tokens: bool
) -> TurnPart[Quote]:
    """One turn of a cleaned record; ``with_tokens``: with the tokens around its divergence."""
    start = record.turns[0].started_at
    return TurnPart(
        turn=turn.turn,
        request=name(turn.request_id, "request"),
        model=name(turn.model, "model"),
        after=None if start is None or turn.started_at is None else turn.started_at - start,
        prompt_tokens=turn.prompt_tokens,
        cached_tokens=turn.cached_tokens,
        cached_basis=turn.cached_basis,
        reusable_tokens=turn.reusable_tokens,
        account=turn.account,
        in_reply=bool(lost_in_output(turn, record.turns)),
        fidelity=FIDELITY.get(turn.fidelity or "", "tokens unknown"),
        salt=turn.salt,
        donor=_donor(record, turn),
        runs=turn.block_runs,
        change=_change(record, turn, ids, texts, with_tokens),
        by_text=_by_text(turn.text) if turn.text else None,
        lineage=name(turn.lineage, "lineage") if turn.lineage else None,
        client=name(turn.client, "client") if turn.client else None,
        lacks=incomplete(turn),
        reasons=tuple(map(_reason, turn.causes)),
        notes=tuple((note.code, spoken(note.evidence, "note", note.code)) for note in turn.notes if note.code != FLOOR),
        remark=quote(turn.note, "note in the log") if turn.note else None,
    )


def most_wasteful(turns: Collection[tuple[int, TurnRecord]], most: int) -> set[tuple[int, int]]:
    """The ``most`` turns, as session and number, whose divergence cost most tokens: their tokens are shown."""
    diverged = [(session, turn) for session, turn in turns if turn.divergence is not None]
    ranked = sorted(diverged, key=lambda it: -(it[1].account.lost if it[1].account else 0))
    return {(session, turn.turn) for session, turn in ranked[:most]}


def _donor(record: SessionRecord, turn: TurnRecord) -> Prose[Quote]:
    """Whose blocks the turn could reuse, where that is not the turn before it."""
    donor = turn.donor
    if donor is None or turn.previous is None or donor.turn == turn.previous.turn:
        return ()
    common = f": {donor.lcp_tokens:,} tokens in common."
    if donor.session_id == record.session_id:
        return (f"What it can reuse is turn {donor.turn}{common}",)
    return (f"What it can reuse is turn {donor.turn} of ", name(donor.session_id, "session"), common)


def _change(
    record: SessionRecord, turn: TurnRecord, ids: Mapping[int, TokenIds], texts: TextsOf, with_tokens: bool
) -> Change[Quote] | None:
    found = turn.divergence
    if found is None:
        return None
    number = turn.previous.turn if turn.previous else None
    then = next((one for one in record.turns if one.turn == number), None)
    old, new = texts_only(found)
    columns: tuple[Column[Quote], ...] = ()
    if then is not None and turn.turn in ids and then.turn in ids:
        sides = Sides(then, turn, ids[then.turn], ids[turn.turn], found.token)
        old, new = sides.spans(found, texts)
        columns = sides.columns(texts) if with_tokens else ()
    return Change(
        token=found.token,
        block=found.block,
        against=number,
        place=_place(turn),
        fields=fields(found).partition(" · character")[0],
        old=old,
        new=new,
        columns=columns,
    )


def _by_text(found: TextComparison) -> TextChange[Quote]:
    place = found.divergence
    if place is None:
        return TextChange(found.previous, (parts_at(found),), equal(found), None, None)
    here, before = place.segment, place.previous_segment
    bare = replace(found, divergence=replace(place, segment=replace(here, char=None)))
    character = (Quote(f", character {here.char:,}", "offset", "offset"),) if here.char else ()
    old, new = (Quote(text[:MOST_TEXT], at.path, cut=True) if text else None
                for text, at in ((place.old, before), (place.new, here)))  # fmt: skip
    return TextChange(found.previous, (parts_at(bare), *character), equal(found), old, new)


def _place(turn: TurnRecord) -> Prose[Quote]:
    """Where the turn leaves the one before it, in words; the place within a field is none of ours to tell."""
    found = turn.divergence
    assert found is not None
    here, before = found.segment, found.previous_segment
    if here is None:
        return ("in a field that could not be named without this model's tokenizer",)
    character = (Quote(f", character {here.char:,}", "offset", "offset"),) if here.char else ()
    stood = f", where {place_of(before)} stood before" if before is not None and before.path != here.path else ""
    searched = " (found by searching the decoded text)" if found.segment_basis == "searched" else ""
    return (f"in {place_of(here)}", *character, stood + searched)


def _reason(cause: Cause) -> Reason[Quote]:
    return Reason(
        code=cause.code,
        words=in_words(cause.code),
        confidence=cause.confidence,
        field=cause.segment or "",
        tokens=cause.tokens,
        recovers=cause.recovers,
        evidence=evidence_of(cause),
        fix=spoken(cause.fix, "fix", cause.code if cause.code.startswith("tools/") else ""),
        hidden=cause.hidden,
        deliberate=cause.deliberate,
    )
