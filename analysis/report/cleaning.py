"""What of a finding's own words may have come from a log: names of fields, roles, codes and labels.

A log may name a field or a role as it likes, and both stand in sentences of ours.  Here they are held against what we
know; what we do not know gets a word that says nothing.
"""

import re
from dataclasses import replace

from analysis.formats import FORMATS
from analysis.model.finding import Cause, Divergence, Note, TextComparison
from analysis.model.plan import PlanStep
from analysis.model.prompt import Segment
from analysis.model.record import SessionFigures, SessionRecord, TurnRecord
from analysis.report.own_words import is_ours

SOME_FIELD = "a field"
ROLES = ("system", "developer", "user", "assistant", "tool")
_INDEX = r"\[\d{1,7}\]"
_FIELD = re.compile(
    rf"messages{_INDEX}(?:\.(?:content|reasoning|reasoning_content|name|role|tool_call_id|tool_calls(?:{_INDEX})?))?"
    rf"|tools{_INDEX}|template|chat_template_kwargs|cache_salt|model|prompt|prompt_logprobs|prompt_embeds"
    r"|usage\.prompt_tokens"
)
_MESSAGE = re.compile(rf"messages{_INDEX}")
_SALT = re.compile(r"salt (?:[A-Z]|\d{1,6})")


def cleaned(record: SessionRecord) -> SessionRecord:
    """The record with nothing in its codes, fields, roles and labels that is not ours."""
    return replace(
        record,
        log_format=record.log_format if record.log_format in {known.name for known in FORMATS} else "unknown",
        turns=tuple(map(_turn, record.turns)),
        plan=tuple(map(_step, record.plan)),
    )


def cleaned_figures(figures: SessionFigures) -> SessionFigures:
    """The same for the sums of a session."""
    return replace(
        figures,
        costliest_segment=_segment(figures.costliest_segment),
        text_segment=_segment(figures.text_segment),
    )


def field_of(path: str | None) -> str:
    """The path of a field as far as its names are those of the request; ``a field`` for all others."""
    if path is None:
        return ""
    if _FIELD.fullmatch(path):
        return path
    if path.startswith("chat_template_kwargs."):
        return "chat_template_kwargs"
    message = _MESSAGE.match(path)
    return f"{message[0]} ({SOME_FIELD})" if message else SOME_FIELD


def _segment(segment: Segment | None) -> Segment | None:
    return None if segment is None else _known(segment)


def _known(segment: Segment) -> Segment:
    return Segment(field_of(segment.path), segment.char, segment.role if segment.role in ROLES else None)


def _turn(turn: TurnRecord) -> TurnRecord:
    return replace(
        turn,
        salt=turn.salt if turn.salt and _SALT.fullmatch(turn.salt) else None,
        divergence=_divergence(turn.divergence),
        text=_text(turn.text),
        causes=tuple(map(_cause, turn.causes)),
        notes=tuple(Note(code_of(note.code), note.evidence) for note in turn.notes),
    )


def _divergence(found: Divergence | None) -> Divergence | None:
    if found is None:
        return None
    return replace(found, segment=_segment(found.segment), previous_segment=_segment(found.previous_segment))


def _text(found: TextComparison | None) -> TextComparison | None:
    if found is None or found.divergence is None:
        return found
    place = found.divergence
    segment, previous = _known(place.segment), _known(place.previous_segment)
    return replace(found, divergence=replace(place, segment=segment, previous_segment=previous))


def _cause(cause: Cause) -> Cause:
    return replace(cause, code=code_of(cause.code), segment=field_of(cause.segment))


def _step(step: PlanStep) -> PlanStep:
    return replace(step, code=code_of(step.code), also=tuple(map(code_of, step.also)))


def code_of(code: str) -> str:
    """The code of a finding where it is one of ours."""
    return code if is_ours(code) else "unknown"
