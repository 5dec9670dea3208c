"""What the server's own counts show where no tokens are known: a conversation that only grew and was not reused.

Speaks of requests that repeat the previous one with its messages, tools and options unchanged in front.  Its tokens are
at most those of the previous prompt, as the server counted them.  Does not look at what a template does with them.
"""

from collections.abc import Iterator

from analysis.causes.base import Evidence, cause
from analysis.causes.routing import AFFINITY
from analysis.core.quoting import quoted
from analysis.model.finding import UNEXPLAINED, Cause, Confidence, Note
from analysis.model.session import Turn

EXPIRY_SECONDS = 240.0  # a pause after which hosted services have dropped a prefix; a busy server does it sooner
SHORTFALL = 0.5  # of the previous prompt: below it a reply, a partly filled block or a rounded count may explain a gap


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """Where the blocks went, as far as who served the turn and the pause before it tell."""
    now, then = evidence.now.turn, evidence.before
    if evidence.now.full_ids is not None or then is None or not _only_grew(then, now):
        return
    cached, prompt, before = now.usage.cached_tokens, now.usage.prompt_tokens, then.usage.prompt_tokens
    if cached is None or prompt is None or before is None:
        return
    missed = min(before, prompt) - cached
    if missed <= SHORTFALL * min(before, prompt):
        return
    yield _cause(now, then, missed, f"{cached:,} of the {before:,} tokens of the previous prompt were cached")


def _cause(now: Turn, then: Turn, missed: int, hit: str) -> Cause:
    grew = f"the messages only grew, and {hit}"
    if now.replica != then.replica:
        here, there = (quoted(one.replica) if one.replica else "one not named" for one in (now, then))
        by = f"served by {here}, the previous turn by {there}"
        sure: Confidence = "likely" if now.replica and then.replica else "possible"
        return cause("routing/replica", sure, missed, f"{by}: each has a cache of its own; {grew}", AFFINITY)
    idle = _idle(then, now)
    if idle is not None and idle >= EXPIRY_SECONDS:
        said = f"{idle:,.0f} s after the previous turn; {grew}; runner-up: routing/replica"
        return cause("capacity/eviction", "possible", missed, said, "Send turns sooner, or give the cache more room.")
    said = f"{grew}; decides: token ids, KV cache events, or which replica served the turn"
    return cause(UNEXPLAINED, "possible", missed, said, "Log token ids and the replica of every request.")


def _only_grew(then: Turn, now: Turn) -> bool:
    """Whether a request is the previous one with messages appended, its keys and options the same."""
    old, new = then.request, now.request
    keys = (old.kind, old.model, old.salt, old.chat_template, old.template_kwargs)
    same = keys == (new.kind, new.model, new.salt, new.chat_template, new.template_kwargs) and old.tools == new.tools
    return same and bool(old.messages) and old.messages == new.messages[: len(old.messages)]


def _idle(then: Turn, now: Turn) -> float | None:
    ended = then.started_at if then.ended_at is None else then.ended_at
    return None if ended is None or now.started_at is None else max(0.0, now.started_at - ended)
