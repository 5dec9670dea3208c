"""Images, sounds and videos in a prompt: their tokens are all the same, so vLLM hashes what they stand for as well.

Says what a request sends, where it stands in logged ids, and how far two prompts share it.  Does not decode an image:
without the server's own hash it is told by its uuid or by its bytes as sent, and one behind a URL by the address.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from analysis.model.session import Json, JsonObject, Media, Request, TokenIds

KINDS = ("image", "image_url", "input_image", "audio_url", "input_audio", "video_url")
SHORTEST_RUN = 16  # equal ids in a row that stand for an image and not for text


@dataclass(frozen=True, slots=True)
class Sent:
    """One part of a message that is no text.  ``remote``: only its address is known, not its content."""

    path: str
    identity: str
    remote: bool


def sent(request: Request) -> tuple[Sent, ...]:
    """The images, sounds and videos of a request in their order, as far as their content, uuid or address is there."""
    found = []
    for index, message in enumerate(request.messages):
        content = message.get("content")
        for position, part in enumerate(content if isinstance(content, list | tuple) else ()):
            if isinstance(part, dict) and part.get("type") in KINDS and (named := _identity(part)) is not None:
                found.append(Sent(f"messages[{index}].content[{position}]", *named))
    return tuple(found)


def placed(request: Request, prompt: TokenIds) -> tuple[Media, ...] | None:
    """Where they stand in the ids that the server logged; None where that cannot be told.

    The server writes one id many times in a row for each of them: they are placed where exactly one id has as many
    long runs as the request has images.
    """
    parts = sent(request)
    if not parts:
        return ()
    edges = [0, *(np.flatnonzero(np.diff(prompt)) + 1).tolist(), len(prompt)]
    runs: dict[int, list[tuple[int, int]]] = {}
    for start, stop in pairwise(edges):
        if stop - start >= SHORTEST_RUN:
            runs.setdefault(int(prompt[start]), []).append((start, stop))
    fitting = [places for places in runs.values() if len(places) == len(parts)]
    if len(fitting) != 1:
        return None
    return tuple(Media(*place, part.identity) for place, part in zip(fitting[0], parts, strict=True))


def of_features(features: Json, num_tokens: int) -> tuple[Media, ...]:
    """What a render's ``features`` say: the hash of every image and the tokens that stand for it, in their order.

    ``{"mm_hashes": {"image": ["9f…"]}, "mm_placeholders": {"image": [{"offset": 7, "length": 256}]}}`` is one image at
    tokens 7 to 263.  Raise ValueError where hashes and places do not fit each other or the prompt.
    """
    if features is None:
        return ()
    hashes, places = (_fields(_fields(features).get(name) or {}) for name in ("mm_hashes", "mm_placeholders"))
    if {kind for kind in hashes if hashes[kind]} != {kind for kind in places if places[kind]}:
        raise ValueError("features whose hashes and placeholders are of different kinds")
    found = []
    for kind, of_kind in hashes.items():
        names, ranges = _items(of_kind), _items(places.get(kind) or [])
        if len(names) != len(ranges):
            raise ValueError("features with another number of hashes than of placeholders")
        found += [_media(_fields(place), name, num_tokens) for name, place in zip(names, ranges, strict=True)]
    ordered = tuple(sorted(found, key=lambda media: media.start))
    if any(one.stop > following.start for one, following in pairwise(ordered)):
        raise ValueError("features with placeholders that overlap")
    return ordered


def shared_tokens(common_tokens: int, ours: Sequence[Media], theirs: Sequence[Media]) -> int:
    """Of ``common_tokens`` equal ids, those before the first image that is not the same one at the same place."""
    unlike = min((media.start for media in set(ours) ^ set(theirs)), default=common_tokens)
    return min(common_tokens, unlike)


def extra_keys(media: Sequence[Media], start: int, stop: int) -> tuple[tuple[str, str, int], ...]:
    """What vLLM hashes with a block of tokens ``[start, stop)`` for the images in it, as tagged since 0.31.

    ``_gen_mm_extra_hash_keys`` in ``vllm/v1/core/kv_cache_utils.py``: the offset counts from the start of the block.
    """
    return tuple(("mm", one.identity, one.start - start) for one in media if one.start < stop and one.stop > start)


def marks(media: Sequence[Media], block_size: int, num_blocks: int) -> npt.NDArray[np.uint64]:
    """A number per full block that depends on the images in it, 0 where there is none; shape ``(num_blocks,)``."""
    result = np.zeros(num_blocks, np.uint64)
    for index in sorted(set(_blocks(media, block_size, num_blocks))):
        keys = extra_keys(media, index * block_size, (index + 1) * block_size)
        result[index] = int.from_bytes(hashlib.blake2b(repr(keys).encode(), digest_size=8).digest(), "little")
    return result


def _media(place: JsonObject, identity: Json, num_tokens: int) -> Media:
    offset, length = place.get("offset"), place.get("length")
    if not isinstance(offset, int) or not isinstance(length, int) or not isinstance(identity, str):
        raise ValueError("features with a hash that is no text or a placeholder without its offset and length")
    if offset < 0 or length < 1 or offset + length > num_tokens:
        raise ValueError("features with a placeholder that is not in the prompt")
    return Media(offset, offset + length, identity)


def _fields(value: Json) -> JsonObject:
    if not isinstance(value, dict):
        raise ValueError("features that are no JSON object")
    return value


def _items(value: Json) -> Sequence[Json]:
    if not isinstance(value, list):
        raise ValueError("features without a list of hashes and one of placeholders")
    return value


def _blocks(media: Sequence[Media], block_size: int, num_blocks: int) -> Iterator[int]:
    for one in media:
        yield from range(one.start // block_size, min(num_blocks, -(-one.stop // block_size)))


def _identity(part: dict[str, Json]) -> tuple[str, bool] | None:
    """What vLLM tells a part by: its uuid, else its content; and whether that is only an address."""
    uuid = part.get("uuid")
    if uuid is not None:
        return str(uuid), False
    content = part.get(str(part["type"]))
    if isinstance(content, dict):
        content = content.get("url", content.get("data"))
    if content is None:
        return None
    text = str(content)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), text.startswith(("http://", "https://"))
