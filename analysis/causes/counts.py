"""What the server's own counts show where no tokens are known: a conversation that only grew and was not reused.

Speaks of requests that repeat the previous one with its messages, tools and options unchanged in front, and of a change
of the model.  Its tokens are at most those of the previous prompt, as the server counted them.  Does not look at what a
template does with them, and names no change of the prefix: that takes tokens.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from analysis.causes.base import Evidence, cause
from analysis.causes.measurement import LINEAGE
from analysis.causes.never_cached import but_for_marks, configured
from analysis.causes.routing import AFFINITY
from analysis.core.quoting import quoted
from analysis.model.finding import UNEXPLAINED, Cause, Confidence, Note
from analysis.model.session import Turn

EXPIRY_SECONDS = 240.0  # a pause after which hosted services have dropped a prefix; a busy server does it sooner
SHORTFALL = 0.5  # of the previous prompt: below it a reply, a partly filled block or a rounded count may explain a gap
GAP = 0.25  # of the previous prompt: enough where the next turn shows that it was a gap
RECOVERED = 0.9  # of a shortfall that the next turn has cached again
SHORTEST = 1024  # tokens: hosted services cache no prefix that is shorter (OpenAI, Anthropic: Prompt caching)
UNDECIDED = "counts alone do not tell eviction from another replica"
DECIDES = "token ids, KV cache events, or which replica served the turn"


@dataclass(frozen=True, slots=True)
class Shortfall:
    """Tokens of the previous prompt (``before``) that a turn had not cached, and what the turn behind it had."""

    before: int
    cached: int
    later: int | None

    @property
    def missed(self) -> int:
        """Tokens of the previous prompt that were computed again."""
        return self.before - self.cached

    @property
    def recovered(self) -> bool:
        """Whether the next turn had cached what was missed here."""
        return self.later is not None and self.later - self.cached >= RECOVERED * self.missed

    @property
    def too_short(self) -> bool:
        """Whether nothing was cached of a prompt that many services cache nothing of: no sign of a fault."""
        return not self.cached and self.before < SHORTEST

    def __str__(self) -> str:
        said = f"{self.cached:,} of the {self.before:,} tokens of the previous prompt were cached"
        if not self.recovered:
            return said
        return f"{said}; the next turn had {self.later:,} cached again: the log holds no lasting edit of the prefix"


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """Where the blocks went, as far as who served the turn and the pause before it tell."""
    now, then = evidence.now.turn, evidence.before
    if evidence.now.full_ids is not None or then is None:
        return
    cached, prompt, before = now.usage.cached_tokens, now.usage.prompt_tokens, then.usage.prompt_tokens
    if cached is None or prompt is None or before is None:
        return
    grew = _grew(then, now)
    fell = Shortfall(min(before, prompt), cached, _later(now, evidence.after))
    if now.request.model != then.request.model:
        if now.request.model and then.request.model:
            yield _other_model(now, then, fell)
    elif grew and fell.missed > (GAP if fell.recovered else SHORTFALL) * fell.before:
        set_up = None if fell.too_short else configured(evidence, fell.missed)
        yield from [set_up] if set_up else _served(now, then, fell)


def _other_model(now: Turn, then: Turn, fell: Shortfall) -> Cause | Note:
    """Another model has blocks of its own: a cause where that cost the prompt, else why nothing is compared."""
    idle = _idle(then, now)
    after = "" if idle is None else f", {idle:,.0f} s after the previous turn"
    models = f"the model is {quoted(now.request.model)} and was {quoted(then.request.model)}"
    said = f"{models}{after}; blocks are shared within one only"
    if fell.missed <= SHORTFALL * fell.before or not _history_grew(then, now):
        return Note(LINEAGE, f"{said}: not compared with the turn before, whose tokens are another model's")
    return cause("key/lora", "likely", fell.missed, said, "Keep the model for the whole session.", segment="model")


def _served(now: Turn, then: Turn, fell: Shortfall) -> Iterator[Cause]:
    grew, idle = f"the messages only grew{_unseen(now)}, and {fell}", _idle(then, now)
    after = "" if idle is None else f"{idle:,.0f} s after the previous turn; "
    if now.replica != then.replica:
        here, there = (quoted(one.replica) if one.replica else "one not named" for one in (now, then))
        by = f"served by {here}, the previous turn by {there}"
        sure: Confidence = "likely" if now.replica and then.replica else "possible"
        yield cause("routing/replica", sure, fell.missed, f"{by}: each has a cache of its own; {grew}", AFFINITY)
    elif idle is not None and idle >= EXPIRY_SECONDS:
        said = f"{after}{grew}; runner-up: routing/replica"
        yield cause("capacity/eviction", "possible", fell.missed, said, "Send turns sooner, or give the cache room.")
    elif not fell.too_short:
        said = f"{grew}; {after}{UNDECIDED}; decides: {DECIDES}"
        yield cause(UNEXPLAINED, "possible", fell.missed, said, "Log token ids and the replica of every request.")


def _later(now: Turn, after: Turn | None) -> int | None:
    """What the next turn had cached, where it goes on from this one."""
    return after.usage.cached_tokens if after is not None and _grew(now, after) else None


@lru_cache(maxsize=2)  # a turn is asked for with the one before it, then with the one behind it
def _grew(then: Turn, now: Turn) -> bool:
    """Whether a request is the previous one with messages appended, its keys and options the same."""
    old, new = then.request, now.request
    keys = (old.kind, old.model, old.salt, old.chat_template, old.template_kwargs)
    same = keys == (new.kind, new.model, new.salt, new.chat_template, new.template_kwargs)
    return same and _history_grew(then, now)


def _history_grew(then: Turn, now: Turn) -> bool:
    """Whether messages were only appended and the tools stayed; of what was cut off or blacked out nobody knows."""
    old, new = then.request, now.request
    if not old.messages or (then.completeness | now.completeness) & {"truncated", "redacted"}:
        return False
    front = new.messages[: len(old.messages)]
    return but_for_marks(old.tools, new.tools) and but_for_marks(old.messages, front)


def _unseen(now: Turn) -> str:
    """What may have changed all the same: parts of the request that the log does not hold."""
    parts = [part for mark, part in (("no_system", "system prompt"), ("no_tools", "tools")) if mark in now.completeness]
    return f" (the log has no {' and no '.join(parts)})" if parts else ""


def _idle(then: Turn, now: Turn) -> float | None:
    ended = then.started_at if then.ended_at is None else then.ended_at
    return None if ended is None or now.started_at is None else max(0.0, now.started_at - ended)
