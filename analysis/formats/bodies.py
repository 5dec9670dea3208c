"""Request and response bodies of the OpenAI API, as vLLM serves it, brought into the nouns of the model.

Reads ``/v1/chat/completions`` and ``/v1/completions``.  Messages and tools that were sent again, byte for byte, are
decoded once and shared, so a session costs memory for what is new in each turn.
"""

import hashlib
import re
from dataclasses import dataclass, field

import msgspec
import numpy as np

from analysis.formats import jsontext
from analysis.formats.calls import count, objects
from analysis.formats.credentials import without_credentials
from analysis.formats.jsontext import Fields
from analysis.formats.salts import fingerprint
from analysis.model.session import CachedBasis, Json, JsonObject, Request, TokenIds, Usage

REPORTS_ZERO_SINCE = (0, 32)  # from here on a server with the flag on says 0, so null means the flag is off
_FINGERPRINT = re.compile(r"vllm-(\d+)\.(\d+)")


@dataclass(slots=True)
class BodyReader:
    """Reads the bodies of one log."""

    _shared: dict[bytes, JsonObject] = field(default_factory=dict)

    def request(self, raw: Fields) -> Request:
        """Read a request body; raise ValueError with the reason where it is none."""
        chat = "messages" in raw

        def value(name: str) -> Json:
            return jsontext.decode(raw[name]) if name in raw else None

        embeds = _digest(raw["prompt_embeds"]) if value("prompt_embeds") is not None else None
        if not (chat or embeds or "prompt" in raw):
            raise ValueError("the request has neither messages nor prompt")
        kwargs = value("chat_template_kwargs")
        effort = value("reasoning_effort")
        template_kwargs = dict(kwargs) if isinstance(kwargs, dict) else {}
        if effort is not None:
            template_kwargs.setdefault("reasoning_effort", effort)
        return Request(
            kind="chat" if chat else "completion",
            model=str(value("model") or ""),
            messages=self._objects(raw["messages"], "messages") if chat else (),
            tools=self._objects(raw["tools"], "tools") if chat and value("tools") is not None else (),
            prompt=None if chat or (embeds and value("prompt") is None) else _prompt(raw["prompt"]),
            template_kwargs=template_kwargs,
            chat_template=_text(value("chat_template")),
            add_generation_prompt=value("add_generation_prompt") is not False,
            continue_final_message=value("continue_final_message") is True,
            add_special_tokens=_flag(value("add_special_tokens")),
            salt=fingerprint(value("cache_salt")),
            skips_cache=value("prompt_logprobs") is not None
            or (value("echo") is True and value("logprobs") not in (None, False)),
            embeds=embeds,
        )

    def _objects(self, raw: msgspec.Raw, name: str) -> tuple[JsonObject, ...]:
        try:
            return tuple(self._object(bytes(item), name) for item in jsontext.items(raw))
        except ValueError as error:
            raise ValueError(f"{name} is not a list of objects ({error})") from None

    def _object(self, raw: bytes, name: str) -> JsonObject:
        known = self._shared.get(raw)
        if known is None:
            value = jsontext.decode(raw)
            if not isinstance(value, dict):
                raise ValueError(f"{name} holds {type(value).__name__}")
            known = self._shared[raw] = without_credentials(value) if name == "tools" else value
        return known


@dataclass(frozen=True, slots=True)
class ResponseParts:
    """What a response says: the reply, the usage, the ids, the id of the call; None where it does not say."""

    reply: JsonObject | None = None
    usage: Usage = field(default_factory=Usage)
    prompt_ids: "TokenIds | None" = None
    output_ids: "TokenIds | None" = None
    request_id: str | None = None
    model: str | None = None
    error: str | None = None
    server_version: str | None = None
    has_usage: bool = False


def response(body: JsonObject | None) -> ResponseParts:
    """Read a response body of either API; a body without choices gives what it has."""
    if body is None:
        return ResponseParts()
    choice = min(objects(body.get("choices")), key=lambda one: count(one.get("index")) or 0, default={})
    message = choice.get("message")
    reply: JsonObject | None = message if isinstance(message, dict) else None
    if reply is None and "text" in choice:
        reply = {"role": "assistant", "content": choice["text"]}
    prompt_ids = body.get("prompt_token_ids")
    return ResponseParts(
        reply=reply,
        usage=read_usage(body.get("usage"), _text(body.get("system_fingerprint"))),
        prompt_ids=ids(prompt_ids if prompt_ids is not None else choice.get("prompt_token_ids")),
        output_ids=ids(choice.get("token_ids")),
        request_id=_text(body.get("id")),
        model=_text(body.get("model")),
        error=_error(body),
        server_version=_text(body.get("system_fingerprint")),
        has_usage=body.get("usage") is not None,
    )


def read_usage(usage: Json, fingerprint: str | None) -> Usage:
    """Read a usage block, telling apart a reported 0, a null, and no usage at all.

    ``fingerprint`` is the server's ``system_fingerprint``: it carries the vLLM version that decides what null means.
    """
    if not isinstance(usage, dict):
        return Usage()
    prompt_tokens = count(usage.get("prompt_tokens"))
    details = usage.get("prompt_tokens_details")
    cached = count(details.get("cached_tokens")) if isinstance(details, dict) else None
    basis: CachedBasis = "reported"
    if cached is None:
        flag_off = not isinstance(details, dict) and _version(fingerprint) >= REPORTS_ZERO_SINCE
        basis = "disabled" if flag_off else "omitted"
    elif prompt_tokens is not None and cached > prompt_tokens:
        cached, basis = None, "omitted"  # a server that counts something else: unusable, and not zero
    return Usage(prompt_tokens, count(usage.get("completion_tokens")), cached, basis)


def ids(value: Json) -> "TokenIds | None":
    """Token ids as an int32 array; None where the value is no list of token ids."""
    if not isinstance(value, list) or not value or not all(type(item) is int for item in value):
        return None
    if min(value) < 0 or max(value) >= 2**31:
        return None
    return np.array(value, np.int32)


def _prompt(raw: msgspec.Raw) -> "str | TokenIds":
    value = jsontext.decode(raw)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | list):
        value = value[0]
    if isinstance(value, str):
        return value
    numbers = ids(value)
    if numbers is None:
        raise ValueError("prompt is neither one text nor one list of token ids (several prompts in one request?)")
    return numbers


def _digest(raw: msgspec.Raw) -> str:
    return hashlib.sha256(bytes(raw)).hexdigest()


def _version(fingerprint: str | None) -> tuple[int, int]:
    found = _FINGERPRINT.match(fingerprint or "")
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Json) -> bool | None:
    return value if isinstance(value, bool) else None


def _error(body: JsonObject) -> str | None:
    error = body.get("error")
    if isinstance(error, dict):
        return str(error.get("message") or "error without a message")
    return str(error) if error else _text(body.get("detail")) if "choices" not in body else None
