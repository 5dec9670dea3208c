"""Keys: the tokens are equal, yet their blocks are another's, because something beside the tokens is hashed with them.

Salt, model or adapter, embeddings and images are compared in the requests; a hash seed only shows in the counters.
Does not look into an image behind a URL.
"""

from collections.abc import Iterator

from analysis.causes.base import Evidence, cause
from analysis.core.media import sent
from analysis.core.quoting import quoted
from analysis.model.finding import Cause, Note
from analysis.model.session import Request


def explain(evidence: Evidence) -> Iterator[Cause | Note]:
    """Causes of what was missed because the keys of the donor are not those of this turn."""
    if not evidence.missed or evidence.gap is None:
        return
    if evidence.previous is not None:
        yield from _requests(evidence, evidence.previous.turn.request, evidence.now.turn.request)
    counters = evidence.source.counters
    if counters and counters.external_queries and not counters.external_hits and counters.hits:
        yield cause(
            "key/hash-seed",
            "possible",
            evidence.missed,
            f"the external cache was asked for {counters.external_queries:,.0f} tokens and never hit, while local hits"
            " rose; what decides: the PYTHONHASHSEED and hash algorithm of every instance",
            "Set PYTHONHASHSEED to one value everywhere, with sha256 or sha256_cbor.",
        )


def _requests(evidence: Evidence, then: Request, now: Request) -> Iterator[Cause]:
    """What differs between the previous turn's request and this one."""
    tokens = evidence.missed_by_keys
    if tokens and now.salt != then.salt:
        yield cause(
            "key/cache-salt",
            "certain",
            tokens,
            "cache_salt differs from the previous turn's, and blocks are shared within one salt only",
            "Keep one cache_salt per tenant or session.",
            segment="cache_salt",
        )
    if tokens and now.model != then.model:
        models = f"the model or adapter is {quoted(now.model)}, before it was {quoted(then.model)}"
        said = f"{models}; blocks are shared within one only"
        yield cause("key/lora", "certain", tokens, said, "Keep the adapter for the whole session.", segment="model")
    if tokens and now.embeds != then.embeds:
        yield cause(
            "key/multimodal",
            "certain",
            tokens,
            "prompt_embeds are not those of the previous turn; they are hashed in place of token ids",
            "Send the same embeddings for the same text.",
            segment="prompt_embeds",
        )
    yield from _image(evidence, then, now)


def _image(evidence: Evidence, then: Request, now: Request) -> Iterator[Cause]:
    """Where the tokens of the images are known only what lies behind a changed one is missed for it."""
    changed = changed_image(then, now)
    placed = evidence.gap is not None and evidence.gap.media_placed
    tokens = evidence.missed_by_keys if placed else evidence.missed
    if changed is None or not tokens:
        return
    path, seen = changed
    what = "another one by its bytes or uuid" if seen else "behind another address; only its content counts"
    where = "the hit ends where it stands"
    if placed:
        where = "the blocks from its first token on are another's"
    yield cause(
        "key/multimodal",
        "certain" if seen else "likely",
        tokens,
        f"the image at {quoted(path)} is {what}; {where}",
        "Send the same bytes, or a stable uuid, for the same image.",
        segment=path,
    )


def changed_image(then: Request, now: Request) -> tuple[str, bool] | None:
    """The path of the first image part (or sound, or video) that both requests have at one place with other content.

    True with it where the content itself or its uuid was compared, False where only two addresses differ.
    """
    before = {part.path: part for part in sent(then)}
    for part in sent(now):
        known = before.get(part.path)
        if known is not None and known.identity != part.identity:
            return part.path, not (part.remote and known.remote)
    return None
