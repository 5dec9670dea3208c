"""What a server's answers mean: ids, offsets, models.  A shape that vLLM does not have is a ValueError with the reason.

Knows JSON, not HTTP: whoever asked adds the address and the remedy.
"""

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from analysis.core.media import of_features
from analysis.model.session import Json, Media, TokenIds

_UNKNOWN_MODEL = re.compile(r"model\b.*(does not exist|not found)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True, eq=False)
class Rendered:
    """A prompt as the server renders it.

    ``offsets`` are the characters ``[start, stop)`` of every token, shape ``(num_tokens, 2)``, ``media`` the images
    with their tokens; None where not said.
    """

    token_ids: TokenIds
    offsets: "TokenIds | None" = None
    media: tuple[Media, ...] | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """A model that a server serves; ``root`` is where it was loaded from, ``max_model_len`` is in tokens."""

    name: str
    root: str | None
    max_model_len: int | None


def rendered_chat(body: Json) -> Rendered:
    """Read ``/v1/chat/completions/render``."""
    fields = _object(body)
    ids = token_ids(fields.get("token_ids"), "token_ids")
    media = of_features(fields["features"], len(ids)) if "features" in fields else None
    return Rendered(ids, _offsets(fields.get("token_offsets"), len(ids)), media)


def rendered_completion(body: Json) -> Rendered:
    """Read ``/v1/completions/render``: a list with one answer per prompt."""
    if not isinstance(body, list) or len(body) != 1:
        raise ValueError("no list of one rendered prompt")
    return rendered_chat(body[0])


def tokenized(body: Json) -> Rendered:
    """Read ``/tokenize``.  Other servers have the route too, so the count must be there and be right."""
    fields = _object(body)
    ids = token_ids(fields.get("tokens"), "tokens")
    if fields.get("count") != len(ids):
        raise ValueError("a count that is not the number of tokens")
    return Rendered(ids)


def generated(body: Json) -> Rendered:
    """Read the prompt's ids from an answer of ``/v1/chat/completions`` with ``return_token_ids``."""
    return Rendered(token_ids(_object(body).get("prompt_token_ids"), "prompt_token_ids"))


def token_strings(body: Json) -> tuple[TokenIds, tuple[str, ...]]:
    """Read ids and the tokenizer's own spelling of them from ``/tokenize`` with ``return_token_strs``."""
    ids = tokenized(body).token_ids
    strings = _object(body).get("token_strs")
    if not isinstance(strings, list) or len(strings) != len(ids):
        raise ValueError("token_strs that do not fit the tokens")
    return ids, tuple(string if isinstance(string, str) else "" for string in strings)


def token_ids(value: Json, name: str) -> TokenIds:
    """Return a list of token ids as an int32 array."""
    if not isinstance(value, list) or not all(type(item) is int for item in value):
        raise ValueError(f"{name} that are not a list of integers")
    if value and not 0 <= min(value) <= max(value) < 2**31:
        raise ValueError(f"{name} that are no token ids")
    return np.array(value, dtype=np.int32)


def text(body: Json, name: str) -> str:
    """Return one text field."""
    value = _object(body).get(name)
    if not isinstance(value, str):
        raise ValueError(f"no text in {name}")
    return value


def flag(body: Json, name: str) -> bool:
    """Return one true or false."""
    value = _object(body).get(name)
    if not isinstance(value, bool):
        raise ValueError(f"neither true nor false in {name}")
    return value


def models(body: Json) -> tuple[Model, ...]:
    """Read ``/v1/models``."""
    listed = _object(body).get("data")
    if not isinstance(listed, list):
        raise ValueError("no list of models")
    return tuple(_model(item) for item in listed)


def owners(body: Json) -> tuple[str, ...]:
    """Return who owns the models of ``/v1/models``: vLLM says "vllm"."""
    listed = _object(body).get("data")
    items = listed if isinstance(listed, list) else []
    return tuple(str(item.get("owned_by")) for item in items if isinstance(item, dict))


def wants_tool_parser(words: str) -> bool:
    """Whether a 400 says that tools need ``--enable-auto-tool-choice``: nothing is wrong with the request itself."""
    return "tool choice requires" in words


def names_no_such_model(error_words: str) -> bool:
    """Say whether a 404 is about the model and not about the route."""
    return _UNKNOWN_MODEL.search(error_words) is not None


def _model(item: Json) -> Model:
    fields = _object(item)
    root, length = fields.get("root"), fields.get("max_model_len")
    return Model(
        text(item, "id"),
        root if isinstance(root, str) else None,
        length if type(length) is int and length > 0 else None,
    )


def _object(body: Json) -> dict[str, Json]:
    if not isinstance(body, dict):
        raise ValueError("no JSON object")
    return body


def _offsets(value: Json, num_tokens: int) -> "TokenIds | None":
    if not isinstance(value, list) or len(value) != num_tokens or not num_tokens:
        return None
    try:
        pairs: npt.NDArray[np.int64] = np.array(value, dtype=np.int64)
    except (TypeError, ValueError, OverflowError):
        return None
    fits = pairs.shape == (num_tokens, 2) and pairs.min() >= 0 and pairs.max() < 2**31
    return pairs.astype(np.int32) if fits else None
