"""The canonical log, written: one JSON line a request, of whatever log the turns were read from.

Writes what the model keeps: all that bears on the prompt, the reply, usage, ids and times.  Does not write sampling
parameters, which no reader keeps, nor a cache salt: its fingerprint stands for it, so equal salts stay equal.
"""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

import msgspec

from analysis.model.session import Json, Log, Media, Request, Session, TokenIds, Turn, Usage

Line: TypeAlias = dict[str, object]

PATHS = {"chat": "/v1/chat/completions", "completion": "/v1/completions"}
_ENCODER = msgspec.json.Encoder(enc_hook=lambda array: array.tolist())  # token ids are the one type JSON has not


def lines(logs: Sequence[Log]) -> Iterator[bytes]:
    """The lines of these logs, each with its line end, in the order the turns stood in their files.

    A reader sorts them by time and then by line, as the first reader did, so sessions and turns come out the same.
    Sessions that were told apart by their messages keep apart: their made-up names are unique over all logs.
    """
    used: set[str] = set()
    for log in logs:
        names = [_unused(session, used) for session in log.sessions]
        turns = [
            (turn, name, session) for session, name in zip(log.sessions, names, strict=True) for turn in session.turns
        ]
        for turn, name, session in sorted(turns, key=lambda found: found[0].line):
            yield _ENCODER.encode(_line(turn, name, session.inferred)) + b"\n"


def _unused(session: Session, used: set[str]) -> str:
    """The name of a session; one that was made up gets the file's, should an earlier file have made it up as well."""
    name, number = session.session_id, 1
    while session.inferred and name in used:
        number += 1
        name = f"{session.session_id} of {session.file}" + (f" ({number})" if number > 2 else "")
    used.add(name)
    return name


def _line(turn: Turn, session_id: str, inferred: bool) -> Line:
    line: Line = {
        "session_id": session_id,
        "session_inferred": inferred or None,
        "request_id": turn.request_id,
        "lineage": turn.lineage,
        "ts_start": turn.started_at,
        "ts_first_token": turn.first_token_at,
        "ts_end": turn.ended_at,
        "path": PATHS[turn.request.kind],
        "status": 200 if turn.reply is not None else None,
        "client": turn.client,
        "note": turn.note,
        "completeness": sorted(turn.completeness) or None,
        "server": {"replica": turn.replica} if turn.replica is not None else None,
        "request": _request(turn.request, turn.prompt_ids),
        "response": _response(turn),
        "cached_basis": turn.usage.cached_basis,
        "prompt_token_ids": turn.prompt_ids,
        "output_token_ids": turn.output_ids,
        "features": None if turn.media is None else _features(turn.media),
    }
    return _said(line)


def _request(request: Request, prompt_ids: TokenIds | None) -> Line:
    """The body: what was sent, as far as the model has it; a default is left out as senders do."""
    body: Line = {
        "model": request.model,
        "chat_template_kwargs": request.template_kwargs or None,
        "chat_template": request.chat_template,
        "add_generation_prompt": None if request.add_generation_prompt else False,
        "continue_final_message": request.continue_final_message or None,
        "add_special_tokens": request.add_special_tokens,
        "cache_salt": request.salt,
        "prompt_logprobs": 0 if request.skips_cache else None,
        "prompt_embeds": request.embeds,
    }
    if request.kind == "chat":
        body |= {"messages": request.messages, "tools": request.tools or None}
    elif request.prompt is not None:
        body["prompt"] = request.prompt
    elif request.embeds is None:
        body["prompt"] = "" if prompt_ids is None else prompt_ids
    return _said(body)


def _response(turn: Turn) -> Line | None:
    body: Line = {
        "system_fingerprint": turn.server_version,
        "choices": None if turn.reply is None else [_choice(turn)],
        "usage": _usage(turn.usage),
    }
    return _said(body) or None


def _choice(turn: Turn) -> Line:
    """The reply, as text where the API answers with text."""
    reply = dict(turn.reply or {})
    if turn.request.kind == "completion" and reply == {"role": "assistant", "content": reply.get("content")}:
        return {"index": 0, "text": reply["content"]}
    return {"index": 0, "message": reply}


def _usage(usage: Usage) -> Line | None:
    counts = (usage.prompt_tokens, usage.output_tokens, usage.cached_tokens)
    if usage.cached_basis == "not-recorded" and counts == (None, None, None):
        return None
    details = None if usage.cached_tokens is None else {"cached_tokens": usage.cached_tokens}
    return {"prompt_tokens": counts[0], "completion_tokens": counts[1], "prompt_tokens_details": details}


def _features(media: Sequence[Media]) -> dict[str, Json]:
    """Images as the render of a server places them."""
    hashes: list[Json] = [one.identity for one in media]
    places: list[Json] = [{"offset": one.start, "length": one.stop - one.start} for one in media]
    return {"mm_hashes": {"media": hashes}, "mm_placeholders": {"media": places}}


def _said(fields: Line) -> Line:
    """Without what is not known: it is left out, never null."""
    return {name: value for name, value in fields.items() if value is not None}
