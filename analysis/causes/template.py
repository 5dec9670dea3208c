"""What a chat template does to a history that did not change: it strips, moves, hoists or marks by position.

Asked where no change of the request explains the divergence.  The knob that keeps what the template drops is looked
for by name among what the template reads; whether it cures is for a render to say.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import replace

from analysis.causes.comparison import Comparison, Place, Suspect
from analysis.causes.head import EDITED
from analysis.causes.messages import is_system, reasoning, system_of
from analysis.core.quoting import quoted
from analysis.model.prompt import TEMPLATE, Attribution, Span
from analysis.model.session import JsonObject

STRIPPED = "template/reasoning-stripped"
ANALYSIS = "template/analysis-dropped"
EMPTY_THINK = "template/empty-think-asymmetry"
GENERATION = "template/generation-prompt-asymmetry"
POSITIONAL = "template/positional-marker"

KNOBS: tuple[tuple[str, bool], ...] = (  # what keeps reasoning in the history, by template
    ("preserve_thinking", True),  # Qwen3.6
    ("preserve_reasoning", True),
    ("clear_thinking", False),  # GLM-4.7
    ("truncate_history_thinking", False),  # Nemotron-3
)
LONGEST_MARKER = 64  # characters
_EMPTY = re.compile(r"<(\|?\w*think\w*\|?|reasoning|thought)>\s*<[/|]?\s*\1\|?>")
_INDEX = re.compile(r"messages\[(\d+)\]")


def shows(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """The template's own ways, in the order of decision."""
    yield from _reasoning(comparison, place)
    yield from _relocated(comparison, place)
    yield from _hoisted(comparison, place)
    if place.in_generation_prompt:
        yield _generation(comparison, place)
    yield from _empty_think(comparison, place)
    yield from _positional(place)


def knobs(names: frozenset[str], kwargs: JsonObject) -> list[JsonObject]:
    """The kwargs to try, those of known templates first; what is set already is left out."""
    known = [(name, value) for name, value in KNOBS if name in names]
    told = {name for name, _value in KNOBS} | {"enable_thinking", "reasoning_effort", "add_generation_prompt"}
    others = sorted(
        name
        for name in names - told
        if re.search(r"think|reason|thought", name)
        and re.search(r"keep|preserve|history|clear|strip|truncate|drop", name)
    )
    tried = [*known, *((name, value) for name in others for value in (True, False))]
    return [{name: value} for name, value in tried if kwargs.get(name) is not value]


def message_index(path: str) -> int | None:
    """The index of the message that a path belongs to; None for tools and template text."""
    found = _INDEX.match(path)
    return int(found[1]) if found else None


def with_knob(suspect: Suspect, knob: JsonObject) -> Suspect:
    """The suspect with the knob that was seen to cure it."""
    return replace(suspect, knob=knob, fix=f"Send chat_template_kwargs: {json.dumps(dict(knob))}.")


def _reasoning(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """Reasoning that is printed on the old side and not on the new one."""
    path = _dropped(comparison, place)
    if path is None:
        return
    index = int(path[1])
    messages = (*comparison.then.request.messages, comparison.reply or {})
    thought = reasoning(messages[index]) if index < len(messages) else ""
    field = f"messages[{index}].reasoning"
    others = [one for one in _reasoned(place.old) if one not in _reasoned(place.new)]
    later = len(others) - 1
    more = f", and that of {later} later message{'s' * (later > 1)}" if later > 0 else ""
    said = f"{len(thought):,} characters of reasoning stand in the request and are no longer printed{more}"
    if "<|channel|>" in place.before[-40:] + place.old_text[:40] or "analysis<|message|>" in place.old_text[:60]:
        said = f"a later reply has no tool calls, so the template drops the analysis{more}: {quoted(thought)}"
        yield Suspect(
            ANALYSIS, field, said, "None upstream: keep the final reply out of the history, or patch the template."
        )
        return
    yield Suspect(
        STRIPPED,
        field,
        f"{said}: {quoted(thought.strip())}",
        "Patch the template: print the reasoning of every message of the history.",
    )


def _dropped(comparison: Comparison, place: Place) -> re.Match[str] | None:
    """The first reasoning behind the divergence that the new side does not print; no other field stands before it."""
    start = _char(place.old, place.old_token)
    printed = set(_reasoned(place.new))
    for span in place.old.spans:
        if span.stop <= start:
            continue
        if span.path.endswith(".reasoning"):
            real = place.old.text[span.start : span.stop].strip() and span.path not in printed
            return _INDEX.match(span.path) if real else None
        break
    index = len(comparison.then.request.messages)
    in_reply = place.in_generation_prompt or (place.in_reply and _at_start(comparison, place))
    unprinted = f"messages[{index}].reasoning" not in printed
    if in_reply and unprinted and comparison.reply and reasoning(comparison.reply).strip():
        return _INDEX.match(f"messages[{index}]")
    return None


def _at_start(comparison: Comparison, place: Place) -> bool:
    """Whether the sides part with the first generated text, before any other field of the reply."""
    fields = [
        span for span in place.old.spans if span.path.startswith(f"messages[{len(comparison.then.request.messages)}]")
    ]
    return all(_char(place.old, place.old_token) <= span.stop for span in fields[:1])


def _reasoned(side: Attribution) -> list[str]:
    return [span.path for span in side.spans if span.path.endswith(".reasoning")]


def _relocated(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """Tools or the system text that the two sides print at different places."""
    has_system = system_of(comparison.now.request) is not None
    sides = ((place.old, place.old_token, place.new, "the previous"), (place.new, place.new_token, place.old, "this"))
    for here, token, there, which in sides:
        span = _next(here, token)
        system = span is not None and span.path.startswith("messages[0].") and has_system
        if span is None or not (span.path.startswith("tools[") or system):
            continue
        other = next((one for one in there.spans if one.path == span.path), None)
        if other is None or other.start != span.start:
            yield _moved(span, other, which, system)
            return


def _moved(span: Span, other: Span | None, which: str, system: bool) -> Suspect:
    code = "template/system-relocated" if system else "template/tools-relocated"
    what, better = ("the system text", "at the head") if system else ("the tools", "behind the system text")
    elsewhere = "not at all in the other" if other is None else f"at {other.start:,} of the other"
    said = f"unchanged, yet printed elsewhere: {what} at character {span.start:,} of {which} prompt, {elsewhere}"
    return Suspect(code, span.path, said, f"Use a template that prints {what} {better}.")


def _hoisted(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """A late system message that is printed before the messages it stands behind."""
    span = _next(place.new, place.new_token)
    found = _INDEX.match(span.path) if span is not None else None
    if found is None or not 0 < int(found[1]) < len(comparison.now.request.messages):
        return
    index = int(found[1])
    late = index >= len(comparison.then.request.messages)
    if late and is_system(comparison.now.request.messages[index]):
        said = f"system message {index + 1} is printed before messages that stand before it in the request"
        fix = "Use a template that prints late system messages in their place, or send the text as a user's."
        yield Suspect("template/system-hoisted", f"messages[{index}].content", said, fix)


def _generation(comparison: Comparison, place: Place) -> Suspect:
    index = len(comparison.then.request.messages)
    following = comparison.now.request.messages[index : index + 1]
    if following and following[0].get("role") != "assistant":
        said = f"no reply stands behind the messages of the previous request: message {index + 1} is another"
        fix = "Keep the reply in the history, as far as it was generated."
        return Suspect(EDITED, f"messages[{index}]", said, fix, "likely")
    said = (
        f"the previous prompt ended with {quoted(place.old_text[:40])} to start the reply; in the history message"
        f" {index + 1} goes on with {quoted(place.new_text[:40])} instead"
    )
    return Suspect(
        GENERATION, f"messages[{index}]", said, "Patch the template: print in the history what starts a reply."
    )


def _empty_think(comparison: Comparison, place: Place) -> Iterator[Suspect]:
    """An empty think block on one side and none on the other."""
    for text, other, had in ((place.old_text, place.new_text, True), (place.new_text, place.old_text, False)):
        tail = place.before[-24:]
        found = _EMPTY.search(tail + text[:80])
        if found is None or found.end() <= len(tail) or found.start() > len(tail) + 2:
            continue
        if _EMPTY.match((tail + other[:80])[found.start() :]):
            continue
        path = place.old_segment.path if place.old_segment.path != TEMPLATE else place.new_segment.path
        side = (
            "the previous prompt prints an empty think block here, this one none"
            if had
            else "this prompt prints an empty think block here, the previous one none"
        )
        yield Suspect(EMPTY_THINK, path, side, "Patch the template: print a think block only where there is reasoning.")
        return


def _positional(place: Place) -> Iterator[Suspect]:
    """A short piece of template text that differs between messages that are the same."""
    old, new = _marker(place.old, place.old_token), _marker(place.new, place.new_token)
    if place.in_reply or old == new or max(len(old), len(new)) > LONGEST_MARKER:
        return
    if TEMPLATE not in (place.new_segment.path, place.old_segment.path):
        return
    said = f"template text beside an unchanged message is {quoted(new)} now and was {quoted(old)}, by its place alone"
    yield Suspect(
        POSITIONAL, TEMPLATE, said, "Patch the template: the same markup wherever a message stands.", "likely"
    )


def _marker(side: Attribution, token: int) -> str:
    """The template text from a token to the next field's own first character."""
    start, span = _char(side, token), _next(side, token)
    stop = len(side.text) if span is None else span.start - min(0, span.offset)
    return side.text[start : max(start, stop)]


def _next(side: Attribution, token: int) -> Span | None:
    """The field at a token, or the first one behind it."""
    start = _char(side, token)
    return next((span for span in side.spans if span.stop > start), None)


def _char(side: Attribution, token: int) -> int:
    return int(side.token_starts[token]) if token < len(side.token_starts) else len(side.text)
