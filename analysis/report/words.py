"""Findings in plain words: the verdict on a session and the place of a divergence.

Says what the figures say; names no cause.
"""

import re

from analysis.model.finding import Divergence
from analysis.model.prompt import TEMPLATE, Segment
from analysis.model.record import SessionFigures, TurnRecord

CLEAN_SHARE = 0.01  # of the prompt tokens: with less wasted than this a session counts as clean

_MESSAGE = re.compile(r"messages\[(\d+)\]\.(\w+)(?:\[(\d+)\])?")


def verdict(figures: SessionFigures) -> str:
    """One sentence for a person who does not know what a block is, and another on what it leaves out."""
    if figures.unknown_turns == figures.num_turns:
        return "The tokens are unknown: a tokenizer for this model is needed."
    if figures.mismatched_turns:
        return (
            f"{counted(figures.mismatched_turns, 'turn')} of {figures.num_turns} came out at another length than the"
            " server counted: wrong tokenizer or template, so the figures cannot be trusted."
        )
    return f"{_said(figures)}{_left_out(figures)}"


def described(found: Divergence) -> str:
    """Where a divergence stands, on both sides, in one line."""
    here, before = found.segment, found.previous_segment
    if here is None:
        return f"at token {found.token:,}; naming the message field needs this model's tokenizer"
    place = place_of(here) + (f", character {here.char:,}" if here.char else "")
    if before is None or before.path == here.path:
        return f"in {place}"
    return f"in {place}, where {place_of(before)} stood before"


def undiverged(earlier_tokens: int, later_tokens: int) -> str:
    """What it means that two prompts of these lengths do not part."""
    if later_tokens == earlier_tokens:
        return "both prompts are the same"
    if later_tokens < earlier_tokens:
        return "the later prompt is the beginning of the earlier one"
    return "the later prompt only goes on where the earlier one ends"


def unshared(earlier: TurnRecord, later: TurnRecord) -> str:
    """Why equal tokens of these two are not reused all the same; empty where nothing stands in the way."""
    if earlier.model != later.model:
        return "Their models differ: blocks are shared within one model only."
    if earlier.salt != later.salt:
        return "Their cache salts differ: blocks are shared within one salt only."
    return ""


def fields(found: Divergence) -> str:
    """The message fields of a divergence by their paths, for engineers."""
    here, before = found.segment, found.previous_segment
    if here is None or before is None:
        return ""
    paths = f"field: {here.path}" if here.path == before.path else f"field: {here.path} · before: {before.path}"
    return paths + (f" · character {here.char:,}" if here.char is not None else "")


def place_of(segment: Segment) -> str:
    """A field in words; messages are counted from 1."""
    if segment.path == TEMPLATE:
        return "text of the chat template"
    if segment.path.startswith("tools["):
        return f"tool {int(segment.path[6:-1]) + 1}"
    if (found := _MESSAGE.match(segment.path)) is None:
        return segment.path
    number, name, call = found.groups()
    message = f"message {int(number) + 1}" + (f" ({segment.role})" if segment.role else "")
    if segment.role == "system" and name == "content":
        return "the system message" if number == "0" else f"system message {int(number) + 1}"
    if name == "content":
        return message
    if name == "tool_calls":
        return f"tool call {int(call or 0) + 1} of {message}"
    return f"the {name.replace('_', ' ')} of {message}"


def counted(number: int, noun: str) -> str:
    """ "1 turn", "12 turns"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _said(figures: SessionFigures) -> str:
    """What the turns say whose tokens are known."""
    if not figures.known_turns:
        return f"{_of_text(figures)} The server did not say what it reused."
    if not figures.wasted_tokens:
        return "Clean: nothing was computed twice."
    if figures.wasted_tokens < CLEAN_SHARE * figures.prompt_tokens:
        return f"Clean but for {figures.wasted_tokens:,} tokens that were computed twice."
    if figures.lost_tokens >= figures.missed_tokens:
        return _of_text(figures)
    again = _percent(figures.missed_tokens, figures.prompt_tokens)
    return f"{again} computed again though unchanged: look at keys, memory or routing."


def _left_out(figures: SessionFigures) -> str:
    """The turns that the figures know nothing of: an unknown turn is no clean one."""
    if figures.unknown_turns:
        verb = "is" if figures.unknown_turns == 1 else "are"
        return f" {figures.unknown_turns:,} of {figures.num_turns:,} turns {verb} left out: the tokens are unknown."
    silent = figures.num_turns - figures.known_turns
    if figures.known_turns and silent:
        return f" In {silent:,} of {figures.num_turns:,} turns the server did not say what it reused."
    return ""


def _of_text(figures: SessionFigures) -> str:
    """What the changes of the text cost, which needs no word of the server."""
    if not figures.lost_tokens:
        return "No earlier text changed."
    again = _percent(figures.lost_tokens, figures.prompt_tokens)
    return f"{again} computed again after a change{_costliest(figures)}."


def _costliest(figures: SessionFigures) -> str:
    if figures.costliest_turn is None:
        return ""
    most = "" if figures.num_divergences == 1 else "mostly "
    if figures.costliest_segment is None:
        return f", {most}at turn {figures.costliest_turn}"
    return f", {most}at turn {figures.costliest_turn} in {place_of(figures.costliest_segment)}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"
