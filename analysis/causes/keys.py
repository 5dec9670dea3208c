"""Keys: the tokens are equal, yet their blocks are another's, because something beside the tokens is hashed with them.

Salt, model or adapter, and images are compared in the requests; a hash seed only shows in the counters.  Does not
look into an image behind a URL, nor where in the prompt an image stands.
"""

from collections.abc import Iterator

from analysis.causes.base import Evidence, cause
from analysis.model.finding import Cause, Note
from analysis.model.session import Json, Request

MEDIA = ("image", "image_url", "input_image", "audio_url", "input_audio", "video_url")


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
        said = f"the model or adapter is {now.model!r}, before it was {then.model!r}; blocks are shared within one only"
        yield cause("key/lora", "certain", tokens, said, "Keep the adapter for the whole session.", segment="model")
    changed = changed_image(then, now)
    if changed is not None:
        path, seen = changed
        what = "another one by its bytes or uuid" if seen else "behind another address; only its content counts"
        yield cause(
            "key/multimodal",
            "certain" if seen else "likely",
            evidence.missed,
            f"the image at {path} is {what}; the hit ends where it stands",
            "Send the same bytes, or a stable uuid, for the same image.",
            segment=path,
        )


def changed_image(then: Request, now: Request) -> tuple[str, bool] | None:
    """The path of the first image part (or sound, or video) that both requests have at one place with other content.

    True with it where the content itself or its uuid was compared, False where only two addresses differ.
    """
    for index, (old, new) in enumerate(zip(then.messages, now.messages, strict=False)):
        parts = zip(_parts(old.get("content")), _parts(new.get("content")), strict=False)
        for position, (before, after) in enumerate(parts):
            here, there = _identity(before), _identity(after)
            if here is not None and there is not None and here != there:
                remote = all(str(one).startswith(("http://", "https://")) for one in (here, there))
                return f"messages[{index}].content[{position}]", not remote
    return None


def _parts(content: Json) -> list[Json]:
    return list(content) if isinstance(content, list | tuple) else []


def _identity(part: Json) -> Json:
    """What vLLM tells the image of a part by: its uuid, else its content; None where the part is none."""
    if not isinstance(part, dict) or part.get("type") not in MEDIA:
        return None
    uuid: Json = part.get("uuid")
    if uuid is not None:
        return uuid
    content: Json = part.get(str(part["type"]))
    return content.get("url", content.get("data")) if isinstance(content, dict) else content
