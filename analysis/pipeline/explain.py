"""Where a prompt leaves the previous turn, in words: the message field on both sides and the decoded tokens."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from analysis.core.locate import searched_segments
from analysis.core.segment import segment_of
from analysis.model.finding import Divergence
from analysis.model.prompt import Attribution, Segment
from analysis.model.renderer import Renderer
from analysis.model.session import JsonObject, Request, TokenIds, Turn
from analysis.pipeline.tokens import TurnTokens

CONTEXT_TOKENS = 24  # decoded before and after a divergence


def divergence(
    turn: Turn,
    tokens: TurnTokens,
    previous: Turn,
    previous_tokens: TurnTokens,
    lcp_tokens: int,
    block_size: int,
    renderer: Renderer | None,
) -> Divergence | None:
    """The first token where the prompt leaves the previous prompt and reply; None where it does not leave them."""
    if lcp_tokens >= len(previous_tokens.full_ids) or lcp_tokens >= tokens.prompt_tokens:
        return None
    bare = Divergence(token=lcp_tokens, block=lcp_tokens // block_size)
    if renderer is None:
        return bare
    now = attribution(
        turn.request, turn.started_at, _reply(turn, tokens, lcp_tokens), tokens.full_ids, lcp_tokens, renderer
    )
    reply = _reply(previous, previous_tokens, lcp_tokens)
    then = attribution(previous.request, previous.started_at, reply, previous_tokens.full_ids, lcp_tokens, renderer)
    start = max(0, lcp_tokens - CONTEXT_TOKENS)
    stop = lcp_tokens + CONTEXT_TOKENS
    return Divergence(
        token=bare.token,
        block=bare.block,
        segment=_with_role(segment_of(now, lcp_tokens), turn),
        previous_segment=_with_role(segment_of(then, lcp_tokens), previous),
        segment_basis="provenance" if now.basis == then.basis == "provenance" else "searched",
        before=decoded(renderer.token_bytes(tokens.prompt[start:lcp_tokens].tolist())),
        old=decoded(renderer.token_bytes(previous_tokens.full_ids[lcp_tokens:stop].tolist())),
        new=decoded(renderer.token_bytes(tokens.prompt[lcp_tokens:stop].tolist())),
    )


def attribution(
    request: Request, at: float | None, reply: JsonObject | None, ids: TokenIds, token: int, renderer: Renderer
) -> Attribution:
    """The fields of a prompt; with ``reply``, of the conversation it ends.

    A render that does not give the turn's own ids up to this token is of no use: then the fields are searched in
    the decoded ids.
    """
    try:
        rendered = renderer.attribution(request, at, reply)
    except (ValueError, OSError):
        rendered = None
    if rendered is not None and np.array_equal(rendered.token_ids[: token + 1], ids[: token + 1]):
        return rendered
    return _searched(request, ids, renderer, reply)


def _reply(turn: Turn, tokens: TurnTokens, token: int) -> JsonObject | None:
    """The reply, where the token is a generated one."""
    return turn.reply if token >= tokens.prompt_tokens else None


def decoded(pieces: Sequence[bytes]) -> str:
    """Tokens as text; bytes that are not UTF-8 stay visible as ``\\xNN``."""
    return b"".join(pieces).decode("utf-8", "backslashreplace")


def _with_role(segment: Segment, turn: Turn) -> Segment:
    """Add the role of the segment's message; the reply stands behind the last message."""
    found = re.match(r"messages\[(\d+)\]", segment.path)
    if found is None:
        return segment
    messages = (*turn.request.messages, turn.reply or {"role": "assistant"})
    index = int(found[1])
    role = messages[index].get("role") if index < len(messages) else None
    return replace(segment, role=str(role) if role else None)


def _searched(request: Request, token_ids: TokenIds, renderer: Renderer, reply: JsonObject | None) -> Attribution:
    pieces = renderer.token_bytes(token_ids.tolist())
    text = b"".join(pieces).decode("utf-8", "replace")
    lengths = [sum(byte & 0xC0 != 0x80 for byte in piece) for piece in pieces]  # characters begun in each token
    starts = np.concatenate([[0], np.cumsum(lengths)[:-1]]).astype(np.int32)
    fields = searched_segments(text, request, reply)
    return Attribution(text, token_ids, starts, fields, "searched")
