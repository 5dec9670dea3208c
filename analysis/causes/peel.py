"""All causes of one divergence, in the order of the prompt: name the first, take it back, look again.

A change of the request is only called a cause if the prompt without it follows the previous one further: a render says
so, not a guess.  Does not go behind what is deliberate: a new segment starts there.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from analysis.causes import client, template, tools
from analysis.causes.comparison import ChangeFamily, Comparison, Place, Rendering, Suspect, TextFamily
from analysis.causes.fixes import Sent, undo
from analysis.causes.volatile_text import same_start
from analysis.core.align import common_prefix, matched_runs
from analysis.core.blocks import reusable_tokens
from analysis.core.quoting import quoted
from analysis.core.segment import segment_of
from analysis.model.finding import UNEXPLAINED
from analysis.model.session import TokenIds

MOST_STEPS = 12
AROUND = 64  # tokens of text before a divergence
BEHIND = 600  # tokens of the old text behind it; twice as many of the new one, which may be longer
MOST_MERGED = 4  # tokens at the end of a prompt that merge with what follows
NEAR_THE_END = 64  # tokens: a generation prompt is not longer
LAST = (client.MERGED,)  # blocks that were joined cannot be put back where they stood
WHOLE = (template.GENERATION, template.EMPTY_THINK)  # cured only where nothing of the kind is left


@dataclass(frozen=True, slots=True)
class Found:
    """A cause with its place in this turn's prompt, None where it was not rendered.

    ``saved`` are the computed tokens that undoing it saves on top of those before it, None where that was not rendered.
    """

    suspect: Suspect
    token: int | None
    saved: int | None = None


@dataclass(slots=True)
class Peel:
    """One peel: the comparison as far as it is restored, and what was found so far."""

    comparison: Comparison
    best_tokens: int
    block_size: int
    changes: tuple[ChangeFamily, ...]
    texts: tuple[TextFamily, ...]
    found: list[Found] = field(default_factory=list)
    _original: TokenIds = field(init=False)

    def __post_init__(self) -> None:
        self._original = self.comparison.new_ids

    def all(self) -> list[Found]:
        """Every cause, until the prompt only goes on, nothing fits, or nothing more can be undone."""
        while len(self.found) < MOST_STEPS and self._step():
            pass
        return self.found

    def _step(self) -> bool:
        """Name what parts the sides now; whether there may be more behind it."""
        now = self.comparison
        token = common_prefix(now.old_ids, now.new_ids)
        if token >= min(len(now.old_ids), len(now.new_ids)):
            return False
        place = place_of(now, token)
        if _only_merged(now, place):
            return False
        told = {one.suspect.code for one in self.found}
        suspects = [one for one in self._suspects(place) if one.code not in told]
        deliberate = next((one for one in suspects if one.deliberate), None)
        if deliberate is not None and deliberate.whole:
            return self._named(deliberate, token)
        changes = _nearest([one for one in suspects if not one.deliberate], place)
        for suspect in changes:
            restored = self._undone(suspect)
            if restored is not None and common_prefix(now.old_ids, restored.new_ids) > token:
                self._restore(suspect, suspects, place, restored)
                return suspect.code not in LAST
        if deliberate is not None and not _before(place, deliberate):
            return self._named(deliberate, token)
        return self._by_text(place, changes, deliberate)

    def _suspects(self, place: Place) -> Iterator[Suspect]:
        for family in self.changes:
            for suspect in family.changes(self.comparison):
                if tools.shows(suspect, self.comparison, place):
                    yield suspect

    def _undone(self, suspect: Suspect) -> Comparison | None:
        """The comparison without one change of this turn's request; None where that cannot be rendered."""
        now = self.comparison
        restored = undo(suspect.undo or suspect.code, now.then, now.reply, now.now)
        if restored is None or restored is now.now or now.rendering is None:
            return None
        ids = now.rendering.ids(restored)
        return None if ids is None else replace(now, now=restored, new_ids=ids)

    def _restore(self, suspect: Suspect, suspects: Sequence[Suspect], place: Place, restored: Comparison) -> None:
        same = [one for one in suspects if one.code == suspect.code]
        here = _nearest(same, place)[0]
        more = f"; {len(same)} such changes in all" if len(same) > 1 else ""
        self._add(replace(here, evidence=here.evidence + more), place.token, self._saved(restored))
        if suspect.path.startswith("tools["):  # one fix takes all tools back: name what else it took back
            for other in suspects:
                if other.path.startswith("tools[") and other.code != suspect.code:
                    self._add(other, max(place.token, tools.token_of(other, place)), None)
        self.comparison = restored

    def _by_text(self, place: Place, changes: Sequence[Suspect], deliberate: Suspect | None) -> bool:
        """What the text shows where no change of the request explains it."""
        now = self.comparison
        told = {one.suspect.code for one in self.found}
        for family in self.texts:
            for suspect in family.shows(now, place):
                if suspect.code in told:
                    return False
                cured = self._cured(suspect, place.token) if suspect.code.startswith("template/") else None
                if cured is not None:
                    suspect, restored = cured
                    self._add(suspect, place.token, self._saved(restored))
                    self.comparison = restored
                    return True
                self._add(suspect, place.token, None)
                self._behind(place.token, changes)
                return deliberate is not None and self._named(deliberate, None)
        if deliberate is not None:
            return self._named(deliberate, place.token)
        self._add(unexplained(place), place.token, None)
        self._behind(place.token, changes)
        return False

    def _cured(self, suspect: Suspect, token: int) -> tuple[Suspect, Comparison] | None:
        """The knob of the template with which both sides agree further, tried one by one."""
        now = self.comparison
        if now.rendering is None:
            return None
        for knob in template.knobs(now.rendering.names, now.now.request.template_kwargs):
            then = undo(suspect.code, now.then, None, now.then, knob)
            after = undo(suspect.code, now.then, now.reply, now.now, knob)
            old = now.rendering.ids(then) if then else None
            new = now.rendering.ids(after) if after else None
            if then is None or after is None or old is None or new is None:
                continue
            full = _joined(old, now.old_ids[now.prompt_tokens :])
            left = len(full) - common_prefix(full, new)
            if left < (1 if suspect.code in WHOLE else len(now.old_ids) - token):
                cured = replace(now, then=then, now=after, old_ids=full, new_ids=new, prompt_tokens=len(old))
                return template.with_knob(suspect, knob), cured
        return None

    def _behind(self, token: int, changes: Sequence[Suspect]) -> None:
        """Changes that show behind a cause which nothing undoes: each where the prompt without it parts from this."""
        told = {one.suspect.code for one in self.found}
        behind = []
        for suspect in {one.code: one for one in reversed(changes) if one.code not in told}.values():
            restored = self._undone(suspect)
            at = common_prefix(self.comparison.new_ids, restored.new_ids) if restored is not None else 0
            if token <= at < len(self.comparison.new_ids):
                behind.append((at, suspect))
        for at, suspect in sorted(behind, key=lambda it: it[0]):
            self._add(suspect, at, None)

    def _named(self, suspect: Suspect, token: int | None) -> bool:
        """Name what no fix undoes, and end."""
        self._add(suspect, token, None)
        return False

    def _add(self, suspect: Suspect, token: int | None, saved: int | None) -> None:
        at = None if token is None else _in_original(self._original, self.comparison.new_ids, token)
        last = next((one.token for one in reversed(self.found) if one.token is not None), 0)
        self.found.append(Found(suspect, None if at is None else max(at, last), saved))

    def _saved(self, restored: Comparison) -> int:
        return self._computed(self.comparison) - self._computed(restored)

    def _computed(self, side: Comparison) -> int:
        """Prompt tokens not to be reused; what any donor had stays reusable as far as the prompt is the same."""
        kept = min(self.best_tokens, common_prefix(side.new_ids, self._original))
        shared = max(kept, common_prefix(side.old_ids, side.new_ids))
        return len(side.new_ids) - reusable_tokens(shared, len(side.new_ids), self.block_size)


def _only_merged(comparison: Comparison, place: Place) -> bool:
    """Whether the previous prompt, whose reply is not known, goes on as text: only its last tokens merge with it."""
    rest = len(comparison.old_ids) - place.token
    is_prompt = len(comparison.old_ids) == comparison.prompt_tokens
    return is_prompt and rest <= MOST_MERGED and place.old_text != "" and place.new_text.startswith(place.old_text)


def place_of(comparison: Comparison, token: int) -> Place:
    """Where two sides part, with the text around it.

    A generation prompt may end in a token that merges with the reply: then the place is where the texts part.
    """
    rendering = comparison.rendering
    assert rendering is not None
    old_at, new_at = _by_text(comparison, rendering, token)
    in_reply = old_at >= comparison.prompt_tokens
    reply = comparison.reply if in_reply else None
    old = rendering.attribution(comparison.then, reply, comparison.old_ids, old_at)
    new = rendering.attribution(comparison.now, None, comparison.new_ids, new_at)
    return Place(
        token=token,
        old_token=old_at,
        new_token=new_at,
        old=old,
        new=new,
        old_segment=segment_of(old, old_at),
        new_segment=segment_of(new, new_at),
        before=rendering.text(comparison.new_ids[max(0, new_at - AROUND) : new_at]),
        old_text=rendering.text(comparison.old_ids[old_at : old_at + BEHIND]),
        new_text=rendering.text(comparison.new_ids[new_at : new_at + 2 * BEHIND]),
        in_reply=in_reply,
        generation=_generation(comparison, token) if old_at == token else None,
    )


def _by_text(comparison: Comparison, rendering: Rendering, token: int) -> tuple[int, int]:
    """The tokens at which the texts of both sides part, where they agree beyond the end of the previous prompt."""
    old, new, stop = comparison.old_ids[token:], comparison.new_ids[token:], comparison.prompt_tokens - token
    if not 0 < stop <= MOST_MERGED or stop >= len(old):
        return token, token
    same = same_start(rendering.text(old), rendering.text(new[: len(old) + stop]))
    if same <= len(rendering.text(old[:stop])):
        return token, token
    return token + _tokens_within(rendering, old, same), token + _tokens_within(rendering, new, same)


def _tokens_within(rendering: Rendering, ids: TokenIds, length: int) -> int:
    """How many tokens end within the first ``length`` characters of a text."""
    return bisect_right(range(1, len(ids) + 1), length, key=lambda count: len(rendering.text(ids[:count])))


def unexplained(place: Place) -> Suspect:
    """The raw facts, where no family has anything to say."""
    before, old, new = quoted(place.before[-40:]), quoted(place.old_text[:40]), quoted(place.new_text[:40])
    said = f"the prompts part after {before}: {old} before, {new} now; nothing explains it"
    fix = "Compare the two requests and their renders at this place."
    return Suspect(UNEXPLAINED, place.new_segment.path, said, fix, "possible")


def _generation(comparison: Comparison, token: int) -> int | None:
    """The first token of the previous generation prompt, where the sides part near it."""
    if not token < comparison.prompt_tokens <= token + NEAR_THE_END or comparison.rendering is None:
        return None
    request = replace(comparison.then.request, add_generation_prompt=False)
    bare = comparison.rendering.ids(Sent(request, comparison.then.at))
    return None if bare is None else common_prefix(bare, comparison.old_ids)


def _nearest(suspects: list[Suspect], place: Place) -> list[Suspect]:
    """Those of the field where the sides part first, then those of its message."""
    fields = (place.new_segment.path, place.old_segment.path)
    owners = {path.partition(".")[0] for path in fields}
    return sorted(suspects, key=lambda it: (it.path not in fields, it.path.partition(".")[0] not in owners))


def _before(place: Place, deliberate: Suspect) -> bool:
    """Whether the sides part in a message before the one where the history was left."""
    indices = [template.message_index(path) for path in (place.new_segment.path, place.old_segment.path)]
    at = template.message_index(deliberate.path)
    known = [index for index in indices if index is not None]
    return bool(known) and at is not None and max(known) < at


def _in_original(original: TokenIds, restored: TokenIds, token: int) -> int:
    """The place in the prompt as sent of a token in the prompt as restored."""
    if original is restored:
        return token
    place = 0
    for run in matched_runs(original, restored):
        if run.new_start > token:
            break
        place = run.old_start + min(token - run.new_start, run.length)
    return place


def _joined(prompt: TokenIds, generated: TokenIds) -> TokenIds:
    """A prompt with what was generated behind it."""
    return np.concatenate([prompt, generated])
